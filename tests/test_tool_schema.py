"""Tests of what a model reads of a function: the schema of its signature, the words of its docstring."""

from __future__ import annotations

import datetime
import enum
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, NewType, TypedDict

import attrs
import pytest
from jsonschema import Draft202012Validator
from msgspec import Meta, Struct

from triptych.function_tool import tool
from triptych.signature import Injected
from triptych.tool_schema import Documentation, read_docstring


@attrs.define
class Weather:
    """What the sky does."""

    city: str
    celsius: float | None = None


@dataclass
class Node:
    value: int
    children: list[Node] = field(default_factory=list)


class Place(TypedDict, total=False):
    lat: float


class Point(NamedTuple):
    x: int
    y: int = 0


class Row(Struct):
    name: str


class Unit(enum.Enum):
    C = "celsius"
    F = "fahrenheit"


UserId = NewType("UserId", int)
WEATHER = {
    "title": "Weather",
    "description": "What the sky does.",
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "celsius": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
    },
    "required": ["city"],
}


def schema_of(kind: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the schema of a parameter of a type, and the definitions that it refers to."""

    def function(it: Any) -> None: ...

    function.__annotations__["it"] = kind
    parameters = dict(tool(function).parameters or {})
    Draft202012Validator.check_schema(parameters)
    definitions = parameters.pop("$defs", {})
    [(name, schema)] = parameters.pop("properties").items()
    assert name == "it"
    assert parameters == {"type": "object", "required": ["it"], "additionalProperties": False}
    return schema, definitions


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (str, {"type": "string"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (Any, {}),
        (object, {}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (int | str | None, {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
        (Literal["C", "F"], {"enum": ["C", "F"]}),
        (UserId, {"type": "integer"}),
        (datetime.date, {"type": "string", "format": "date"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (
            Annotated[int, Meta(ge=0, le=9, description="A digit.")],
            {"type": "integer", "minimum": 0, "maximum": 9, "description": "A digit."},
        ),
        (Annotated[str, Meta(pattern="^a", min_length=1)], {"type": "string", "pattern": "^a", "minLength": 1}),
    ],
    ids=str,
)
def test_a_plain_type_has_its_schema_in_place(kind: Any, schema: dict[str, Any]) -> None:
    assert schema_of(kind) == (schema, {})


@pytest.mark.parametrize(
    ("kind", "schema", "definitions"),
    [
        (Weather, {"$ref": "#/$defs/Weather"}, {"Weather": WEATHER}),
        (Weather | None, {"anyOf": [{"$ref": "#/$defs/Weather"}, {"type": "null"}]}, {"Weather": WEATHER}),
        (Unit, {"$ref": "#/$defs/Unit"}, {"Unit": {"title": "Unit", "enum": ["celsius", "fahrenheit"]}}),
        (
            Place,
            {"$ref": "#/$defs/Place"},
            {
                "Place": {
                    "title": "Place",
                    "type": "object",
                    "properties": {"lat": {"type": "number"}},
                    "required": [],
                }
            },
        ),
        (
            Row,
            {"$ref": "#/$defs/Row"},
            {
                "Row": {
                    "title": "Row",
                    "type": "object",
                    "properties": {"name": {"type": "string"}},
                    "required": ["name"],
                }
            },
        ),
        (
            list[Node],
            {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            {
                "Node": {
                    "title": "Node",
                    "type": "object",
                    "properties": {
                        "value": {"type": "integer"},
                        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "default": []},
                    },
                    "required": ["value"],
                }
            },
        ),
    ],
    ids=["attrs", "optional", "enum", "TypedDict", "Struct", "recursive dataclass"],
)
def test_a_class_is_a_definition(kind: Any, schema: dict[str, Any], definitions: dict[str, Any]) -> None:
    assert schema_of(kind) == (schema, definitions)


def test_a_named_tuple_is_an_array() -> None:
    schema, definitions = schema_of(Point)
    assert (schema, definitions["Point"]["type"]) == ({"$ref": "#/$defs/Point"}, "array")


def test_a_default_is_in_the_schema_and_makes_an_argument_optional() -> None:
    def function(
        city: str,
        unit: Unit = Unit.C,
        days: int = 1,
        near: Place | None = None,
        *,
        at: Weather = Weather("Oslo"),  # noqa: B008  # a frozen default is what this is about
        tags: list[str] = [],  # noqa: B006  # as above
        missing: Any = object(),  # noqa: B008  # as above
    ) -> None: ...

    parameters = tool(function).parameters or {}
    assert parameters["required"] == ["city"]
    assert {name: schema.get("default", "absent") for name, schema in parameters["properties"].items()} == {
        "city": "absent",
        "unit": "celsius",
        "days": 1,
        "near": None,
        "at": {"city": "Oslo", "celsius": None},
        "tags": [],
        "missing": "absent",
    }


def test_a_function_without_parameters_takes_an_empty_object() -> None:
    def now() -> str:
        return "now"

    assert tool(now).parameters == {"type": "object", "properties": {}, "additionalProperties": False}


def test_an_annotated_map_of_further_arguments_opens_the_schema() -> None:
    def tagged(city: str, **tags: int) -> None: ...

    def plain(city, **others): ...  # type: ignore[no-untyped-def]  # what a model may give must be said

    opened, closed = tool(tagged).parameters or {}, tool(plain).parameters or {}
    assert (list(opened["properties"]), opened["additionalProperties"]) == (["city"], {"type": "integer"})
    assert closed == {
        "type": "object",
        "properties": {"city": {}},
        "required": ["city"],
        "additionalProperties": False,
    }


def test_an_injected_parameter_is_not_shown() -> None:
    def find(query: str, db: Annotated[Callable[[], Any], Injected], limit: Annotated[int, Injected()] = 5) -> None: ...

    parameters = tool(find).parameters or {}
    assert (list(parameters["properties"]), parameters["required"]) == (["query"], ["query"])


def test_names_of_a_scope_that_runs_or_is_closed_over_are_resolved() -> None:
    class Local(TypedDict):
        x: int

    def made() -> Any:
        def function(one: Local, many: list[Local]) -> None:
            Local(x=1)

        return function

    parameters = tool(made()).parameters or {}
    assert parameters["properties"] == {
        "one": {"$ref": "#/$defs/Local"},
        "many": {"type": "array", "items": {"$ref": "#/$defs/Local"}},
    }


def test_two_classes_of_one_name_are_two_definitions() -> None:
    def other() -> Any:
        @dataclass
        class Weather:
            wind: int

        return Weather

    def function(one: Any, two: Any) -> None: ...

    function.__annotations__ = {"one": Weather, "two": other()}
    assert len((tool(function).parameters or {})["$defs"]) == 2


def test_a_union_of_classes_refers_to_each() -> None:
    def function(at: Weather | Node) -> None: ...

    parameters = tool(function).parameters or {}
    assert parameters["properties"] == {"at": {"anyOf": [{"$ref": "#/$defs/Weather"}, {"$ref": "#/$defs/Node"}]}}
    assert parameters["$defs"].keys() == {"Weather", "Node"}


def test_definitions_of_one_name_in_unions_are_told_apart() -> None:
    def other() -> Any:
        @dataclass
        class Node:
            leaf: bool

        return Node

    def function(one: Any, two: Any) -> None: ...

    function.__annotations__ = {"one": Weather | Node, "two": Weather | other()}
    parameters = tool(function).parameters or {}
    Draft202012Validator.check_schema(parameters)
    assert parameters["properties"]["two"] == {"anyOf": [{"$ref": "#/$defs/Weather_two"}, {"$ref": "#/$defs/Node_two"}]}
    assert parameters["$defs"].keys() == {"Weather", "Node", "Weather_two", "Node_two"}
    assert parameters["$defs"]["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}


GOOGLE = """Current weather.

    Two lines about
    how it works.

    Args:
        city: Name of the city,
            in English.
        unit (str, optional): The unit.
        **tags: Others.

    Returns:
        The weather.

    Raises:
        KeyError: no such city.
    """
NUMPY = """Current weather.

    Two lines about
    how it works.

    Parameters
    ----------
    city : str
        Name of the city,
        in English.
    unit : str, optional
        The unit.
    **tags
        Others.

    Returns
    -------
    Weather
        The weather.
    """
SPHINX = """Current weather.

    Two lines about
    how it works.

    :param city: Name of the city,
        in English.
    :param str unit: The unit.
    :param tags: Others.
    :returns: The weather.
    :raises KeyError: no such city.
    """
EPYDOC = """Current weather.

    Two lines about
    how it works.

    @param city: Name of the city,
        in English.
    @param unit: The unit.
    @param tags: Others.
    @return: The weather.
    """


def documented(docstring: str | None) -> Callable[..., None]:
    """Return a function with a docstring."""

    def function() -> None: ...

    function.__doc__ = docstring
    return function


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX, EPYDOC], ids=["Google", "numpy", "Sphinx", "epydoc"])
def test_a_docstring_of_each_style_says_the_same(docstring: str) -> None:
    assert read_docstring(documented(docstring)) == Documentation(
        "Current weather.\n\nTwo lines about\nhow it works.",
        {"city": "Name of the city,\nin English.", "unit": "The unit.", "tags": "Others."},
    )


@pytest.mark.parametrize(
    ("docstring", "description"),
    [
        (None, None),
        ("", None),
        ("   \n ", None),
        ("Plain.", "Plain."),
        ("Use it when:\n    - a\n      - b", "Use it when:\n- a\n  - b"),
        ("A :param that is none.", "A :param that is none."),
        ("Looks up: a thing.\n\n    Note: costly.", "Looks up: a thing.\n\nNote: costly."),
    ],
)
def test_a_docstring_without_sections_is_the_description(docstring: str | None, description: str | None) -> None:
    assert read_docstring(documented(docstring)) == Documentation(description)


def test_numpy_style_describes_several_parameters_at_once() -> None:
    words = "Adds.\n\n    Parameters\n    ----------\n    a, b : int\n        The numbers.\n    "
    assert read_docstring(documented(words)).parameters == {"a": "The numbers.", "b": "The numbers."}


def test_words_of_an_annotation_win_over_those_of_the_docstring() -> None:
    def add(a: Annotated[int, Meta(description="From the type.")], b: int, at: Weather) -> int:
        """Add.

        Args:
            a: From the docstring.
            b: The other.
            at: Where.
            c: No such parameter.
        """
        return a + b

    properties = (tool(add).parameters or {})["properties"]
    assert properties == {
        "a": {"type": "integer", "description": "From the type."},
        "b": {"type": "integer", "description": "The other."},
        "at": {"$ref": "#/$defs/Weather", "description": "Where."},
    }


def of(annotation: str) -> Any:
    """Return a function of a parameter with an annotation."""

    def function(it: Any) -> None: ...

    function.__annotations__["it"] = annotation
    return function


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            of("Nowhere"),
            "expected a type that can be resolved, got 'Nowhere': NameError: name 'Nowhere' is not defined",
        ),
        (of("1 +"), "expected a type that can be resolved, got '1 +': SyntaxError"),
        (of("complex"), "a type has no JSON form: <class 'complex'> (type)"),
        (of("list[complex]"), "a type has no JSON form: <class 'complex'> (type)"),
    ],
    ids=["unknown", "not Python", "not JSON", "not JSON inside"],
)
def test_a_type_that_cannot_be_said_is_an_error_that_names_the_parameter(function: Any, words: str) -> None:
    with pytest.raises(TypeError) as caught:
        tool(function)
    assert str(caught.value).startswith(f"tool 'function': parameter 'it': {words}")


def test_a_type_of_further_arguments_that_cannot_be_said_is_an_error_too() -> None:
    def function(**others: complex) -> None: ...

    with pytest.raises(
        TypeError, match="tool 'function': parameter 'others': a type has no JSON form: <class 'complex'>"
    ):
        tool(function)


def test_positional_arguments_of_any_number_are_refused() -> None:
    def function(*cities: str) -> None: ...

    with pytest.raises(TypeError) as caught:
        tool(function)
    assert str(caught.value) == (
        "tool 'function': parameter 'cities': expected parameters with names, got *cities: "
        "a model gives arguments by name"
    )
