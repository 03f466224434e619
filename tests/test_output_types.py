"""Values of Python types: their JSON Schema, and a JSON value made one of them."""

from __future__ import annotations

import datetime
import enum
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, TypedDict, TypeVar

import attrs
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Meta

from tests.dialects.types import drawn_types
from triptych import output_types
from triptych.mismatch import mismatches
from triptych.output_types import WrongValue, shape_of

T = TypeVar("T")
Name = NewType("Name", str)


class Colour(enum.Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


@attrs.define
class Cat:
    """A cat."""

    meows: int
    born: datetime.date | None = None


@dataclass
class Dog:
    barks: str
    meows: int = 3


class Bird(TypedDict, total=False):
    """A bird."""

    sings: str


class Point(NamedTuple):
    x: int
    y: int = 0


class Tagged(msgspec.Struct, tag="tagged", rename="camel"):
    """A struct whose keys are renamed."""

    one_two: Cat | Dog


@attrs.define
class Owner:
    """Somebody with pets: unions of classes without a tag, at every depth."""

    pet: Cat | Dog
    others: list[Cat | Dog] = attrs.field(factory=list)
    by_name: Annotated[dict[str, Cat | Dog], Meta(max_length=3)] = attrs.field(factory=dict)
    friend: Owner | None = None
    colour: Colour = Colour.RED


def loud(word: str) -> str:
    """Return a word in capitals."""
    return word.upper()


@attrs.define
class Shouted:
    """A class that changes what it is given."""

    word: str = attrs.field(converter=loud)


@attrs.define
class Checked:
    """A class that judges what it is given."""

    number: int = attrs.field(validator=attrs.validators.lt(10))


@dataclass
class Box(Generic[T]):
    """A box of anything."""

    content: T
    rest: list[T] = field(default_factory=list)


@dataclass
class Shelf:
    """Boxes of two kinds."""

    box: Box[int] | Box[str]


class Money:
    """A class that nobody knows."""

    def __init__(self, cents: int) -> None:
        self.cents = cents


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (Cat, {"meows": 1, "born": "2020-01-31"}, Cat(1, datetime.date(2020, 1, 31))),
        (Cat, {"meows": 5.0}, Cat(5)),
        (Cat, {"meows": 1, "extra": True}, Cat(1)),
        (Dog, {"barks": "x"}, Dog("x")),
        (Bird, {"sings": "x"}, {"sings": "x"}),
        (Point, [1], Point(1)),
        (Tagged, {"type": "tagged", "oneTwo": {"barks": "x"}}, Tagged(Dog("x"))),
        (list[Cat], [{"meows": 1}], [Cat(1)]),
        (dict[str, Cat], {"a": {"meows": 1}}, {"a": Cat(1)}),
        (dict[int, str], {"1": "x"}, {1: "x"}),
        (tuple[int, Cat | Dog], [1, {"meows": 2}], (1, Cat(2))),
        (set[int], [1, 2], {1, 2}),
        (Optional[Cat], None, None),  # noqa: UP045  # the older spelling is a type too
        (Cat | Dog, {"barks": "x", "meows": 1}, Dog("x", 1)),
        (Cat | Dog | None, {"meows": 1}, Cat(1)),
        (int | str, "5", "5"),
        (Colour, "blue", Colour.BLUE),
        (Literal["a", 1], 1, 1),
        (Name, "x", "x"),
        (Annotated[int, Meta(ge=0)], 4, 4),
        (Decimal, "1.50", Decimal("1.50")),
        (datetime.date | str, "2020-01-31", datetime.date(2020, 1, 31)),
        (datetime.date | str, "soon", "soon"),
        (Shouted, {"word": "x"}, Shouted("X")),
        (list[Shouted], [{"word": "x"}], [Shouted("X")]),
        (Box[int], {"content": 1, "rest": [2]}, Box(1, [2])),
        (Shelf, {"box": {"content": "x"}}, Shelf(Box("x"))),
        (Any, {"a": [1]}, {"a": [1]}),
        (dict, {"a": 1}, {"a": 1}),
        (
            Owner,
            {
                "pet": {"barks": "x"},
                "others": [{"meows": 1}],
                "by_name": {"a": {"barks": "y"}},
                "friend": {"pet": {"meows": 2}, "colour": "blue"},
            },
            Owner(Dog("x"), [Cat(1)], {"a": Dog("y")}, Owner(Cat(2), colour=Colour.BLUE)),
        ),
    ],
)
def test_a_json_value_becomes_a_value_of_the_type(kind: Any, value: Any, expected: Any) -> None:
    shape = shape_of(kind)
    assert mismatches(shape.schema, value) == []
    made = shape.structure(value)
    assert made == expected
    assert type(made) is type(expected)


def test_the_schema_of_classes_without_a_tag_names_each() -> None:
    cat = {
        "title": "Cat",
        "description": "A cat.",
        "type": "object",
        "properties": {
            "meows": {"type": "integer"},
            "born": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
        },
        "required": ["meows"],
    }
    dog = {
        "title": "Dog",
        "type": "object",
        "properties": {"barks": {"type": "string"}, "meows": {"type": "integer", "default": 3}},
        "required": ["barks"],
    }
    assert shape_of(Cat | Dog).schema == {
        "anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
        "$defs": {"Cat": cat, "Dog": dog},
    }
    assert shape_of(Cat).schema == cat


def test_the_schema_of_a_class_within_itself_says_what_it_is_at_its_root() -> None:
    schema = shape_of(Owner).schema
    assert (schema["type"], schema["required"]) == ("object", ["pet"])
    assert schema["properties"]["friend"] == {"anyOf": [{"$ref": "#/$defs/Owner"}, {"type": "null"}], "default": None}
    assert schema["properties"]["by_name"]["maxProperties"] == 3
    assert schema["properties"]["colour"] == {"$ref": "#/$defs/Colour", "default": "red"}
    assert sorted(schema["$defs"]) == ["Cat", "Colour", "Dog", "Owner"]


def test_metadata_of_annotations_reaches_the_schema_however_it_is_made() -> None:
    described = Annotated[str, Meta(description="How it is called.", max_length=3)]
    alone: Any = dataclass(type("Alone", (), {"__annotations__": {"name": described}}))
    beside: Any = dataclass(type("Beside", (), {"__annotations__": {"name": described, "pet": Cat | Dog}}))
    said = {"type": "string", "description": "How it is called.", "maxLength": 3}
    assert shape_of(alone).schema["properties"]["name"] == said
    assert shape_of(beside).schema["properties"]["name"] == said


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (Cat, {"meows": 1, "born": "soon"}, "$.born: Invalid RFC3339 encoded date"),
        (Owner, {"pet": {"meows": 1}, "others": [{"meows": "x"}]}, "expected Cat or Dog, got {'meows': 'x'} (dict)"),
        (Owner, {"pet": {"meows": 1}, "others": [{"meows": 1, "born": "soon"}]}, "$.others[0].born: Invalid RFC3339"),
        (Checked, {"number": 11}, "$: 'number' must be < 10: 11"),
    ],
)
def test_what_the_schema_cannot_say_is_found_by_the_type(kind: Any, value: Any, words: str) -> None:
    with pytest.raises(WrongValue) as caught:
        shape_of(kind).structure(value)
    assert words in str(caught.value)


def test_a_form_is_worked_out_once_for_each_type() -> None:
    assert shape_of(Owner) is shape_of(Owner)
    assert shape_of(list[Owner]) is shape_of(list[Owner])
    unhashable = Annotated[int, Meta(extra_json_schema={"examples": [1]})]
    assert shape_of(unhashable).schema == {"type": "integer", "examples": [1]}


def test_an_annotation_that_cannot_be_found_is_named() -> None:
    @attrs.define
    class Inner:
        outer: Inner | None = None

    with pytest.raises(TypeError, match="name 'Inner' is not defined, where its class is"):
        shape_of(Inner)


@pytest.fixture
def hooks() -> Iterator[None]:
    """Forget, after a test, what it told the converter."""
    yield
    vars(output_types).pop("converter", None)
    output_types._shape_of.cache_clear()


@pytest.mark.usefixtures("hooks")
def test_a_hook_makes_values_of_a_class_that_nobody_knows() -> None:
    with pytest.raises(TypeError, match="a type has no JSON form"):
        shape_of(list[Money])
    output_types.converter.register_structure_hook(Money, lambda cents, _: Money(cents))
    assert shape_of(list[Money]).schema == {"type": "array", "items": {}}
    assert [money.cents for money in shape_of(list[Money]).structure([5])] == [5]


@pytest.mark.usefixtures("hooks")
def test_a_hook_is_asked_for_a_class_that_is_known_too() -> None:
    assert shape_of(list[Cat]).structure([{"meows": 1}]) == [Cat(1)]
    output_types.converter.register_structure_hook(Cat, lambda value, _: Cat(value["meows"] * 2))
    assert shape_of(list[Cat]).structure([{"meows": 1}]) == [Cat(2)]
    assert shape_of(Dog).structure({"barks": "x"}) == Dog("x")


def test_pydantic_models_are_taken_where_pydantic_is() -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Model", a=(int, ...), more=(dict[str, int], {}))
    shape = shape_of(model)
    assert (shape.name, shape.schema["required"]) == ("Model", ["a"])
    assert shape.structure({"a": 1}) == model(a=1)
    either = shape_of(Cat | model)
    assert either.structure({"a": 2}) == model(a=2)
    assert either.structure({"meows": 2}) == Cat(2)
    with pytest.raises(WrongValue) as caught:
        shape.structure({"a": "x"})
    assert str(caught.value).startswith("$.a: Input should be a valid integer")


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.data())
def test_an_instance_of_a_drawn_type_comes_back_from_its_json(data: st.DataObject) -> None:
    drawn = data.draw(drawn_types())
    shape = shape_of(drawn.type)
    instance = data.draw(drawn.values)
    said = json.loads(msgspec.json.encode(instance))
    assert mismatches(shape.schema, said) == []
    assert shape.structure(said) == instance


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.data())
def test_an_instance_of_one_of_two_drawn_types_comes_back_too(data: st.DataObject) -> None:
    first, second = data.draw(drawn_types(depth=2)), data.draw(drawn_types(depth=2))
    left: Any = attrs.make_class("Left", {"left": attrs.field(type=first.type)})
    right: Any = attrs.make_class("Right", {"right": attrs.field(type=second.type)})
    left.__annotations__, right.__annotations__ = {"left": first.type}, {"right": second.type}
    shape = shape_of(dict[str, left | right])
    instance = data.draw(st.dictionaries(st.text("ab"), first.values.map(left) | second.values.map(right), max_size=2))
    said = json.loads(msgspec.json.encode(instance))
    assert mismatches(shape.schema, said) == []
    assert shape.structure(said) == instance


def test_a_union_with_which_msgspec_brings_the_interpreter_down_is_put_together_from_its_parts() -> None:
    code = (
        "from typing import Annotated\n"
        "from msgspec import Meta\n"
        "from triptych import LlmRequest, tool\n"
        "from triptych.output_types import shape_of\n"
        "Bounded = Annotated[int, Meta(ge=0)] | tuple[str, int]\n"
        "print(shape_of(list[Bounded]).structure([5, ['a', 1]]))\n"
        "@tool\n"
        "def f(x: Bounded) -> str:\n"
        "    return repr(x)\n"
        "print(f.execute(x=['a', 1]), f.parameters['properties']['x']['anyOf'][0])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "[5, ('a', 1)]\n('a', 1) {'type': 'integer', 'minimum': 0}\n"
