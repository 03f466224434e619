"""Tests of tools made of functions: what becomes one, and how its arguments reach the function."""

from __future__ import annotations

import copy
import datetime
import enum
import functools
import inspect
import math
import pickle
from typing import Annotated, Any, Literal

import attrs
import pytest
from attrs.exceptions import FrozenInstanceError
from msgspec import Meta

from triptych import BaseTool, LlmRequest, ProviderTool
from triptych.function_tool import FunctionTool, Injected, tool
from triptych.tools import ArgumentError


class Unit(enum.Enum):
    C = "celsius"
    F = "fahrenheit"


@attrs.define
class Place:
    lat: float
    names: list[str] = attrs.field(factory=list)
    floor: int = attrs.field(default=0, validator=attrs.validators.ge(0))


@tool
def get_weather(city: str, unit: Literal["C", "F"] = "C") -> str:
    """Current weather.

    Args:
        city: Name of the city, in English.
    """
    return f"{city}: 7 {unit}"


def plain(city: str, days: int = 1) -> tuple[str, int]:
    """Plain."""
    return city, days


async def later(city: str) -> str:
    """Later."""
    return city


PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Name of the city, in English."},
        "unit": {"enum": ["C", "F"], "default": "C"},
    },
    "required": ["city"],
    "additionalProperties": False,
}


class Station:
    """A station."""

    kind = "station"

    def __init__(self, name: str) -> None:
        self.name = name

    @tool
    def read(self, city: str) -> tuple[str, str]:
        """Read.

        Args:
            city: Where.
        """
        return self.name, city

    @tool(name="above")
    @classmethod
    def tool_above(cls, city: str) -> tuple[str, str]:
        return cls.kind, city

    @classmethod
    @tool
    def tool_below(cls, city: str) -> tuple[str, str]:
        return cls.kind, city

    @tool
    @staticmethod
    def static_above(city: str) -> str:
        return city

    @staticmethod
    @tool
    def static_below(city: str) -> str:
        return city

    shared = get_weather

    def undecorated(self, city: str) -> tuple[str, str]:
        return self.name, city

    def __call__(self, city: str) -> tuple[str, str]:
        """Call the station."""
        return self.name, city


STATION = Station("north")


class Branch(Station):
    """A station that inherits."""

    kind = "branch"


def test_a_function_becomes_a_tool_that_is_called_like_it() -> None:
    assert get_weather("Oslo", unit="F") == "Oslo: 7 F"
    assert get_weather.tool_definition == {
        "name": "get_weather",
        "description": "Current weather.",
        "parameters": PARAMETERS,
    }
    assert get_weather.strict is None
    assert repr(get_weather) == "FunctionTool('get_weather')"


def test_name_description_and_strictness_may_be_given() -> None:
    made = tool(name="weather", description="Sky.", strict=True)(get_weather.function)
    assert (made.name, made.description, made.strict) == ("weather", "Sky.", True)
    assert made.parameters == PARAMETERS


def test_a_function_of_a_given_definition() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 5}}}
    made: FunctionTool[..., Any] = FunctionTool.from_schema({"name": "w", "inputSchema": schema}, plain)
    assert (made.name, made.description, made.parameters) == ("w", "Plain.", schema)
    assert made.execute(city="Oslo") == ("Oslo", 1)
    with pytest.raises(TypeError, match=r"FunctionTool\.from_schema: expected call="):
        FunctionTool.from_schema({"name": "w"})


@pytest.mark.parametrize(
    ("function", "name", "result"),
    [
        (plain, "plain", ("Oslo", 1)),
        (STATION.undecorated, "undecorated", ("north", "Oslo")),
        (STATION, "Station", ("north", "Oslo")),
        (functools.partial(plain, days=3), "plain", ("Oslo", 3)),
        (functools.partial(STATION), "Station", ("north", "Oslo")),
        (STATION.read, "read", ("north", "Oslo")),
        (Station.tool_above, "above", ("station", "Oslo")),
        (Station.tool_below, "tool_below", ("station", "Oslo")),
        (Branch.tool_above, "above", ("branch", "Oslo")),
        (Branch("south").tool_below, "tool_below", ("branch", "Oslo")),
        (Branch("south").read, "read", ("south", "Oslo")),
        (Station.static_above, "static_above", "Oslo"),
        (STATION.static_below, "static_below", "Oslo"),
        (STATION.shared, "get_weather", "Oslo: 7 C"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whatever_can_be_called_can_be_a_tool(function: Any, name: str, result: Any) -> None:
    made = LlmRequest(tools=[function]).tools[0]
    assert isinstance(made, FunctionTool)
    assert made.name == name
    assert next(iter((made.parameters or {})["properties"])) == "city"
    assert not {"self", "cls"} & (made.parameters or {})["properties"].keys()
    assert made.execute(city="Oslo") == result
    assert made("Oslo") == result


def test_a_method_hides_its_instance_also_where_it_is_not_bound() -> None:
    assert list((Station.read.parameters or {})["properties"]) == ["city"]
    assert Station.read.parameters == STATION.read.parameters
    assert STATION.read("Oslo") == ("north", "Oslo")


def test_what_a_partial_gives_is_not_shown() -> None:
    made = tool(functools.partial(plain, days=3))
    assert made.parameters == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    }


def test_the_words_are_those_of_the_function_inside() -> None:
    assert tool(functools.partial(plain, days=3)).description == "Plain."
    assert tool(STATION).description == "Call the station."
    assert STATION.read.description == "Read."
    assert tool(Quiet()).description == "A class that says what its objects do."


class Quiet:
    """A class that says what its objects do."""

    def __call__(self) -> None: ...


def test_a_decorated_function_keeps_its_signature() -> None:
    @functools.wraps(plain)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return "wrapped", plain(*args, **kwargs)

    assert tool(wrapped).parameters == tool(plain).parameters
    assert tool(wrapped).execute(city="Oslo") == ("wrapped", ("Oslo", 1))


def test_an_async_function_gives_what_is_to_be_awaited() -> None:
    made = tool(later)
    awaitable = made.execute(city="Oslo")
    assert inspect.iscoroutine(awaitable)
    with pytest.raises(StopIteration) as caught:
        awaitable.send(None)
    assert caught.value.value == "Oslo"


def test_positional_only_parameters_are_given_by_name_too() -> None:
    def function(a: int, b: int = 2, /, *, c: int = 3) -> tuple[int, int, int]:
        return a, b, c

    assert tool(function).execute(a=1, c=9) == (1, 2, 9)
    assert tool(math.sqrt).execute(x=4) == 2.0


def test_further_arguments_reach_an_open_function() -> None:
    def function(city: str, **days: datetime.date) -> Any:
        return city, days

    assert tool(function).execute(city="Oslo", a="2026-11-30") == ("Oslo", {"a": datetime.date(2026, 11, 30)})
    with pytest.raises(ArgumentError) as caught:
        tool(function).execute(city="Oslo", a="soon")
    assert str(caught.value) == '$.a: expected a string of the format "date", got "soon" (string)'


@pytest.mark.parametrize(
    ("kind", "given", "taken"),
    [
        (Place, {"lat": 1, "names": ["a"]}, Place(1.0, ["a"])),
        (list[Place], [{"lat": 1.5}], [Place(1.5)]),
        (Place | None, None, None),
        (Unit, "celsius", Unit.C),
        (datetime.date, "2026-11-30", datetime.date(2026, 11, 30)),
        (set[int], [1, 1], {1}),
        (tuple[int, str], [1, "a"], (1, "a")),
        (int, 2.0, 2),
        (list[int], [1.0, 2], [1, 2]),
        (float, 2, 2.0),
        (dict[str, list[int]], {"a": [1.0]}, {"a": [1]}),
        (bytes, "aGk=", b"hi"),
        (Any, {"a": 2.0}, {"a": 2.0}),
    ],
    ids=str,
)
def test_arguments_become_the_declared_types(kind: Any, given: Any, taken: Any) -> None:
    def function(it: Any) -> Any:
        return it

    function.__annotations__["it"] = kind
    result = tool(function).execute(it=given)
    assert (result, type(result)) == (taken, type(taken))


def shout(word: str) -> str:
    """Return a word in capitals."""
    return word.upper()


@attrs.define
class Shouted:
    """A class that changes what it is given."""

    word: str = attrs.field(converter=shout)


@pytest.mark.parametrize(
    ("kind", "given", "taken"),
    [
        (Place | Shouted, {"word": "hi"}, Shouted("HI")),
        (list[Place | Shouted], [{"lat": 1}], [Place(1.0)]),
        (Shouted, {"word": "hi"}, Shouted("HI")),
    ],
    ids=str,
)
def test_unions_of_classes_and_classes_with_converters_are_made(kind: Any, given: Any, taken: Any) -> None:
    def function(it: Any) -> Any:
        return it

    function.__annotations__["it"] = kind
    assert tool(function).execute(it=given) == taken
    with pytest.raises(ArgumentError, match=r"\$\.it.*: expected "):
        tool(function).execute(it=5)


def test_a_class_with_a_converter_is_as_strict_as_any() -> None:
    def function(it: Shouted) -> Any:
        return it

    with pytest.raises(ArgumentError) as caught:
        tool(function).execute(it={"word": 5})
    assert str(caught.value) == "$.it.word: expected string, got 5 (integer)"


def test_a_pydantic_model_is_made_by_itself() -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Model", day=(datetime.date, ...))

    def function(it: Any, plain: int) -> Any:
        return it

    function.__annotations__["it"] = model
    assert tool(function).execute(it={"day": "2026-11-30"}, plain=1) == model(day=datetime.date(2026, 11, 30))
    with pytest.raises(ArgumentError, match=r"\$\.it\.day: expected string, got 5 \(integer\)"):
        tool(function).execute(it={"day": 5}, plain=1)


def test_null_for_an_optional_argument_leaves_it_out() -> None:
    assert get_weather.execute(city="Oslo", unit=None) == "Oslo: 7 C"


def visit(
    city: str,
    days: Annotated[int, Meta(ge=1)] = 1,
    unit: Unit = Unit.C,
    near: Place | None = None,
    tags: dict[str, int] | None = None,
) -> None:
    """Visit."""
    pytest.fail("it was called")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, ["$.city: expected string, got nothing"]),
        ({"city": 5}, ["$.city: expected string, got 5 (integer)"]),
        ({"city": None}, ["$.city: expected string, got null"]),
        ({"city": "x", "days": "2"}, ['$.days: expected integer, got "2" (string)']),
        ({"city": "x", "days": 0}, ["$.days: expected a number >= 1, got 0 (integer)"]),
        ({"city": "x", "days": 1.5}, ["$.days: expected integer, got 1.5 (number)"]),
        ({"city": "x", "unit": "K"}, ['$.unit: expected one of "celsius", "fahrenheit", got "K" (string)']),
        ({"city": "x", "near": {}}, ["$.near.lat: expected number, got nothing"]),
        ({"city": "x", "near": {"lat": 1, "names": [3]}}, ["$.near.names[0]: expected string, got 3 (integer)"]),
        ({"city": "x", "near": {"lat": 1, "floor": -1}}, ["$.near: 'floor' must be >= 0: -1"]),
        ({"city": "x", "tags": {"a": "b"}}, ['$.tags.a: expected integer, got "b" (string)']),
        (
            {"city": "x", "dayz": 1},
            ["$.dayz: expected no such field (did you mean 'days'?): the fields are city, days, unit, near, tags"],
        ),
        (
            {"days": True, "unit": 3},
            [
                "$.city: expected string, got nothing",
                "$.days: expected integer, got true (boolean)",
                '$.unit: expected one of "celsius", "fahrenheit", got 3 (integer)',
            ],
        ),
    ],
    ids=str,
)
def test_wrong_arguments_are_told_with_path_expectation_and_value(arguments: Any, words: list[str]) -> None:
    with pytest.raises(ArgumentError) as caught:
        tool(visit).execute(**arguments)
    assert str(caught.value).splitlines() == words


def test_injected_parameters_come_from_the_program_alone() -> None:
    def find(query: str, /, db: Annotated[list[str], Injected], limit: Annotated[int, Injected] = 2) -> Any:
        return query, db, limit

    made = tool(find)
    assert made.injected == {"db"}
    assert made.invoke({"query": "a"}, {"db": ["x"], "of another tool": 1}) == ("a", ["x"], 2)
    assert made.execute(query="a", db=["x"], limit=9) == ("a", ["x"], 9)
    with pytest.raises(ArgumentError) as caught:
        made.invoke({"query": "a", "db": ["y"]}, {"db": ["x"]})
    assert str(caught.value) == "$.db: expected no such field: the fields are query"
    with pytest.raises(TypeError, match="tool 'find': nothing to inject for 'db'"):
        made.invoke({"query": "a"})


def test_an_open_function_does_not_let_a_model_inject() -> None:
    def find(db: Annotated[list[str], Injected], **filters: Any) -> Any:
        return db, filters

    with pytest.raises(ArgumentError) as caught:
        tool(find).invoke({"db": ["y"], "a": 1}, {"db": ["x"]})
    assert str(caught.value) == "$.db: expected no such field"
    assert tool(find).invoke({"a": 1}, {"db": ["x"]}) == (["x"], {"a": 1})


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (3, "FunctionTool.function: expected a function or method, got 3 (int)"),
        (Place, f"FunctionTool.function: expected a function or method, got {Place} (type)"),
        (lambda x: x, "FunctionTool.name: expected a name for a lambda, got none: give name="),
    ],
    ids=["int", "class", "lambda"],
)
def test_what_cannot_be_a_tool_is_refused_where_it_is_made(function: Any, words: str) -> None:
    with pytest.raises(TypeError) as caught:
        tool(function)
    assert str(caught.value) == words


def test_a_lambda_may_be_given_a_name() -> None:
    assert tool(name="same")(lambda x: x).execute(x=[1]) == [1]


def test_tools_are_equal_when_their_definitions_are() -> None:
    def other() -> Any:
        def plain(city: str, days: int = 1) -> None:
            """Plain."""

        return plain

    assert tool(plain) == tool(other())
    assert tool(plain) != tool(name="p")(plain)
    assert STATION.read == Station("south").read
    assert tool(plain) != BaseTool("plain", "Plain.", tool(plain).parameters)


@pytest.mark.parametrize(
    "made",
    [
        get_weather,
        tool(plain),
        tool(name="p", description="d", strict=True)(plain),
        attrs.evolve(get_weather, strict=True, provider_data={"cache_control": {}}),
        STATION.read,
        Station.read,
        Station.tool_above,
        Station.tool_below,
        Station.static_above,
        tool(STATION.undecorated),
        tool(functools.partial(plain, days=2)),
    ],
    ids=repr,
)
def test_a_copy_is_equal_and_runs(made: FunctionTool[..., Any]) -> None:
    for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert again == made
        assert type(again) is type(made)
        if made is not Station.read and isinstance(made, FunctionTool):  # a class method is none from Python 3.13 on
            assert again.execute(city="Oslo") == made.execute(city="Oslo")


def test_a_tool_of_a_local_function_can_be_copied_though_not_pickled() -> None:
    @tool
    def local(x: int) -> int:
        return x

    assert copy.deepcopy(local).execute(x=1) == 1
    with pytest.raises(TypeError, match="the tool 'local' cannot be pickled: its function is local to another"):
        pickle.dumps(local)


def test_it_cannot_be_changed() -> None:
    made: Any = get_weather
    with pytest.raises(FrozenInstanceError):
        made.name = "other"


def test_a_changed_copy_reads_the_function_no_second_time() -> None:
    changed = attrs.evolve(get_weather, strict=True)
    assert (changed.strict, changed.parameters is get_weather.parameters) == (True, True)


def test_a_request_makes_tools_of_plain_functions() -> None:
    request = LlmRequest(tools=[plain, get_weather, ProviderTool({"type": "w"})], tool_choice=plain)
    assert request.tools == [tool(plain), get_weather, ProviderTool({"type": "w"})]
    assert request.tools[1] is get_weather
    assert request.chosen_tool == "plain"
    assert LlmRequest(tools=[get_weather], tool_choice=get_weather).chosen_tool == "get_weather"


def test_a_plain_function_is_read_once_however_often_it_is_given() -> None:
    @functools.wraps(plain)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return plain(*args, **kwargs)

    [first], [again] = LlmRequest(tools=[plain]).tools, LlmRequest(tools=[plain]).tools
    assert first is again
    [other] = LlmRequest(tools=[wrapped]).tools
    assert isinstance(other, FunctionTool)
    assert other.function is wrapped


@pytest.mark.parametrize(
    ("tools", "error", "words"),
    [
        (
            [plain, BaseTool("plain")],
            ValueError,
            "LlmRequest.tools: expected tools of different names, got 'plain' 2 times",
        ),
        (
            [Place],
            TypeError,
            f"LlmRequest.tools[0]: expected BaseTool or ProviderTool, got {Place} (type)",
        ),
    ],
)
def test_a_request_refuses_two_tools_of_one_name_and_classes(tools: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        LlmRequest(tools=tools)
    assert str(caught.value) == words
