"""What a recorded text or body says once escapes, encodings, compression and frames are taken off it."""

from __future__ import annotations

import base64
import re
import zlib
from typing import TYPE_CHECKING
from urllib.parse import unquote

from attrs import evolve, frozen

from triptych.replay.aws_frames import chunk_of, cut_frame, split

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Reading", "readings_of_body", "readings_of_text"]

# JSON in JSON in JSON, as in the arguments of a tool call that a stream carries.
_MOST_LAYERS = 4
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|[^u])", re.DOTALL)
# A line end that was escaped is none of the file: a blank keeps words apart and the count of lines right.
_ESCAPED = dict.fromkeys("bfnrt", " ")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{10,}={0,2}")
_BLANKS = str.maketrans("", "", "\n\r\t")
# How gzip and zlib begin, and what tells Python's decompressor to take either.
_PACKED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_GZIP_OR_ZLIB = 47


@frozen
class Reading:
    """One way to read a part of a body.

    Args:
        text: What it says then.
        part: The part, such as `.frames[2].payload`; empty for the whole.
        line: How many lines come before it.
        has_lines: Whether its line ends are those of the original.
    """

    text: str
    part: str = ""
    line: int = 0
    has_lines: bool = True


def readings_of_body(body: bytes) -> Iterator[Reading]:
    """Yield what a body says.

    Args:
        body: The body as recorded, without the content encoding that its headers tell.

    Returns:
        The readings of its text; for an AWS event stream those of each frame.
    """
    if body.startswith(_PACKED):
        body = _unpacked(body)
    frames, rest = split(body)
    if not frames:
        yield from readings_of_text(body.decode("utf-8", "replace"))
        return
    cut = cut_frame(rest)
    for number, frame in enumerate(frames if cut is None else [*frames, cut]):
        for header in frame.headers:
            name = header.name.decode("utf-8", "replace")
            yield from _of_part(header.value, f".frames[{number}].headers.{name}")
        yield from _of_part(frame.payload, f".frames[{number}].payload")
        yield from _of_part(chunk_of(frame.payload) or b"", f".frames[{number}].payload.bytes")
    if cut is None:
        yield from _of_part(rest, ".rest")


def readings_of_text(text: str, layers: int = _MOST_LAYERS) -> Iterator[Reading]:
    """Yield what a text says: as it is, without its escapes, layer by layer, and what is base64 in it.

    Args:
        text: The text.
        layers: How many layers to take off at most.
    """
    yield Reading(text)
    plain = text
    for _ in range(layers):
        bare = _ESCAPE.sub(_escaped, plain)
        if bare == plain:
            break
        plain = bare
        yield Reading(plain)
    if "%" in plain and (bare := unquote(plain)) != plain:
        yield Reading(bare, has_lines=False)
    if layers:
        for match in _BASE64.finditer(plain):
            hidden = _decoded(match[0])
            if hidden is not None:
                line = plain.count("\n", 0, match.start())
                for reading in readings_of_text(hidden, layers - 1):
                    yield evolve(reading, line=line, has_lines=False)


def _of_part(data: bytes, part: str) -> Iterator[Reading]:
    for reading in readings_of_text(data.decode("utf-8", "replace")):
        yield evolve(reading, part=part, has_lines=False)


def _unpacked(body: bytes) -> bytes:
    try:
        return zlib.decompressobj(_GZIP_OR_ZLIB).decompress(body)
    except zlib.error:
        return body


def _escaped(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if code[0] == "u" else _ESCAPED.get(code, code)


def _decoded(letters: str) -> str | None:
    """Return the text that is written in base64; None when it is not text."""
    try:
        data = base64.b64decode(
            letters.rstrip("=") + "=" * (-len(letters.rstrip("=")) % 4),
            b"-_" if "-" in letters or "_" in letters else None,
        )
        text = data.decode("utf-8")
    except ValueError:
        return None
    return text if text.translate(_BLANKS).isprintable() else None
