"""Server-sent events: bytes to events, to the letter of the standard.

Reference: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from __future__ import annotations

_BOM = b"\xef\xbb\xbf"


class SseDecoder:
    """Turns the bytes of an event stream into the data of its events.

    Lines end with LF, CR or CRLF, also where a chunk ends between the two. Comments, ids, retry times and names of
    events are passed over: the APIs say all they mean in the data. So are events whose data is blank, which the
    standard delivers: no API says anything with one, and some gateways keep a connection alive with them.
    """

    __slots__ = ("_at_start", "_data", "_line", "_skip_lf", "other")

    def __init__(self) -> None:
        self.other: tuple[bytes, ...] = (b"{", b"[", b"<")
        self._at_start = True
        self._skip_lf = False
        self._line: list[bytes] = []  # pieces of the line that has not ended yet
        self._data: list[bytes] = []  # the data lines of the event that has not ended yet

    @property
    def held(self) -> int:
        """How many bytes are kept of what has not ended yet."""
        return sum(map(len, self._line)) + sum(map(len, self._data))

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of the events that end in `chunk`, an event's lines joined by LF.

        Args:
            chunk: The next bytes, cut anywhere.
        """
        if self._at_start:
            chunk = self._start(chunk)
        if self._skip_lf and chunk:
            self._skip_lf = False
            if chunk.startswith(b"\n"):
                chunk = chunk[1:]
        if not chunk:
            return []
        lines = chunk.splitlines()
        rest = b"" if chunk.endswith((b"\n", b"\r")) else lines.pop()
        if self._line and lines:
            lines[0] = b"".join([*self._line, lines[0]])
            self._line.clear()
        events: list[bytes] = []
        self._take(lines, events)
        if rest:
            self._line.append(rest)
        self._skip_lf = chunk.endswith(b"\r")
        return events

    def finish(self) -> list[bytes]:
        """Return the data of an event whose closing blank line never came.

        The standard drops it. The APIs' last event is often sent without that line, and whether it is whole shows in
        its data, so it is returned to be looked at.
        """
        events: list[bytes] = []
        if self._line:
            self._take([b"".join(self._line)], events)
            self._line.clear()
        self._take([b""], events)
        return events

    def _start(self, chunk: bytes) -> bytes:
        """Return the chunk without the byte order mark, or nothing while it may still be one."""
        chunk = b"".join([*self._line, chunk])
        self._line.clear()
        if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
            self._line = [chunk] if chunk else []
            return b""
        self._at_start = False
        return chunk.removeprefix(_BOM)

    def _take(self, lines: list[bytes], events: list[bytes]) -> None:
        """Take whole lines, their ends taken off; append the data of the events that they end."""
        data = self._data
        for line in lines:
            if line[:5] == b"data:":
                data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line:
                if data:
                    event = data[0] if len(data) == 1 else b"\n".join(data)
                    data.clear()
                    if event and not event.isspace():
                        events.append(event)
            elif line == b"data":
                data.append(b"")
