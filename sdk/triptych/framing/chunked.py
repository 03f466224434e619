"""HTTP's chunked coding: bytes as they come from the socket, cut anywhere, to the bytes of the body.

Reference: https://www.rfc-editor.org/rfc/rfc9112#section-7.1
"""

from __future__ import annotations

_LINE_LIMIT = 1 << 16


class ChunkedDecoder:
    """Takes the frames of a chunked body away, of many chunks at once where many have come.

    Attributes:
        ended: Whether the last chunk and the trailer after it have come.
        fault: What is wrong with the coding, once something is: nothing that comes after it can be read.
    """

    __slots__ = ("_in_trailer", "_left", "_rest", "ended", "fault")

    def __init__(self) -> None:
        self._rest = b""  # a line that has not ended yet
        self._left = 0  # bytes to come of a chunk, the line end behind it counted
        self._in_trailer = False
        self.ended = False
        self.fault: str | None = None

    def feed(self, data: bytes) -> bytes:
        """Return the body's part of `data`: all of it, or up to where `fault` is.

        Args:
            data: The next bytes, cut anywhere.
        """
        if self._rest:
            data = self._rest + data
            self._rest = b""
        body: list[bytes] = []
        at, size = 0, len(data)
        while at < size and not self.ended and self.fault is None:
            if self._left:
                end = at + self._left
                words = data[at : max(at, end - 2)]
                if words:
                    body.append(words)
                self._left = max(0, end - size)
                at = end
                continue
            end = data.find(b"\n", at)
            if end < 0:
                self._rest = data[at:]
                if len(self._rest) > _LINE_LIMIT:
                    self.fault = "a line between two chunks does not end"
                break
            self._line(data[at:end])
            at = end + 1
        return body[0] if len(body) == 1 else b"".join(body)

    def _line(self, line: bytes) -> None:
        if self._in_trailer:
            self.ended = not line.rstrip(b"\r")
            return
        digits = line.partition(b";")[0].strip()
        if not digits or digits.translate(None, b"0123456789abcdefABCDEF"):
            self.fault = f"not the length of a chunk: {digits[:20]!r}"
            return
        length = int(digits, 16)
        self._in_trailer = not length
        self._left = length + 2 if length else 0
