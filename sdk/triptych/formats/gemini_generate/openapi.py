"""Schemas in the API's subset of OpenAPI, read as JSON Schema; and what the API demands of a JSON Schema.

Reference: https://ai.google.dev/api/caching#Schema
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.formats.gemini_generate.spelling import camel

# By its number in the protocol.
_TYPES = (None, "string", "number", "integer", "boolean", "array", "object", "null")
_NAMES = {"defs": "$defs", "ref": "$ref"}
_BY_NAME = frozenset({"properties", "$defs"})
_INSIDE = frozenset({"items", "additionalProperties", "anyOf", "prefixItems"})
_COUNTS = frozenset({"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"})
_UNSAID = frozenset({"nullable", "propertyOrdering", "type"})


def json_schema(schema: Any) -> Any:
    """Return the JSON Schema that means what a schema of the API's means; a JSON Schema comes back as it was.

    Args:
        schema: The schema, its types as names in capitals or as numbers.
    """
    if isinstance(schema, list):
        return [json_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    read: dict[str, Any] = {}
    kind = _type(schema)
    if kind is not None:
        read["type"] = kind
    for key, value in schema.items():
        name = _NAMES.get(camel(key), camel(key))
        if name in _BY_NAME and isinstance(value, dict):
            read[name] = {inner: json_schema(one) for inner, one in value.items()}
        elif name in _INSIDE:
            read[name] = json_schema(value)
        elif name in _COUNTS:
            read[name] = int(value) if isinstance(value, str) and value.isdigit() else value
        elif name not in _UNSAID:
            read[name] = value
    return read


def _type(schema: Mapping[str, Any]) -> Any:
    kind = schema.get("type")
    if isinstance(kind, int) and 0 <= kind < len(_TYPES):
        kind = _TYPES[kind]
    elif isinstance(kind, str):
        kind = None if kind == "TYPE_UNSPECIFIED" else kind.lower()
    return [kind, "null"] if schema.get("nullable") and isinstance(kind, str) and kind != "null" else kind


def with_items(schema: Any) -> Any:
    """Return a JSON Schema in which every array says what is in it: itself where that is so already.

    The API refuses an array without; `{}` there is anything. Schemas in capitals are left as they are.
    """
    if isinstance(schema, list):
        many = [with_items(one) for one in schema]
        return schema if all(one is before for one, before in zip(many, schema, strict=True)) else many
    if not isinstance(schema, dict):
        return schema
    whole = {name: with_items(value) if isinstance(value, (dict, list)) else value for name, value in schema.items()}
    if schema.get("type") == "array" and not schema.keys() & {"items", "prefixItems"}:
        return {**whole, "items": {}}
    return schema if all(whole[name] is value for name, value in schema.items()) else whole
