"""Server-sent events or a JSON array, whichever comes: Google's streams are the one or the other by a query parameter.

A proxy may lose the parameter, so the first byte tells. An error, or a whole answer, comes as an object alone.
"""

from __future__ import annotations

from triptych.framing.json_array import JsonArrayDecoder
from triptych.framing.sse import SseDecoder

_BEFORE = b" \t\r\n\xef\xbb\xbf"
_MOST_BEFORE = 1 << 16  # bytes of white space, after which no array is expected any more


class SseOrArrayDecoder:
    """Turns the bytes of a stream into the data of its events, of either framing."""

    __slots__ = ("_framing", "_head", "other")

    def __init__(self) -> None:
        self.other: tuple[bytes, ...] = (b"<",)
        self._head = b""
        self._framing: JsonArrayDecoder | SseDecoder | None = None

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of the events that end in `chunk`.

        Args:
            chunk: The next bytes, cut anywhere.

        Raises:
            ValueError: the array is broken; see `StrictDecoder`.
        """
        if self._framing is None:
            chunk = self._head + chunk
            first = chunk.lstrip(_BEFORE)[:1]
            if not first and len(chunk) <= _MOST_BEFORE:
                self._head = chunk
                return []
            self._framing = JsonArrayDecoder() if first in (b"[", b"{") else SseDecoder()
            self._head = b""
        return self._framing.feed(chunk)

    @property
    def held(self) -> int:
        """How many bytes are kept of what has not ended yet."""
        return len(self._head) if self._framing is None else self._framing.held

    def finish(self) -> list[bytes]:
        """Return the data of a last event that has no end of its own.

        Raises:
            ValueError: the array is not closed.
        """
        return [] if self._framing is None else self._framing.finish()
