"""Newline-delimited JSON: bytes to lines, one event a line.

Reference: https://github.com/ndjson/ndjson-spec
"""

from __future__ import annotations

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"


class NdjsonDecoder:
    """Turns bytes into lines, without the white space around them. Blank lines are keep-alives and are passed over."""

    __slots__ = ("_at_start", "_line", "other")

    def __init__(self) -> None:
        self.other: tuple[bytes, ...] = (b"[", b"<")
        self._at_start = True
        self._line: list[bytes] = []  # pieces of the line that has not ended yet

    @property
    def held(self) -> int:
        """How many bytes are kept of what has not ended yet."""
        return sum(map(len, self._line))

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that end in `chunk`.

        Only LF ends a line: a CR before it is white space, and U+2028 or NEL inside a string is text.

        Args:
            chunk: The next bytes, cut anywhere.
        """
        if b"\n" not in chunk:
            if chunk:
                self._line.append(chunk)
            return []
        first, *others = chunk.split(b"\n")
        rest = others.pop()
        lines = [self._whole(first)]
        lines += [line.strip(_BLANK) for line in others]
        if rest:
            self._line.append(rest)
        return [line for line in lines if line]

    def finish(self) -> list[bytes]:
        """Return the last line where it has no end: whether it is whole shows in its JSON."""
        line = self._whole(b"")
        return [line] if line else []

    def _whole(self, end: bytes) -> bytes:
        """Return the line whose earlier pieces are kept and that closes with `end`."""
        line = b"".join([*self._line, end])
        self._line.clear()
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        return line.strip(_BLANK)
