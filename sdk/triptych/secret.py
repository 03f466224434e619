"""A key that is nowhere to be seen: not in a repr, a log, a pickle or a traceback."""

from __future__ import annotations

import re
from typing import NoReturn

_NAMES = re.compile(r"(?i)auth|cookie|credential|key|passw|secret|signature|token|^sig$")


def names_a_secret(name: str) -> bool:
    """Return whether the name of a header, or of a parameter of a URL, says that its value is secret."""
    return _NAMES.search(name) is not None


class Secret:
    """Holds a key and shows it only to `reveal`.

    Args:
        value: The key.

    Raises:
        TypeError: it is no str.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"Secret: expected str, got {type(value).__name__}")
        self._value = value

    def reveal(self) -> str:
        """Return the key."""
        return self._value

    def fault(self) -> str | None:
        """Return why no HTTP header can hold this key, without quoting it; None where one can."""
        if not self._value:
            return "it is empty"
        if any(character.isspace() for character in self._value):
            return "it has white space in it: a line break at its end, perhaps"
        if not self._value.isascii() or not self._value.isprintable():
            return "it has a character that is not printable ASCII"
        return None

    def __repr__(self) -> str:
        return "Secret('***')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret is not pickled")
