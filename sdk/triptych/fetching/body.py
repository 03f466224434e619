"""The body of an answer, read within a size: counted while it comes, and while it is decompressed."""

from __future__ import annotations

import zlib

from urllib3 import BaseHTTPResponse

_CHUNK = 1 << 16
# zlib's sign for a gzip or zlib header, whichever comes; some hosts compress though they are asked not to.
_EITHER_HEADER = zlib.MAX_WBITS | 32
_COMPRESSED = ("gzip", "x-gzip", "deflate")


class BodyError(ValueError):
    """A body that is not taken; the message says why."""


def read_within(answer: BaseHTTPResponse, most: int) -> bytes:
    """Return the body of an answer, decompressed.

    Args:
        answer: The answer, its body unread.
        most: The number of bytes that it may have, on the wire and decompressed.

    Raises:
        BodyError: it is larger, empty, damaged, or compressed in a way that is not known here.
        urllib3.exceptions.HTTPError, OSError: it broke off.
    """
    told = answer.headers.get("content-length", "").strip()
    if told.isdecimal() and int(told) > most:
        raise BodyError(f"it has {told} bytes, and max_bytes is {most}")
    coding = answer.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity", *_COMPRESSED):
        raise BodyError(f"it is compressed ({coding[:40]!r}), though its host was asked not to")
    data = _inflated(answer, most) if coding in _COMPRESSED else _plain(answer, most)
    if not data:
        raise BodyError("it is empty")
    return bytes(data)


# `read` and not `stream`: the latter takes the sizes of chunks in lines of any length.
def _plain(answer: BaseHTTPResponse, most: int) -> bytearray:
    data = bytearray()
    while piece := answer.read(_CHUNK, decode_content=False):
        data += piece
        _check_size(data, most)
    return data


def _inflated(answer: BaseHTTPResponse, most: int) -> bytearray:
    data, inflater = bytearray(), zlib.decompressobj(_EITHER_HEADER)
    try:
        while piece := answer.read(_CHUNK, decode_content=False):
            data += inflater.decompress(piece, most + 1 - len(data))
            _check_size(data, most)
    except zlib.error as fault:
        raise BodyError(f"it cannot be decompressed: {fault}") from None
    if not inflater.eof or inflater.unused_data:
        raise BodyError("it cannot be decompressed: it does not end where it should")
    return data


def _check_size(data: bytearray, most: int) -> None:
    if len(data) > most:
        raise BodyError(f"it has more than {most} bytes, which is max_bytes")
