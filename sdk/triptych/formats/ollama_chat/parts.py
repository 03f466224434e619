"""What a message of Ollama's chat API holds: one text, and pictures beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from triptych.content import result_text
from triptych.formats.documents import named_words
from triptych.formats.verbatim import Inexpressible
from triptych.parts import PART_TYPES, Document, Image, Part, Text

# A picture's bytes show what they are; where they do not, the API does not say it either.
_UNKNOWN_TYPE = "application/octet-stream"


def build_image(part: Image) -> str:
    """Return a picture as the API takes it: its bytes in base64.

    Raises:
        Inexpressible: the bytes are not here.
    """
    data = part.base64
    if data is None:
        raise Inexpressible("this API takes pictures as bytes only")
    return data


def build_text(value: Any) -> str:
    """Return the words of a part, or of a value of a tool result.

    Raises:
        Inexpressible: it has none.
    """
    if not isinstance(value, PART_TYPES) or isinstance(value, Text):
        return result_text(value)
    if isinstance(value, Document):
        return named_words(value)
    raise Inexpressible("this API takes words and pictures only")


def read_content(wire: Mapping[str, Any]) -> str | list[Part]:
    """Return the words of a wire message, with its pictures where it has some."""
    text: str = wire.get("content") or ""
    images = wire.get("images")
    if not images:
        return text
    return [*([Text(text)] if text else []), *map(_read_image, images)]


def _read_image(data: str) -> Image:
    return Image(f"data:{_UNKNOWN_TYPE};base64,{data}")


def joined(texts: Iterable[str], separator: str) -> str:
    """Return several texts as the one that a message holds; empty ones leave no gap."""
    return separator.join(filter(None, texts))
