"""JSON values of what a program or a provider put where anything may stand: payloads, contexts, verbatim blocks.

What JSON has is kept as it is. Bytes become base64 text, dates RFC 3339 text, sets and tuples lists, enums their
values; attrs and dataclass instances, pydantic models and other mappings become objects, keys become texts. Anything
else is described: `{"content_type": "unserialisable", "type": …, "repr": …}`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from triptych.persist.registry import TAG, UNSERIALISABLE

_REPR_LIMIT = 500
_DEEPEST = 200  # levels, in what the codec could not write; others may be as deep as the codec goes
_DIGITS = 4300  # of an integer: Python reads no more
_SUBCLASSES: tuple[tuple[type, Callable[[Any], object]], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (Mapping, dict),
)


def plain(value: object) -> Any:
    """Return the JSON values that a value is written as, copied: nothing of it is shared with the caller."""
    if value is None or type(value) is str:
        return value
    try:
        return msgspec.to_builtins(value, str_keys=True, enc_hook=_without_form)
    except Exception:  # a strange key, a cycle, or what a class of the user's raises when it is looked at
        return forced(value)


def _without_form(value: Any) -> Any:
    for kind, made in _SUBCLASSES:
        if isinstance(value, kind):
            return made(value)
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):  # a pydantic model
        return dump(mode="json")
    return described(value)


def described(value: Any) -> dict[str, str]:
    """Return what is written instead of a value that has no JSON form."""
    kind = type(value)
    try:
        words = hex(value) if isinstance(value, int) else repr(value)
    except Exception:  # a repr that fails must not stop what is being saved
        words = "…"
    if not isinstance(value, int) and len(words) > _REPR_LIMIT:
        words = words[: _REPR_LIMIT - 1] + "…"
    return {TAG: UNSERIALISABLE, "type": f"{kind.__module__}.{kind.__qualname__}", "repr": words}


def _is_described(value: object) -> bool:
    """Return whether a value stands already for one that had no JSON form, so that it is not described once more."""
    return (
        isinstance(value, dict)
        and value.get(TAG) == UNSERIALISABLE
        and value.keys() == {TAG, "type", "repr"}
        and all(isinstance(words, str) for words in value.values())
    )


def forced(value: Any, depth: int = 0) -> Any:
    """Return JSON values for any value whatever, those that the codec refuses among them.

    Args:
        value: The value.
        depth: How deep within another it is.
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, int):
        return int(value) if abs(value) < 10**_DIGITS else described(value)
    if depth >= _DEEPEST:
        return value if _is_described(value) else described(value)
    if isinstance(value, Mapping):
        return {_key(key): forced(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [forced(one, depth + 1) for one in value]
    try:
        inner = msgspec.to_builtins(value, enc_hook=_without_form)
    except Exception:  # as in `plain`
        return described(value)
    return inner if isinstance(inner, str) else forced(inner, depth + 1)


def _key(key: Any) -> str:
    if isinstance(key, str):
        return str(key)
    return json.dumps(key) if isinstance(key, int | float | None) else repr(key)


_encoder = msgspec.json.Encoder(enc_hook=_without_form)


def text_of(value: Any) -> str:
    """Return JSON text, compact and on one line, of JSON values.

    NaN and infinities are null. A lone surrogate is kept: then all that is not ASCII is escaped, which is how JSON can
    say it; two that make a pair are read as the one character. An integer has up to 4300 digits.

    Args:
        value: What `plain` or a writer made.
    """
    try:
        return _encoder.encode(value).decode()
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError, RecursionError):
        return json.dumps(forced(value), separators=(",", ":"))
