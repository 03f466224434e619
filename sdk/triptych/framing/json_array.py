"""A JSON array that arrives in pieces: bytes to elements, one event an element.

Gemini's streamGenerateContent answers so without `alt=sse`: pretty-printed, with errors as an element or a bare object.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, TypeAlias

from triptych.framing.strict import StrictDecoder

_QUOTE = ord('"')
_BEFORE_ARRAY = re.compile(rb"[ \t\r\n\xef\xbb\xbf]*")  # the byte order mark, which some servers put first
_BETWEEN = re.compile(rb"[ \t\r\n,]*")
_AFTER_ARRAY = re.compile(rb"[ \t\r\n]*")
_SCALAR = re.compile(rb"[^ \t\r\n,\]]*")
# The two below repeat a group, and `re` keeps a position for each turn: the bound keeps memory flat in a string of
# megabytes. Where the bound ends a match, the next one goes on from there.
_STRING = re.compile(rb'(?:[^"\\]+|\\.){0,500}', re.DOTALL)
# Up to a bracket of the kind that the element began with, or a string that has escapes or is cut. The other kind of
# bracket needs no look: it balances inside whatever is valid JSON.
_TO_BRACKET = {
    ord("{"): re.compile(rb'(?:[^"{}]+|"[^"\\]*"){0,500}'),
    ord("["): re.compile(rb'(?:[^"\[\]]+|"[^"\\]*"){0,500}'),
}

State: TypeAlias = Literal["before", "between", "element", "scalar", "after"]


class JsonArrayDecoder(StrictDecoder[bytes]):
    """Turns the bytes of an array into its elements, each as soon as its last byte is there.

    A body that is one object instead of an array gives that object. What is inside an element is for its reader to
    judge; so are a missing and a doubled comma, which lose nothing.
    """

    __slots__ = ("_bare", "_depth", "_escaped", "_in_string", "_opener", "_pieces", "_place", "_state")

    def __init__(self) -> None:
        super().__init__()
        self._state: State = "before"
        self._place = 0  # bytes before this chunk
        self._bare = False  # an object without an array around it
        self._pieces: list[bytes] = []  # of the element that has not ended yet
        self._opener = 0  # the bracket that it began with
        self._depth = 0  # how many brackets of that kind are open
        self._in_string = False
        self._escaped = False  # the chunk before ended between a backslash and what it escapes

    @property
    def held(self) -> int:
        """How many bytes are kept of what has not ended yet."""
        return sum(map(len, self._pieces))

    def _take(self, chunk: bytes, events: list[bytes]) -> None:
        position = 0
        while position < len(chunk):
            position = _STEPS[self._state](self, chunk, position, events)
        self._place += len(chunk)

    def _last(self) -> list[bytes]:
        if self._state in ("before", "after"):
            return []
        where = "between two elements" if self._state == "between" else "inside an element"
        raise ValueError(f"the JSON array is not closed: it ends {where}, after {self._place} bytes")

    def _before(self, chunk: bytes, position: int, events: list[bytes]) -> int:
        position = _end(_BEFORE_ARRAY, chunk, position)
        opener = chunk[position : position + 1]
        if opener == b"[":
            self._state = "between"
            return position + 1
        if opener == b"{":
            self._bare = True
            return self._begin(chunk, position)
        return self._only_space(opener, position, "a JSON array was expected")

    def _between(self, chunk: bytes, position: int, events: list[bytes]) -> int:
        position = _end(_BETWEEN, chunk, position)
        if position == len(chunk):
            return position
        if chunk[position : position + 1] == b"]":
            self._state = "after"
            return position + 1
        return self._begin(chunk, position)

    def _after(self, chunk: bytes, position: int, events: list[bytes]) -> int:
        position = _end(_AFTER_ARRAY, chunk, position)
        return self._only_space(chunk[position : position + 1], position, "nothing was expected after the JSON array")

    def _only_space(self, found: bytes, position: int, expected: str) -> int:
        if found:
            raise ValueError(f"{expected}, and at byte {self._place + position} there is {found!r}")
        return position

    def _begin(self, chunk: bytes, position: int) -> int:
        opener = chunk[position]
        self._in_string = opener == _QUOTE
        if not self._in_string and opener not in _TO_BRACKET:
            self._state = "scalar"
            return position
        self._state = "element"
        self._opener = opener
        self._depth = 0 if self._in_string else 1
        self._pieces.append(chunk[position : position + 1])
        return position + 1

    def _element(self, chunk: bytes, start: int, events: list[bytes]) -> int:
        position = start
        while position < len(chunk) and (self._depth or self._in_string):
            position = self._string(chunk, position) if self._in_string else self._brackets(chunk, position)
        self._pieces.append(chunk[start:position])
        if not (self._depth or self._in_string):
            self._end_element(events)
        return position

    def _brackets(self, chunk: bytes, position: int) -> int:
        """Go on to the next bracket that counts or string with escapes; return the place after it."""
        position = _end(_TO_BRACKET[self._opener], chunk, position)
        if position == len(chunk):
            return position
        found = chunk[position]
        if found == _QUOTE:
            self._in_string = True
        elif found == self._opener:
            self._depth += 1
        elif found == self._opener + 2:  # in ASCII, the closing bracket of either kind
            self._depth -= 1
        else:
            return position  # the bound of the pattern
        return position + 1

    def _string(self, chunk: bytes, position: int) -> int:
        """Go on to the end of the string or the chunk; return the place after it."""
        if self._escaped:
            self._escaped = False
            position += 1
        position = _end(_STRING, chunk, position)
        if position == len(chunk):
            return position
        if chunk[position] == _QUOTE:
            self._in_string = False
            return position + 1
        self._escaped = position == len(chunk) - 1 and chunk[position : position + 1] == b"\\"
        return position + 1 if self._escaped else position

    def _scalar(self, chunk: bytes, start: int, events: list[bytes]) -> int:
        position = _end(_SCALAR, chunk, start)
        self._pieces.append(chunk[start:position])
        if position < len(chunk):
            self._end_element(events)
        return position

    def _end_element(self, events: list[bytes]) -> None:
        events.append(b"".join(self._pieces))
        self._pieces.clear()
        self._state = "after" if self._bare else "between"


_STEPS: dict[State, Callable[[JsonArrayDecoder, bytes, int, list[bytes]], int]] = {
    "before": JsonArrayDecoder._before,
    "between": JsonArrayDecoder._between,
    "element": JsonArrayDecoder._element,
    "scalar": JsonArrayDecoder._scalar,
    "after": JsonArrayDecoder._after,
}


def _end(pattern: re.Pattern[bytes], chunk: bytes, position: int) -> int:
    """Return where a pattern, which may match nothing, ends that starts at `position`."""
    found = pattern.match(chunk, position)
    return found.end() if found else position
