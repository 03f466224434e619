"""Read the definitions of a JSON Schema into shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.drift.shape import ANY, BOOLEAN, NOTHING, NUMBER, OBJECT, STRING, Object, Place, constants, join, kind

KINDS = {
    "string": kind(STRING),
    "integer": kind(NUMBER),
    "number": kind(NUMBER),
    "boolean": kind(BOOLEAN),
    "null": NOTHING,  # what may be null differs from package to package and says nothing about the API
}


class SchemaReader:
    """Reads one schema's `$defs`; a definition gives the same `Object` however often it is met."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Take a whole schema file, decoded."""
        self._definitions: Mapping[str, Any] = schema["$defs"]
        self._objects: dict[str, Object] = {}

    def definition(self, name: str) -> Place:
        """Return what the definition `name` describes.

        Raises:
            KeyError: the schema has no such definition.
        """
        return self._place(self._definitions[name], name)

    def _place(self, schema: Mapping[str, Any], name: str) -> Place:
        if "$ref" in schema:
            return self.definition(schema["$ref"].rpartition("/")[2])
        for union in ("oneOf", "anyOf"):
            if union in schema and "properties" not in schema:  # beside properties it only says which go together
                return join(self._place(branch, f"{name}|{n}") for n, branch in enumerate(schema[union]))
        if "const" in schema or "enum" in schema:
            return constants(schema.get("enum", [schema.get("const")]))
        return self._typed(schema, name)

    def _typed(self, schema: Mapping[str, Any], name: str) -> Place:
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if not types:
            return kind(ANY)
        # `examples` beside a free string are the values that its provider names and does not promise to be all.
        return join([constants(schema.get("examples", [])), *(self._one_type(one, schema, name) for one in types)])

    def _one_type(self, type_: str, schema: Mapping[str, Any], name: str) -> Place:
        if type_ == "array":
            return Place(items=self._place(schema.get("items", {}), f"{name}[]"))
        if type_ != "object":
            return KINDS[type_]
        if schema.get("properties"):
            return Place(objects=(self._object(schema, name),))
        entries = schema.get("additionalProperties")
        return Place(entries=self._place(entries, f"{name}{{}}")) if isinstance(entries, dict) else kind(OBJECT)

    def _object(self, schema: Mapping[str, Any], name: str) -> Object:
        if name not in self._objects:
            properties: Mapping[str, Any] = schema["properties"]
            self._objects[name] = Object(
                name, lambda: {key: self._place(value, f"{name}.{key}") for key, value in properties.items()}
            )
        return self._objects[name]
