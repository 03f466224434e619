"""JSON text in and out: one codec (msgspec) with the house's answers to the values that JSON cannot hold.

NaN and infinities are written as null. A lone surrogate is written as U+FFFD, a pair given as two code points is
joined. Numbers that only Python's parser takes (NaN, Infinity) are read, never refused. Integers keep all their digits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

# What msgspec does not take though JSON has a form for it: other mappings, and subclasses such as numpy's floats.
_PLAIN: tuple[tuple[type, Callable[[Any], object]], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (Mapping, dict),
)


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool):  # msgspec asks about these where they are keys only
        raise TypeError(f"a key of type {type(value).__name__} has no JSON form")
    for kind, plain in _PLAIN:
        if isinstance(value, kind):
            return plain(value)
    raise TypeError(f"a value of type {type(value).__name__} has no JSON form")


# Levels of JSON inside one another: far more than any API's, and few enough for copying, pickling and printing, each of
# which takes some of Python's stack for every level.
DEPTH = 200

_encoder = msgspec.json.Encoder(enc_hook=_plain)
_decoder = msgspec.json.Decoder()


def encode(value: object) -> bytes:
    """Return `value` as compact UTF-8 JSON.

    Args:
        value: JSON values, and what msgspec writes as one: attrs and dataclass instances, dates, enums, bytes (base64).

    Raises:
        TypeError: a value that has no JSON form; the message names its type.
        ValueError: nesting too deep, or a value that holds itself.
    """
    try:
        return _encode(value)
    except RecursionError:
        raise ValueError("a value is nested too deeply for JSON, or holds itself") from None


def _encode(value: object) -> bytes:
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(without_surrogates(msgspec.to_builtins(value, str_keys=True, enc_hook=_plain)))


def encode_text(value: object) -> str:
    """Return `value` as compact JSON in a str; see `encode`."""
    return encode(value).decode()


def decode(text: bytes | str, depth: int | None = DEPTH) -> Any:
    """Return the value that a JSON text says.

    Args:
        text: The text.
        depth: The most levels of arrays and objects inside one another; None is as many as the codec takes.

    Raises:
        ValueError: the text is not JSON, and the message says where; or it is nested too deeply.
    """
    try:
        value = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        value = _decode_leniently(text)
    if depth is None or len(text) <= 2 * depth:  # each level takes two brackets
        return value
    opened = text.count(b"{") + text.count(b"[") if isinstance(text, bytes) else text.count("{") + text.count("[")
    if opened > depth and _is_deeper(value, depth):  # counting the brackets costs next to nothing, and is mostly enough
        raise ValueError(f"JSON is nested more than {depth} levels deep")
    return value


def _is_deeper(value: object, depth: int) -> bool:
    """Return whether arrays and objects are nested in one another over more levels than that."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(depth):
        held = (each for holder in level for each in (holder.values() if isinstance(holder, dict) else holder))
        level = [each for each in held if isinstance(each, (dict, list))]
        if not level:
            return False
    return True


def _decode_leniently(text: bytes | str) -> Any:
    # msgspec refuses NaN, Infinity, escaped lone surrogates and a byte order mark; Python's own parser takes them.
    try:
        return json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("JSON is nested too deeply") from None


def without_surrogates(value: object) -> object:
    """Return `value` with every lone surrogate replaced by U+FFFD and every split pair joined, at any depth."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_surrogates(item) for item in value]
    return value
