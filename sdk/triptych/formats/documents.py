"""Documents on the APIs that take their words alone, or the words of some of them."""

from __future__ import annotations

import re

from triptych.formats.verbatim import Inexpressible
from triptych.parts import Document

# MIME types of text that do not begin with "text/"; a suffix such as "+json" tells it of many more.
_TEXTS = re.compile(
    r"text/.+"
    r"|application/(x-)?(json|jsonl|ndjson|json5|xml|yaml|toml|javascript|ecmascript|typescript|sql|sh|csv|tex|graphql)"
    r"|[a-z]+/[^/]+\+(json|xml|yaml)",
    re.IGNORECASE,
)


def is_text(mime_type: str | None) -> bool:
    """Return whether a file of this MIME type is text; one of an unknown type is not."""
    return _TEXTS.fullmatch((mime_type or "").partition(";")[0].strip()) is not None


def decoded(part: Document) -> str | None:
    """Return the words of a document: those that it was made of, or its bytes where they are text; else None.

    Raises:
        Inexpressible: it is text, and its base64 is damaged.
    """
    if part.text is not None:
        return part.text
    try:
        data = part.data if is_text(part.mime_type) else None
    except ValueError as fault:
        raise Inexpressible(f"its base64 is damaged: {fault}") from None
    return None if data is None else data.decode("utf-8", "replace")


def words_of(part: Document) -> str:
    """Return the words of a document.

    Raises:
        Inexpressible: they are not here, or it is no text.
    """
    words = decoded(part)
    if words is None:
        raise Inexpressible("this API takes documents as text only")
    return words


def named_words(part: Document) -> str:
    """Return the words of a document below its name, for the APIs on which a text has no name.

    Raises:
        Inexpressible: they are not here, or it is no text.
    """
    words = words_of(part)
    return words if part.name is None else f"Document {part.name}:\n\n{words}"
