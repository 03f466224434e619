"""Plain readings of the framings, over whole bodies: slow, obvious, and written apart from the library."""

from __future__ import annotations

import json
import re
import struct
import zlib
from typing import Any

# The kinds of an AWS header's value that are numbers, and how each is packed.
_NUMBERS = {2: "!b", 3: "!h", 4: "!i", 5: "!q", 8: "!q"}


def read_sse(body: bytes) -> list[bytes]:
    """Return the data of the events of a whole event stream; blank data is left out, the last event may be open."""
    text = body.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    events: list[str] = []
    data: list[str] = []
    for line in [*re.split("\r\n|\r|\n", text), ""]:
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        if line == "":
            events.append("\n".join(data))
            data = []
    return [event.encode("utf-8", "surrogateescape") for event in events if event.strip(" \t\r\n\v\f")]


def read_ndjson(body: bytes) -> list[bytes]:
    """Return the lines that say anything."""
    lines = (line.strip(b" \t\r") for line in body.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    return [line for line in lines if line != b""]


def read_json_array(body: bytes) -> list[bytes]:
    """Return the text of each element of a whole, valid array."""
    text = body.decode().strip()[1:-1]
    elements: list[bytes] = []
    while text := text.lstrip(" \t\r\n,"):
        _, end = json.JSONDecoder().raw_decode(text)
        elements.append(text[:end].encode())
        text = text[end:]
    return elements


def read_aws_event_stream(body: bytes) -> list[tuple[dict[str, Any], bytes]]:
    """Return headers and payload of each frame of a whole stream whose checksums hold."""
    frames: list[tuple[dict[str, Any], bytes]] = []
    while body:
        length, headers_length, crc = struct.unpack("!III", body[:12])
        frame, body = body[:length], body[length:]
        assert crc == zlib.crc32(frame[:8])
        assert struct.unpack("!I", frame[-4:]) == (zlib.crc32(frame[:-4]),)
        frames.append((_read_headers(frame[12 : 12 + headers_length]), frame[12 + headers_length : -4]))
    return frames


def _read_headers(block: bytes) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    while block:
        name, block = block[1 : 1 + block[0]].decode(), block[1 + block[0] :]
        kind, block = block[0], block[1:]
        if kind in (0, 1):
            headers[name] = kind == 0
        elif kind in _NUMBERS:
            size = struct.calcsize(_NUMBERS[kind])
            (headers[name],) = struct.unpack(_NUMBERS[kind], block[:size])
            block = block[size:]
        elif kind == 9:
            headers[name], block = block[:16], block[16:]
        else:
            size = int.from_bytes(block[:2], "big")
            value, block = block[2 : 2 + size], block[2 + size :]
            headers[name] = value.decode() if kind == 7 else value
    return headers
