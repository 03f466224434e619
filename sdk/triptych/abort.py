"""Ending a call from another thread."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any

from triptych.errors import LlmError


class Abort:
    """Ends a call from another thread, wherever it is: it waits for the host's answer, reads it, or is tried again.

    Args:
        what: What the call is, for its error: "stream" or "call".

    Attributes:
        called: Whether the call is to end.
        tries: How often it was begun.
    """

    def __init__(self, what: str = "stream") -> None:
        self.called = False
        self.tries = 0
        self._what = what
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None

    def begin(self) -> None:
        """Note that the request is about to be sent.

        Raises:
            LlmError: the call is to end.
        """
        if self.called:
            raise self.error()
        self.tries += 1

    def error(self) -> LlmError:
        """Return the error of a call that was ended."""
        return LlmError(f"the {self._what} was closed before its end", "cancelled", attempts=self.tries)

    def connected(self, found: Any) -> None:
        """Note the socket that the call waits on from now on."""
        self.by(lambda: _shut(found))

    def by(self, end: Callable[[], None]) -> None:
        """Note what ends the call from now on; where it is to end already, end it."""
        with self._lock:
            self._end = end
        if self.called:
            end()

    def wait(self, seconds: float) -> None:
        """Wait between two tries, so many seconds or until the call is to end."""
        over = threading.Event()
        self.by(over.set)
        over.wait(seconds)

    def __call__(self) -> None:
        """End the call; one that is over already is left alone."""
        with self._lock:
            self.called, end = True, self._end
        if end is not None:
            end()


def _shut(found: Any) -> None:
    with contextlib.suppress(OSError):  # it may be closed already
        found.shutdown(socket.SHUT_RDWR)
