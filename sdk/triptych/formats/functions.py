"""What OpenAI's APIs, and those like them, ask of the JSON Schemas that go with a request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from triptych.request import OutputSchema
from triptych.tools import BaseTool

_OUTPUT_NAME = "output"
_NAME = re.compile(r"[^a-zA-Z0-9_-]+")


def arguments_schema(tool: BaseTool) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments; one without arguments gets an empty object schema."""
    parameters: Mapping[str, Any] = tool.parameters or {"type": "object"}
    if parameters.get("type") == "object" and not parameters.get("properties"):
        closed = {"additionalProperties": False, "required": []} if tool.strict else {}
        parameters = {"properties": {}, **closed, **parameters}
    return dict(parameters)


def output_schema(output: OutputSchema) -> dict[str, Any]:
    """Return name, schema, description and strictness of an output, as far as they are known; a name there must be."""
    title = output.schema.get("title")
    name = output.name or (_NAME.sub("_", title)[:64] if isinstance(title, str) else "")
    said: dict[str, Any] = {"name": name or _OUTPUT_NAME, "schema": dict(output.schema)}
    if output.description is not None:
        said["description"] = output.description
    if output.strict is not None:
        said["strict"] = output.strict
    return said


def read_output_schema(wire: Any) -> OutputSchema | None:
    """Return the output that such an object says; None where it is none."""
    try:
        return OutputSchema(
            wire["schema"], wire["name"], description=wire.get("description"), strict=wire.get("strict")
        )
    except (KeyError, TypeError):
        return None
