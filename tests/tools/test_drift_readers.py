"""Tests of the readers of package types: each way of writing a type gives the shape that a schema of it gives."""

from __future__ import annotations

import datetime
import enum
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Annotated, Any, Literal, NotRequired, Required, TypeVar, Union

import pydantic
import pytest
from attrs import frozen
from botocore.model import ServiceModel  # type: ignore[import-untyped]
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType, TypedDict

from tools.drift.annotations import AnnotationReader
from tools.drift.compare import compare
from tools.drift.schema import SchemaReader
from tools.drift.service import ServiceReader
from tools.drift.shape import Place

Item = TypeVar("Item")
Maybe = TypeAliasType("Maybe", Union[Item, None], type_params=(Item,))  # noqa: UP007 - as packages write it
TEXT = {"type": "string"}


@frozen
class Alias:
    """A mark that carries a wire name, as several packages have their own."""

    alias: str


class Colour(enum.Enum):
    """An enum."""

    RED = "red"
    BLUE = "blue"


class Typed(TypedDict, total=False):
    """A TypedDict with what the packages write into theirs."""

    name: Required[str]
    from_: Annotated[str, Alias("from")]
    until: Required[Annotated[int, Alias("to")]]
    colours: Iterable[Colour]
    child: Typed


class Model(pydantic.BaseModel):
    """A model whose fields are written in camelCase."""

    model_config = pydantic.ConfigDict(alias_generator=to_camel)
    first_name: str
    schema_: dict[str, Any] = pydantic.Field(alias="schema")
    hidden: str = pydantic.Field(exclude=True)


class Empty(TypedDict):
    """An object with no fields of its own."""


class Bad:
    """A class that is no type of JSON."""


def same(place: Place, schema: Mapping[str, Any]) -> bool:
    """Return whether a place is what a schema says, no more and no less."""
    return compare(SchemaReader({"$defs": {"Root": schema}}).definition("Root"), place, "Root") == []


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, TEXT),
        (bytes, TEXT),
        (datetime.datetime, TEXT),
        (bool, {"type": "boolean"}),
        (float, {"type": "number"}),
        (Literal["a", "b", None], {"enum": ["a", "b"]}),
        (Literal[Colour.RED], {"const": "red"}),
        (Colour, {"enum": ["red", "blue"]}),
        (str | Literal["a"], {"type": "string", "examples": ["a"]}),
        (Literal["a"] | Any, {"type": "string", "examples": ["a"]}),
        (str | None, TEXT),
        (list[str], {"type": "array", "items": TEXT}),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, list[str]], {"type": "object", "additionalProperties": {"type": "array", "items": TEXT}}),
        (Mapping[str, object], {"type": "object"}),
        (Annotated[str, "a note"], TEXT),
        (Maybe[list[str]], {"type": "array", "items": TEXT}),
        (str | IO[bytes] | Callable[..., int], TEXT),
        (Empty, {"type": "object"}),
        (Any, {}),
    ],
)
def test_an_annotation_reads_as_its_schema(annotation: Any, schema: Mapping[str, Any]) -> None:
    assert same(AnnotationReader().place(annotation), schema)


def test_a_typed_dict_has_its_wire_names() -> None:
    (read,) = AnnotationReader().place(Typed).objects
    assert list(read.fields) == ["name", "from", "to", "colours", "child"]
    assert same(read.fields["colours"], {"type": "array", "items": {"enum": ["red", "blue"]}})
    assert read.fields["child"].objects == (read,)


def test_a_model_has_its_wire_names_and_nothing_that_it_does_not_write() -> None:
    (read,) = AnnotationReader().place(Model).objects
    assert list(read.fields) == ["firstName", "schema"]


def test_the_arguments_of_a_function_are_an_object() -> None:
    def call(self: object, *, model: str, stop: Literal["a", "b"], options: int) -> None:
        """Take what a client's method takes."""

    (read,) = AnnotationReader().arguments(call, frozenset({"options"})).objects
    assert list(read.fields) == ["model", "stop"]
    assert same(read.fields["stop"], {"enum": ["a", "b"]})


def test_a_class_that_writes_itself_otherwise_reads_as_it_is_written() -> None:
    assert same(AnnotationReader({Model: str}).place(list[Model]), {"type": "array", "items": TEXT})


@pytest.mark.parametrize("annotation", [Bad, "a text", NotRequired, sys.modules])
def test_what_no_rule_is_for_is_refused_with_its_name(annotation: Any) -> None:
    with pytest.raises(TypeError, match="no rule for"):
        AnnotationReader().place(annotation)


def test_a_service_model_reads_as_the_json_of_its_bodies() -> None:
    structure = {
        "modelId": {"shape": "Word", "location": "uri"},
        "colour": {"shape": "Colour"},
        "words": {"shape": "Words"},
        "bytes": {"shape": "Bytes"},
        "free": {"shape": "Free"},
        "byName": {"shape": "ByName"},
        "none": {"shape": "None"},
        "inner": {"shape": "Outer"},
    }
    shapes: dict[str, dict[str, Any]] = {
        "Outer": {"type": "structure", "members": structure},
        "Word": {"type": "string"},
        "Colour": {"type": "string", "enum": ["red", "blue"]},
        "Words": {"type": "list", "member": {"shape": "Word"}},
        "Bytes": {"type": "blob"},
        "Free": {"type": "structure", "members": {}, "document": True},
        "ByName": {"type": "map", "key": {"shape": "Word"}, "value": {"shape": "Words"}},
        "None": {"type": "structure", "members": {}},
    }
    (read,) = ServiceReader(ServiceModel({"metadata": {}, "shapes": shapes})).shape("Outer").objects
    inner = read.fields["inner"]
    assert inner.objects == (read,)
    assert {name: place for name, place in read.fields.items() if name != "inner"} == {
        name: SchemaReader({"$defs": {"Root": schema}}).definition("Root")
        for name, schema in {
            "colour": {"enum": ["red", "blue"]},
            "words": {"type": "array", "items": TEXT},
            "bytes": TEXT,
            "free": {},
            "byName": {"type": "object", "additionalProperties": {"type": "array", "items": TEXT}},
            "none": {"type": "object"},
        }.items()
    }
