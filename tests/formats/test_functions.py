"""Schemas of arguments and outputs as OpenAI's APIs want them."""

from __future__ import annotations

from typing import Any

import pytest

from triptych.formats.functions import arguments_schema, output_schema, read_output_schema
from triptych.request import OutputSchema
from triptych.tools import BaseTool

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
CLOSED = {"type": "object", "properties": {}, "additionalProperties": False, "required": []}


@pytest.mark.parametrize(
    ("tool", "schema"),
    [
        (BaseTool("f", parameters=SCHEMA), SCHEMA),
        (BaseTool("f"), {"type": "object", "properties": {}}),
        (
            BaseTool("f", parameters={"type": "object", "title": "t"}),
            {"type": "object", "properties": {}, "title": "t"},
        ),
        (BaseTool("f", strict=True), CLOSED),
    ],
)
def test_arguments_are_an_object_schema_with_properties(tool: BaseTool, schema: dict[str, Any]) -> None:
    """B033."""
    assert arguments_schema(tool) == schema


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (OutputSchema(SCHEMA), {"name": "output", "schema": SCHEMA}),
        (OutputSchema({**SCHEMA, "title": "A b"}), {"name": "A_b", "schema": {**SCHEMA, "title": "A b"}}),
        (
            OutputSchema(SCHEMA, "n", description="d", strict=False),
            {"name": "n", "schema": SCHEMA, "description": "d", "strict": False},
        ),
    ],
)
def test_an_output_has_a_name_and_is_read_back(output: OutputSchema, said: dict[str, Any]) -> None:
    assert output_schema(output) == said
    assert read_output_schema(said) == OutputSchema(
        output.schema, said["name"], description=output.description, strict=output.strict
    )


@pytest.mark.parametrize("wire", [None, {}, {"name": "n"}, {"schema": SCHEMA}, {"name": "n", "schema": "x"}, "text"])
def test_what_is_no_output_is_none(wire: Any) -> None:
    assert read_output_schema(wire) is None
