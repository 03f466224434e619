"""Constraints in words: what a description says of a keyword that an API does not take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from triptych import jsontext

# What holds a value to nothing, and is left out without a word.
ANNOTATIONS = frozenset(
    {
        "title",
        "description",
        "default",
        "example",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "discriminator",
        "propertyOrdering",
        "$schema",
        "$id",
        "$anchor",
        "$comment",
        "$vocabulary",
        "$dynamicAnchor",
        "$defs",
        "definitions",
    }
)

_WORDS: Mapping[str, str] = {
    "minimum": "minimum {}",
    "maximum": "maximum {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} entries",
    "maxProperties": "at most {} entries",
    "pattern": "matching {}",
    "format": "in the format {}",
    "contentEncoding": "encoded as {}",
    "contentMediaType": "of the media type {}",
    "enum": "one of {}",
}


def in_words(keyword: str, value: Any) -> str:
    """Return what a keyword asks for, such as "minimum 0"; what has no words of its own is said as it stands."""
    if keyword == "uniqueItems":
        return "no item twice"
    said = value if isinstance(value, str) else jsontext.encode_text(value)
    return _WORDS[keyword].format(said) if keyword in _WORDS else f"{keyword}: {said}"


def described(description: Any, words: Iterable[str]) -> str | None:
    """Return a description with constraints in brackets behind it; None where there is neither.

    Args:
        description: The schema's own, where it has one.
        words: The constraints.
    """
    said = description if isinstance(description, str) else ""
    asked = ", ".join(words)
    return f"{said} ({asked})".strip() if asked else said or None
