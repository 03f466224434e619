"""AWS event-stream frames: bytes to headers and payloads. The only module that imports botocore's decoder.

Reference: https://smithy.io/2.0/aws/amazon-eventstream.html
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

from triptych.extras import missing_extra
from triptych.framing.strict import StrictDecoder

try:
    # botocore is not typed and publishes no stubs; what these give gets its type where it is used.
    from botocore.eventstream import EventStreamBuffer, ParserError  # type: ignore[import-untyped]
except ModuleNotFoundError:
    raise missing_extra("a stream of Bedrock", "botocore", "bedrock") from None

# A frame: its length, the length of its headers, the CRC of these two; headers; payload; the CRC of all before it.
_PRELUDE = struct.Struct("!III")
_LAST_CRC = 4


class Frame(NamedTuple):
    """One frame.

    Args:
        headers: Names and values; `:message-type` says whether it is an event, an exception or an error.
        payload: The bytes that it carries, most often JSON.
    """

    headers: Mapping[str, str | bytes | int]
    payload: bytes


class AwsEventStreamDecoder(StrictDecoder[Frame]):
    """Turns bytes into frames whose checksums hold.

    botocore copies all that it holds at every step, so it gets a frame's prelude, checked before its length is
    believed, and the rest of that frame once it is there.
    """

    __slots__ = ("_buffer", "_held", "_length", "_pieces", "_place")

    def __init__(self) -> None:
        super().__init__()
        self._buffer = EventStreamBuffer()
        self._pieces: list[bytes] = []  # what has come of the part that is awaited
        self._held = 0  # how many bytes that is
        self._length = 0  # of the frame whose prelude was read, or 0
        self._place = 0  # where in the stream the frame starts

    @property
    def held(self) -> int:
        """How many bytes are kept of the frame that has not ended yet, or how many it says that it will have."""
        return self._length or self._held

    def _take(self, chunk: bytes, events: list[Frame]) -> None:
        position = 0
        while position < len(chunk):
            awaited = self._length - _PRELUDE.size if self._length else _PRELUDE.size
            piece = chunk[position : position + awaited - self._held]
            position += len(piece)
            self._pieces.append(piece)
            self._held += len(piece)
            if self._held < awaited:
                return
            part = b"".join(self._pieces)
            self._pieces.clear()
            self._held = 0
            if self._length:
                events.append(self._frame(part))
            else:
                self._length = self._frame_length(part)

    def _last(self) -> list[Frame]:
        if self._held or self._length:
            have = self._held + (_PRELUDE.size if self._length else 0)
            of = f" of {self._length}" if self._length else ""
            raise ValueError(f"the event stream ends inside the frame at byte {self._place}, after {have} bytes{of}")
        return []

    def _frame_length(self, prelude: bytes) -> int:
        self._decoded(prelude)  # gives no frame yet, but checks the sum
        length, headers, _ = _PRELUDE.unpack(prelude)
        if length < _PRELUDE.size + headers + _LAST_CRC:
            raise ValueError(f"{self._where()}a length of {length} bytes, and headers of {headers}")
        return int(length)

    def _frame(self, rest: bytes) -> Frame:
        frame = self._decoded(rest)
        if frame is None:
            raise ValueError(f"{self._where()}it is not whole at its own length of {self._length} bytes")
        self._place += self._length
        self._length = 0
        return frame

    def _decoded(self, part: bytes) -> Frame | None:
        """Give botocore the next part of a frame; return the frame if that was its end."""
        self._buffer.add_data(part)
        try:
            message = next(self._buffer, None)
        except KeyError as unknown:
            raise ValueError(f"{self._where()}a header of the unknown type {unknown}") from unknown
        except (ParserError, UnicodeDecodeError, struct.error) as fault:
            raise ValueError(f"{self._where()}{fault}") from fault
        return None if message is None else Frame(message.headers, message.payload)

    def _where(self) -> str:
        return f"the event stream is broken in the frame at byte {self._place}: "
