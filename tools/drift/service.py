"""Read the shapes of an AWS service model, as botocore has them, into ours."""

from __future__ import annotations

from typing import Any

from tools.drift.shape import ANY, BOOLEAN, NUMBER, OBJECT, STRING, Object, Place, constants, kind

KINDS = {
    "string": kind(STRING),
    "character": kind(STRING),
    "blob": kind(STRING),  # base64 in a JSON body
    "timestamp": kind(NUMBER),
    "integer": kind(NUMBER),
    "long": kind(NUMBER),
    "float": kind(NUMBER),
    "double": kind(NUMBER),
    "boolean": kind(BOOLEAN),
}


class ServiceReader:
    """Reads the shapes of one service; a structure gives the same `Object` however often it is met."""

    def __init__(self, service: Any) -> None:
        """Take a botocore ServiceModel."""
        self._service = service
        self._objects: dict[str, Object] = {}

    def shape(self, name: str) -> Place:
        """Return what the shape `name` looks like in a JSON body."""
        return self._place(self._service.shape_for(name))

    def _place(self, shape: Any) -> Place:
        if getattr(shape, "is_document_type", False):
            return kind(ANY)
        if shape.type_name == "structure":
            return Place(objects=(self._object(shape),)) if shape.members else kind(OBJECT)
        if shape.type_name == "list":
            return Place(items=self._place(shape.member))
        if shape.type_name == "map":
            entries = self._place(shape.value)
            return kind(OBJECT) if ANY in entries.kinds else Place(entries=entries)
        return constants(shape.enum) if getattr(shape, "enum", None) else KINDS[shape.type_name]

    def _object(self, shape: Any) -> Object:
        if shape.name not in self._objects:
            # Members that travel in the URL or in headers are no part of the body.
            members = {key: one for key, one in shape.members.items() if "location" not in one.serialization}
            self._objects[shape.name] = Object(
                shape.name,
                lambda: {one.serialization.get("name", key): self._place(one) for key, one in members.items()},
            )
        return self._objects[shape.name]
