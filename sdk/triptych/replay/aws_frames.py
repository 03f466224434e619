"""AWS event-stream frames of a recorded body, taken apart and put together again.

`triptych.framing` reads frames with botocore, which neither writes them nor says how a header's value was written. A
recording whose frames are scrubbed needs both, and it is recorded and read without that extra.

Reference: https://smithy.io/2.0/aws/amazon-eventstream.html
"""

from __future__ import annotations

import base64
import json
import struct
from binascii import crc32
from typing import TYPE_CHECKING

from attrs import evolve, frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Frame", "FrameHeader", "chunk_of", "cut_frame", "joined", "rewritten", "split"]

# A frame: its length and that of its headers, the CRC of these two; headers; payload; the CRC of all before it.
_LENGTHS = struct.Struct("!II")
_CRC = struct.Struct("!I")
_PRELUDE = _LENGTHS.size + _CRC.size
_TEXT_LENGTH = struct.Struct("!H")

_BYTES, _TEXT = 6, 7
# How many bytes a header's value takes, by its type: true, false, four sizes of number, a time, a UUID.
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}


@frozen
class FrameHeader:
    """A header of a frame.

    Args:
        name: Its name.
        kind: The number of its type.
        value: Its value as written, a text without its length.
    """

    name: bytes
    kind: int
    value: bytes


@frozen
class Frame:
    """A frame.

    Args:
        headers: Its headers, in order.
        payload: What it carries, most often JSON.
    """

    headers: tuple[FrameHeader, ...]
    payload: bytes

    def text(self, *names: str) -> str:
        """Return the value of the first of these headers that it has; empty when it has none."""
        values = {header.name.decode("utf-8", "replace"): header.value for header in self.headers}
        return next((values[name].decode("utf-8", "replace") for name in names if name in values), "")


def split(body: bytes) -> tuple[list[Frame], bytes]:
    """Take a body apart.

    Args:
        body: Any bytes.

    Returns:
        The frames at its start whose checksums hold, and the bytes after them: those of a frame that was cut short,
        or the whole body when it is no event stream. `joined` gives the body again, byte for byte.
    """
    frames: list[Frame] = []
    place = 0
    while len(body) - place >= _PRELUDE + _CRC.size:
        length, size = _LENGTHS.unpack_from(body, place)
        frame = body[place : place + length]
        if length < _PRELUDE + size + _CRC.size or len(frame) < length or not _sums_hold(frame):
            break
        headers = _headers(frame[_PRELUDE : _PRELUDE + size])
        if headers is None:
            break
        frames.append(Frame(headers, frame[_PRELUDE + size : -_CRC.size]))
        place += length
    return frames, body[place:]


def cut_frame(rest: bytes) -> Frame | None:
    """Read the beginning of a frame whose end is missing.

    Args:
        rest: What `split` left.

    Returns:
        Its headers, and what has come of the payload and the checksum after it; None when not even the headers are
        there.
    """
    if len(rest) < _PRELUDE:
        return None
    _, size = _LENGTHS.unpack_from(rest)
    headers = _headers(rest[_PRELUDE : _PRELUDE + size]) if len(rest) >= _PRELUDE + size else None
    return None if headers is None else Frame(headers, rest[_PRELUDE + size :])


def joined(frames: Iterable[Frame], rest: bytes = b"") -> bytes:
    """Put frames together, with the lengths and the checksums that they have now.

    Args:
        frames: The frames.
        rest: What follows them.

    Returns:
        The body.
    """
    return b"".join(_frame(frame) for frame in frames) + rest


def rewritten(body: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Change the texts in the frames of a body: values of headers, payloads, and what payloads carry in base64.

    Args:
        body: A body that begins with a frame.
        change: Gives what a text is to become.

    Returns:
        The body, its frames whole; what follows them is changed too.
    """
    frames, rest = split(body)
    changed = [
        evolve(
            frame,
            headers=tuple(
                evolve(header, value=change(header.value)) if header.kind in (_BYTES, _TEXT) else header
                for header in frame.headers
            ),
            payload=_payload(frame.payload, change),
        )
        for frame in frames
    ]
    return joined(changed, change(rest))


def chunk_of(payload: bytes) -> bytes | None:
    """Return what a payload wraps in base64, as those of InvokeModel do: `{"bytes": "…"}`; None for any other."""
    try:
        wrapper = json.loads(payload)
        return base64.b64decode(wrapper["bytes"], validate=True)
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def _payload(payload: bytes, change: Callable[[bytes], bytes]) -> bytes:
    chunk = chunk_of(payload)
    if chunk is not None and change(chunk) != chunk:
        wrapper = json.loads(payload) | {"bytes": base64.b64encode(change(chunk)).decode()}
        payload = json.dumps(wrapper, separators=(",", ":")).encode()
    return change(payload)


def _sums_hold(frame: bytes) -> bool:
    lengths, whole = frame[: _LENGTHS.size], frame[: -_CRC.size]
    return frame[_LENGTHS.size : _PRELUDE] == _CRC.pack(crc32(lengths)) and frame[-_CRC.size :] == _CRC.pack(
        crc32(whole)
    )


def _headers(data: bytes) -> tuple[FrameHeader, ...] | None:
    headers: list[FrameHeader] = []
    place = 0
    try:
        while place < len(data):
            start = place + 1
            end = start + data[place]
            kind = data[end]
            end_of_name, end = end, end + 1
            if kind in (_BYTES, _TEXT):
                size = _TEXT_LENGTH.unpack_from(data, end)[0]
                end += _TEXT_LENGTH.size
            else:
                size = _SIZES[kind]
            place = end + size
            headers.append(FrameHeader(data[start:end_of_name], kind, data[end:place]))
    except (LookupError, struct.error):
        return None
    return tuple(headers) if place == len(data) else None


def _frame(frame: Frame) -> bytes:
    headers = b"".join(_header(header) for header in frame.headers)
    lengths = _LENGTHS.pack(_PRELUDE + len(headers) + len(frame.payload) + _CRC.size, len(headers))
    whole = lengths + _CRC.pack(crc32(lengths)) + headers + frame.payload
    return whole + _CRC.pack(crc32(whole))


def _header(header: FrameHeader) -> bytes:
    length = _TEXT_LENGTH.pack(len(header.value)) if header.kind in (_BYTES, _TEXT) else b""
    return bytes([len(header.name)]) + header.name + bytes([header.kind]) + length + header.value
