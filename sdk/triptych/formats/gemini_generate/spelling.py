"""One spelling of the API's JSON: it takes several that mean the same, and clients use them all.

A name may be in camelCase or in snake_case, null says what absence says, and a list of one may be the one alone.
Objects of the caller's own (arguments, results, schemas) are left as they are.
Reference: https://protobuf.dev/programming-guides/json/
"""

from __future__ import annotations

import re
from typing import Any

_FREE = frozenset(
    {
        "args",
        "response",
        "parameters",
        "parametersJsonSchema",
        "responseSchema",
        "responseJsonSchema",
        "labels",
        "partMetadata",
        "customConfigs",
        "headers",
    }
)
_LISTS = frozenset({"contents", "parts", "tools", "functionDeclarations", "safetySettings", "candidates"})
_JOINT = re.compile(r"(?<=[a-z0-9])_([a-z0-9])")


def camel(name: str) -> str:
    """Return a name in camelCase, for either spelling of it."""
    return _JOINT.sub(lambda match: match[1].upper(), name) if "_" in name else name


def spelled(value: Any) -> Any:
    """Return JSON of the API in its one spelling: itself where it is so already.

    Args:
        value: A body, or a part of one.
    """
    return _spelled(value) if _is_odd(value) else value


def _is_odd(value: Any) -> bool:
    # Nearly every body and chunk is spelled well: to see that costs less than to make it anew.
    if isinstance(value, list):
        return any(_is_odd(item) for item in value if isinstance(item, (dict, list)))
    if not isinstance(value, dict):
        return False
    for name, inner in value.items():
        if inner is None or "_" in name:
            return True
        if name in _FREE or not isinstance(inner, (dict, list)):
            continue
        if (name in _LISTS and isinstance(inner, dict)) or _is_odd(inner):
            return True
    return False


def _spelled(value: Any) -> Any:
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {camel(name): _field(camel(name), inner) for name, inner in value.items() if inner is not None}


def _field(name: str, value: Any) -> Any:
    if name in _FREE:
        return value
    return _spelled([value] if name in _LISTS and isinstance(value, dict) else value)
