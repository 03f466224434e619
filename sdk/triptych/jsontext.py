"""JSON text in and out: one codec (msgspec) with the house's answers to the values that JSON cannot hold.

NaN and infinities are written as null. A lone surrogate is written as U+FFFD, a pair given as two code points is
joined. Numbers that only Python's parser takes (NaN, Infinity) are read, never refused.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


def encode(value: object) -> bytes:
    """Return `value` as compact UTF-8 JSON.

    Args:
        value: JSON values, and what msgspec writes as one: attrs and dataclass instances, dates, enums, bytes (base64).

    Raises:
        TypeError: a value that has no JSON form; the message names its type.
    """
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(without_surrogates(value))


def encode_text(value: object) -> str:
    """Return `value` as compact JSON in a str; see `encode`."""
    return encode(value).decode()


def decode(text: bytes | str) -> Any:
    """Return the value that a JSON text says.

    Raises:
        ValueError: the text is not JSON; the message says where.
    """
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return _decode_leniently(text)


def _decode_leniently(text: bytes | str) -> Any:
    # msgspec refuses NaN, Infinity, escaped lone surrogates and a byte order mark; Python's own parser takes them.
    try:
        return json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
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
