"""OutputSchema: what an answer shall be, given as a type, as a JSON Schema, or whole."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NewType, Optional

import attrs
import pytest
from msgspec import Meta

from triptych import LlmRequest, OutputSchema

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
Metres = NewType("Metres", float)


@attrs.define
class Cat:
    """A cat."""

    name: str


@dataclass
class Dog:
    name: str
    barks: bool = True


CAT_SCHEMA = {
    "title": "Cat",
    "description": "A cat.",
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
}


def test_a_type_becomes_its_schema_by_its_name_and_strict() -> None:
    output = OutputSchema.of(Cat)
    assert output == OutputSchema(CAT_SCHEMA, "Cat", strict=True, type=Cat)
    assert (output.mode, output.repairs) == ("auto", 0)


def test_everything_may_be_said_of_a_type() -> None:
    output = OutputSchema.of(Cat, mode="tool", repairs=2, name="pet", description="The pet.", strict=None)
    assert output == OutputSchema(
        CAT_SCHEMA, "pet", description="The pet.", strict=None, mode="tool", repairs=2, type=Cat
    )


def test_a_schema_alone_has_no_type_and_says_nothing_of_strictness() -> None:
    output = OutputSchema(SCHEMA)
    assert (output.name, output.description, output.strict, output.type) == (None, None, None, None)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Cat, "Cat"),
        (Dog, "Dog"),
        (list[Cat], None),
        (dict[str, Cat], None),
        (Cat | Dog, None),
        (Optional[Cat], None),  # noqa: UP045  # the older spelling is a type too
        (Literal["a", "b"], None),
        (Annotated[int, Meta(ge=0)], None),
        (Metres, None),
        (int, None),
        (str | None, None),
    ],
)
def test_a_request_takes_any_type(kind: Any, name: str | None) -> None:
    output = LlmRequest(contents="q", output_type=kind).output_type
    assert output == OutputSchema.of(kind)
    assert output is not None
    assert (output.type, output.name) == (kind, name)


def test_a_request_takes_a_schema_and_an_output() -> None:
    assert LlmRequest(output_type=SCHEMA).output_type == OutputSchema(SCHEMA)
    whole = OutputSchema.of(Cat, repairs=1)
    assert LlmRequest(output_type=whole).output_type is whole
    assert LlmRequest(output_type=None).output_type is None


def test_a_type_without_a_json_form_shows_where_it_is_written() -> None:
    with pytest.raises(TypeError, match="a type has no JSON form: <class 'object'>"):
        LlmRequest(output_type=list[object])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mode": "jsn"}, "OutputSchema.mode: expected one of 'auto', 'native', 'tool', 'prompted', got 'jsn' (str)"),
        ({"repairs": -1}, "OutputSchema.repairs: expected 0 or more, got -1"),
        ({"repairs": "2"}, "OutputSchema.repairs: expected int, got '2' (str)"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        OutputSchema(SCHEMA, **fields)
    assert str(caught.value) == message


def test_a_request_with_a_type_can_be_pickled() -> None:
    request = LlmRequest(contents="q", output_type=Cat)
    assert pickle.loads(pickle.dumps(request)) == request
