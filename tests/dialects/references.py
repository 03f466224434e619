"""What each API's reference takes, written down a second time, and values as a model writes them for a schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

_ALL = {"type", "description", "properties", "required", "items", "enum", "anyOf", "$ref", "$defs"}
_ALL |= {"additionalProperties"}
_BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}

KEYWORDS: dict[str, set[str]] = {
    "openai": _ALL | _BOUNDS | {"pattern", "format", "multipleOf", "minItems", "maxItems"},
    "anthropic": _ALL | {"pattern", "format", "minItems"},
    "bedrock": _ALL | {"pattern", "format", "minItems"},
    "gemini": _ALL | {"prefixItems", "minItems", "maxItems", "minimum", "maximum", "format", "propertyOrdering"},
    "mistral": _ALL
    | _BOUNDS
    | {"prefixItems", "pattern", "format", "multipleOf", "uniqueItems"}
    | {"minItems", "maxItems", "minLength", "maxLength"},
    "cohere": _ALL | {"pattern", "format"},
    "ollama": _ALL | _BOUNDS | {"pattern", "format", "minItems", "maxItems", "minLength", "maxLength"},
}
CLOSED = {"openai", "anthropic", "bedrock", "mistral"}
OBJECT_ROOT = {"openai", "anthropic", "bedrock", "mistral", "cohere"}
NO_OPEN_TYPE = {"openai", "anthropic", "bedrock"}
NO_RECURSION = {"anthropic", "bedrock"}


def nodes(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema within a schema with its path, definitions included."""
    assert isinstance(schema, dict), f"{path}: {schema}"
    yield path, schema
    for keyword in ("properties", "$defs"):
        for name, each in schema.get(keyword, {}).items():
            yield from nodes(each, f"{path}/{keyword}/{name}")
    for keyword in ("anyOf", "prefixItems"):
        for index, each in enumerate(schema.get(keyword, [])):
            yield from nodes(each, f"{path}/{keyword}/{index}")
    for keyword in ("items", "additionalProperties"):
        if keyword in schema and not isinstance(schema[keyword], bool):
            yield from nodes(schema[keyword], f"{path}/{keyword}")


def complaints(api: str, schema: dict[str, Any]) -> list[str]:
    """Return what an API would refuse of a schema."""
    found = ["the root is no object"] if api in OBJECT_ROOT and schema.get("type") != "object" else []
    for path, node in nodes(schema):
        found += [f"{path}: {keyword}" for keyword in node if keyword not in KEYWORDS[api]]
        if "$ref" in node and node.keys() - {"$ref"}:
            found.append(f"{path}: beside $ref {node.keys()}")
        if api in CLOSED and node.get("type") == "object" and node.get("additionalProperties") is not False:
            found.append(f"{path}: open object")
        if api == "openai" and list(node.get("properties", {})) != node.get("required", []):
            found.append(f"{path}: not all required")
        if api in ("openai", "gemini") and node.get("type") == "array" and not node.keys() & {"items", "prefixItems"}:
            found.append(f"{path}: array without items")
        if api in NO_OPEN_TYPE and not node.keys() & {"type", "anyOf", "$ref"}:
            found.append(f"{path}: no type")
        if node.get("minItems", 0) > 1 and api in ("anthropic", "bedrock"):
            found.append(f"{path}: minItems")
        if "anyOf" in node and node.keys() - {"anyOf", "description", "$defs"}:
            found.append(f"{path}: beside anyOf {node.keys()}")
        if len({type(value) for value in node.get("enum", [])}) > 1:
            found.append(f"{path}: enum of several types")
        if api == "cohere" and node.get("properties") and not node.get("required"):
            found.append(f"{path}: nothing required")
    return found


def valid(value: Any, schema: Any, definitions: dict[str, Any]) -> bool:
    """Say whether a value follows a schema."""
    return Draft202012Validator({**schema, "$defs": definitions}).is_valid(value)


def written(value: Any, schema: dict[str, Any]) -> Any:
    """Return a JSON value as a model writes it that is held to an adapted schema."""
    wrapped = list(schema.get("properties", {})) == ["value"]  # no drawn class has a field of this name
    return _written({"value": value} if wrapped else value, schema, schema.get("$defs", {}))


def _written(value: Any, schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _written(value, definitions[schema["$ref"].rpartition("/")[2]], definitions)
    for branch in schema.get("anyOf", []):
        candidate = _written(value, branch, definitions)
        if valid(candidate, branch, definitions):
            return candidate
    kinds = schema.get("type", ["anything"])
    if "object" in kinds and isinstance(value, dict) and list(schema.get("properties", {})) == ["entries"]:
        value = {"entries": value}
    if (
        "array" in kinds
        and isinstance(value, dict)
        and list(schema.get("items", {}).get("properties", {})) == ["key", "value"]
    ):
        value = [{"key": key, "value": each} for key, each in value.items()]
    if "object" in kinds and isinstance(value, list) and "item_1" in schema.get("properties", {}):
        value = {f"item_{index}": each for index, each in enumerate(value, 1)}
    if "JSON text" in schema.get("description", "") and not isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, dict):
        return _written_object(value, schema, definitions)
    if isinstance(value, list):
        prefix = schema.get("prefixItems", [])
        each = [*prefix, *[schema.get("items", {})] * (len(value) - len(prefix))]
        return [_written(item, said, definitions) for item, said in zip(value, each, strict=False)]
    return value


def _written_object(value: dict[str, Any], schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
    whole = {**dict.fromkeys(schema.get("required", [])), **value}
    return {
        name: _written(each, properties.get(name, rest if isinstance(rest, dict) else {}), definitions)
        if name in value
        else each
        for name, each in whole.items()
    }
