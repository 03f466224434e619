"""Items, requests, responses and events as JSON, and back again without loss.

Every object says what it is by its `content_type`; its other names are the fields of the class, those at their defaults
left out. `schemas/content_items.json` describes the form. What is read and not known is kept: an unknown field beside
its value (`unknown_fields`), an object of an unknown `content_type` as an `Opaque` that is sent nowhere; both are
written again as they were. A tool that is a function is kept as its definition, an output's Python type as its schema.
"""

from __future__ import annotations

from typing import Any

from triptych import jsontext
from triptych.persist import reading, writing
from triptych.persist.plain import text_of
from triptych.persist.registry import CONTENT_TYPES
from triptych.persist.unknown_fields import unknown_fields
from triptych.type_values import explained

__all__ = ["CONTENT_TYPES", "FormError", "dumps", "loads", "structure", "unknown_fields", "unstructure"]


class FormError(ValueError):
    """JSON that is not the form of any value here; the message has the path, what was expected and what was got."""


def dumps(value: object) -> str:
    """Return the JSON text of a value, on one line; `loads` makes the same value of it.

    Args:
        value: An item, part, request, response, event or one of their pieces, or a list of such.

    Raises:
        TypeError: a class that has no JSON form.
    """
    return text_of(unstructure(value))


def loads(text: str | bytes) -> Any:
    """Return the value that a JSON text says.

    Args:
        text: What `dumps` wrote.

    Raises:
        FormError: it is no JSON, or not of this form.
    """
    try:
        plain = jsontext.decode(text, None)  # what was written is read, however deep
    except ValueError as fault:
        raise FormError(f"$: expected JSON, got {text[:40]!r}: {fault}") from fault
    return structure(plain)


def unstructure(value: object) -> Any:
    """Return the JSON values of a value, as `dumps` writes them: a dict with its `content_type`, or a list of such.

    Args:
        value: See `dumps`.

    Raises:
        TypeError: a class that has no JSON form.
    """
    if isinstance(value, list | tuple):
        return [unstructure(one) for one in value]
    return writing.tagged(value)


def structure(plain: object) -> Any:
    """Return the value that JSON values say; objects within them become part of it and are not copied.

    Args:
        plain: What `unstructure` made, or a JSON text says.

    Raises:
        FormError: they are not of this form.
    """
    try:
        return _structured(plain, None)
    except Exception as fault:  # each class raises what it likes where a value is wrong
        raise FormError(explained(fault)) from fault


def _structured(plain: object, _: object) -> Any:
    return reading.read_list(plain, _structured) if type(plain) is list else reading.tagged(plain)
