"""Enums and constants: one branch for each kind of value, each with its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych import jsontext
from triptych.dialects import restoring
from triptych.dialects.merging import Schema
from triptych.dialects.restoring import Branch
from triptych.dialects.words import described, in_words

_KINDS: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
# Values that are objects or arrays: no strict mode takes them in an enum, so they are chosen by their JSON text.
_WHOLE = "whole"


def enumerated(schema: Schema, takes: frozenset[str]) -> tuple[list[Branch], list[str]]:
    """Return an enum as branches, one for each kind of value, and what of it could only be said in words.

    Args:
        schema: A schema with `enum` or `const`.
        takes: The kinds of values that the API takes in an enum.
    """
    values = schema["enum"] if "enum" in schema else [schema["const"]]
    kinds = schema.get("type")
    allowed = {kinds} if isinstance(kinds, str) else set(kinds) if kinds is not None else None
    groups: dict[str, list[Any]] = {}
    for value in values:
        kind = _KINDS.get(type(value), _WHOLE)
        if allowed is None or _is_allowed(value, kind, allowed):
            groups.setdefault("number" if kind == "integer" else kind, []).append(value)
    unsaid: list[str] = []
    return [_branch(kind, group, takes, unsaid) for kind, group in groups.items()], unsaid


def _is_allowed(value: Any, kind: str, allowed: set[str]) -> bool:
    if kind == _WHOLE:
        return ("array" if isinstance(value, list) else "object") in allowed
    return kind in allowed or (kind == "integer" and "number" in allowed)


def _branch(kind: str, values: list[Any], takes: frozenset[str], unsaid: list[str]) -> Branch:
    original = {"enum": values}
    if kind == _WHOLE:
        texts = [jsontext.encode_text(value) for value in values]
        chosen = {"type": "string", "enum": texts, "description": "JSON text"}
        return Branch(chosen, original, restoring.from_text)
    whole = kind == "number" and all(isinstance(value, int) for value in values)
    said: Schema = {"type": "integer" if whole else kind}
    if kind == "null" or (kind == "boolean" and len(values) == 2):
        return Branch(said, original, None)
    if kind in takes:
        return Branch({**said, "enum": values}, original, None)
    unsaid.append(in_words("enum", values))
    return Branch({**said, "description": described(None, unsaid[-1:])}, original, None)
