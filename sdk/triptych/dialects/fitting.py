"""Whether a value has the shape that a schema says: enough to tell the branches of a union apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from triptych.dialects.references import target


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _is_of(kind: str, value: Any) -> bool:
    return kind in _KINDS and _KINDS[kind](value)


def _among(value: Any, known: Iterable[Any]) -> bool:
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in known)


@frozen
class Fitting:
    """Says whether values have the shapes that schemas say: types, enums, properties and items, no bounds.

    Args:
        lookup: Returns what a schema with a `$ref` or an `allOf` says without them.
        further: Whether an object may have properties that its schema neither names nor forbids.
    """

    lookup: Callable[[Mapping[str, Any]], Any]
    further: bool = True

    def __call__(self, value: Any, schema: Any) -> bool:
        """Say whether a value has the shape that a schema says."""
        if isinstance(schema, bool):
            return schema
        if "$ref" in schema or "allOf" in schema:
            schema = self.lookup(schema)
        kinds = schema.get("type")
        listed = [kinds] if isinstance(kinds, str) else kinds
        if listed is not None and not any(_is_of(kind, value) for kind in listed):
            return bool(schema.get("nullable")) and value is None
        if "enum" in schema and not _among(value, schema["enum"]):
            return False
        if "const" in schema and not _among(value, [schema["const"]]):
            return False
        unions = [schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema]
        if not all(any(self(value, each) for each in union) for union in unions):
            return False
        if isinstance(value, dict):
            return self._fits_object(value, schema)
        return not isinstance(value, list) or self._fits_array(value, schema)

    def _fits_object(self, value: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
        properties = schema.get("properties", {})
        if any(name not in value for name in schema.get("required", [])):
            return False
        rest = schema.get("additionalProperties", self.further or not properties)
        rest = True if "patternProperties" in schema else rest
        return all(self(each, properties.get(name, rest)) for name, each in value.items())

    def _fits_array(self, value: Sequence[Any], schema: Mapping[str, Any]) -> bool:
        prefix = schema.get("prefixItems", [])
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return False
        if not all(self(item, each) for item, each in zip(value, prefix, strict=False)):
            return False
        return all(self(item, schema.get("items", True)) for item in value[len(prefix) :])


def referred(definitions: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Return the lookup of adapted schemas: the definition that a `$ref` names."""
    return lambda schema: definitions[target(schema) or ""]
