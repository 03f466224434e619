"""Frames of the AWS event stream, written for tests: the reverse of what the library reads."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping

Value = str | bytes | bool | int


def frame(headers: Mapping[str, Value], payload: bytes = b"") -> bytes:
    """Return the bytes of one frame with these headers; numbers are written as 64-bit integers."""
    return sealed(b"".join(_header(name, value) for name, value in headers.items()), payload)


def sealed(headers: bytes, payload: bytes = b"") -> bytes:
    """Return a frame around a block of headers as it stands, with its lengths and checksums right."""
    start = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    start += struct.pack("!I", zlib.crc32(start))
    body = start + headers + payload
    return body + struct.pack("!I", zlib.crc32(body))


def prelude(length: int, headers_length: int) -> bytes:
    """Return a prelude whose checksum is right, whatever its lengths say."""
    lengths = struct.pack("!II", length, headers_length)
    return lengths + struct.pack("!I", zlib.crc32(lengths))


def _header(name: str, value: Value) -> bytes:
    start = bytes([len(name.encode())]) + name.encode()
    if isinstance(value, bool):
        return start + (b"\0" if value else b"\1")
    if isinstance(value, int):
        return start + struct.pack("!bq", 5, value)
    content = value.encode() if isinstance(value, str) else value
    kind = 7 if isinstance(value, str) else 6
    return start + struct.pack("!bH", kind, len(content)) + content
