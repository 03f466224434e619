"""Tokens and keys that are asked for anew at each call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from triptych.checks import shown
from triptych.errors import LlmError
from triptych.foreign import pass_interruption
from triptych.secret import Secret

_KEPT = 16


class Recent:
    """The secrets given out of late: an answer to an older call may still quote an older one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: dict[str, None] = {}

    def add(self, text: str) -> None:
        """Note a secret that is given out."""
        if text not in self._texts:
            with self._lock:
                self._texts[text] = None
                if len(self._texts) > _KEPT:
                    del self._texts[next(iter(self._texts))]

    def texts(self) -> tuple[str, ...]:
        """Return the secrets."""
        with self._lock:
            return tuple(self._texts)

    def __repr__(self) -> str:
        return "Recent(***)"


class TokenAccess:
    """Lets each call in with what a function gives.

    Args:
        give: Returns the token; it may be called by many threads at once, and does its own caching.
        header: The header that bears it.
        scheme: The word before it; empty for none.
    """

    def __init__(self, give: Callable[[], Any], header: str, scheme: str) -> None:
        self._give = give
        self._header = header
        self._scheme = scheme
        self._recent = Recent()

    @property
    def secrets(self) -> tuple[str, ...]:
        """The tokens given out of late."""
        return self._recent.texts()

    def headers(self, url: str, body: bytes) -> Mapping[str, str]:
        """Return the header with the token of this call; see `CallAccess`."""
        try:
            token = self._give()
        except Exception as fault:
            pass_interruption(fault)
            words = f"api_key, when it was called, failed: {type(fault).__name__}: {fault}"
            raise LlmError(words, "authentication", code="token_failed") from None
        if isinstance(token, Secret):
            token = token.reveal()
        if not isinstance(token, str):
            words = f"api_key, when it was called, gave {shown(type(token))}; expected a str"
            raise LlmError(words, "authentication", code="token_failed")
        fault_of_token = Secret(token).fault()
        if fault_of_token is not None:
            words = f"what api_key gave, when it was called, cannot be sent: {fault_of_token}"
            raise LlmError(words, "authentication", code="malformed_key")
        self._recent.add(token)
        return {self._header: f"{self._scheme} {token}".strip()}
