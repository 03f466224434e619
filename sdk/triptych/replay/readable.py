"""Comment lines that show what a body holds which YAML has to write as base64."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triptych.replay.aws_frames import Frame, chunk_of, split

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["readable_lines"]

# A body is shown as text when at most this share of it is not, or a single character that was cut.
_ODD_SHARE = 20
_LINE_ENDS = "\n\r\t"


def readable_lines(body: bytes) -> Iterator[str]:
    """Yield what a binary body holds, in lines that may stand in a comment.

    Args:
        body: Bytes that are not UTF-8, or have control characters.

    Returns:
        One line a frame of an AWS event stream: what it is, and its payload; one line a line of text that was cut
        inside a character; none for sound, images and the like.
    """
    frames, rest = split(body)
    if not frames:
        text = body.decode("utf-8", "replace")
        odd = sum(character == "\ufffd" or not _is_plain(character) for character in text)
        if odd <= max(1, len(text) // _ODD_SHARE):
            yield from _lines(body)
        return
    for frame in frames:
        yield _described(frame)
    if rest:
        yield f"and {len(rest)} bytes of a frame that was cut short"


def _described(frame: Frame) -> str:
    name = frame.text(":event-type", ":exception-type", ":error-code")
    payload = chunk_of(frame.payload)
    if payload is None:
        payload = frame.payload
    words = (name, frame.text(":error-message"), " ".join(_lines(payload)))
    return " ".join(_escaped(word) for word in words if word)


def _lines(data: bytes) -> list[str]:
    """Decode bytes to lines; a byte that is no text is shown as its number."""
    return [_escaped(line) for line in data.decode("utf-8", "backslashreplace").splitlines()]


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def _is_plain(character: str) -> bool:
    return character.isprintable() or character in _LINE_ENDS
