"""HTTP headers that a caller adds: what HTTP takes, and which of them are secret."""

from __future__ import annotations

import re
from collections.abc import Mapping

from triptych.checks import shown
from triptych.secret import names_a_secret

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_VALUE = r"([!-~\u00a1-\u00ff]([ \t!-~\u00a1-\u00ff]*[!-~\u00a1-\u00ff])?)?"


def secret_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers whose names say that their values are secret."""
    return {name: value for name, value in headers.items() if names_a_secret(name)}


def check_headers(headers: Mapping[str, str]) -> None:
    """Raise when HTTP takes no such headers; a value is not quoted: it may be a key."""
    for name, value in headers.items():
        if not isinstance(name, str) or not isinstance(value, str):
            given = f"{type(name).__name__} and {type(value).__name__}"
            raise TypeError(f"LlmClient.headers: expected names and values of type str, got {given}")
        if not re.fullmatch(_NAME, name):
            raise ValueError(f"LlmClient.headers: expected a name of letters, digits and '-', got {shown(name)}")
        if not re.fullmatch(_VALUE, value):
            expected = "one line of printable Latin-1 characters without white space at its ends"
            raise ValueError(f"LlmClient.headers[{name!r}]: expected {expected}")
