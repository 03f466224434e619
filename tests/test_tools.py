"""Tests of tools as the model sees them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from attrs.exceptions import FrozenInstanceError

from triptych import BaseTool, Issuer, ProviderTool
from triptych.tools import ArgumentError

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    BaseTool("f"),
    BaseTool("get_weather", "Weather now.", PARAMETERS, strict=True, provider_data={"cache_control": {}}),
    ProviderTool({"type": "web_search"}),
    ProviderTool({"type": "custom", "name": "grep"}, Issuer("openai_chat", "openai")),
]


def test_a_definition_has_name_description_and_parameters() -> None:
    tool = BaseTool("get_weather", "Weather now.", PARAMETERS)
    assert tool.tool_definition == {"name": "get_weather", "description": "Weather now.", "parameters": PARAMETERS}


def test_a_tool_without_arguments_takes_an_empty_object() -> None:
    assert BaseTool("f").tool_definition == {
        "name": "f",
        "description": "",
        "parameters": {"type": "object", "properties": {}},
    }
    assert BaseTool("f", parameters={}).tool_definition["parameters"] == {}


def test_a_provider_tool_is_called_by_the_name_in_its_definition() -> None:
    assert ProviderTool({"type": "custom", "name": "grep"}).name == "grep"
    assert ProviderTool({"type": "web_search"}).name is None
    assert ProviderTool({"name": 5}).name is None


@pytest.mark.parametrize("tool", TOOLS, ids=repr)
def test_a_copy_is_equal(tool: Any) -> None:
    for again in (copy.copy(tool), copy.deepcopy(tool), pickle.loads(pickle.dumps(tool))):
        assert again == tool
        assert repr(again) == repr(tool)


@pytest.mark.parametrize("tool", TOOLS, ids=repr)
def test_it_cannot_be_changed(tool: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        tool.name = "g"


def test_a_subclass_keeps_its_kind_in_a_pickle() -> None:
    again = pickle.loads(pickle.dumps(Weather("w", "Weather.", PARAMETERS)))
    assert type(again) is Weather
    assert again == Weather("w", "Weather.", PARAMETERS)


class Weather(BaseTool):
    """A tool of a program's own."""


@pytest.mark.parametrize(
    ("kind", "fields", "error", "words"),
    [
        (BaseTool, {"name": ""}, ValueError, "BaseTool.name: expected a name, got an empty str"),
        (BaseTool, {"name": None}, TypeError, "BaseTool.name: expected str, got None (NoneType)"),
        (
            BaseTool,
            {"name": "f", "description": 5},
            TypeError,
            "BaseTool.description: expected str or None, got 5 (int)",
        ),
        (
            BaseTool,
            {"name": "f", "parameters": []},
            TypeError,
            "BaseTool.parameters: expected dict or None, got [] (list)",
        ),
        (BaseTool, {"name": "f", "strict": 1}, TypeError, "BaseTool.strict: expected bool or None, got 1 (int)"),
        (Weather, {"name": 5}, TypeError, "Weather.name: expected str, got 5 (int)"),
        (ProviderTool, {"definition": "x"}, TypeError, "ProviderTool.definition: expected dict, got 'x' (str)"),
        (
            ProviderTool,
            {"definition": {}, "issuer": "openai"},
            TypeError,
            "ProviderTool.issuer: expected Issuer or None, got 'openai' (str)",
        ),
    ],
)
def test_a_wrong_field_is_named(kind: type[Any], fields: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        kind(**fields)
    assert str(caught.value) == words


ARGUMENTS = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
CLOSED = {**ARGUMENTS, "required": ["city"], "additionalProperties": False}


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "f", "description": "Does.", "parameters": CLOSED},
        {"name": "f", "description": "Does.", "inputSchema": CLOSED, "annotations": {"readOnlyHint": True}},
        {"name": "f", "title": "Does.", "inputSchema": CLOSED},
        {"name": "f", "description": "Does.", "input_schema": CLOSED},
        {"name": "f", "description": "Does.", "parametersJsonSchema": CLOSED},
        {"type": "function", "name": "f", "description": "Does.", "parameters": CLOSED},
        {"type": "function", "function": {"name": "f", "description": "Does.", "parameters": CLOSED}},
        {"toolSpec": {"name": "f", "description": "Does.", "inputSchema": {"json": CLOSED}}},
    ],
    ids=["ours", "MCP", "MCP with a title", "Anthropic", "Gemini", "Responses", "Chat Completions", "Bedrock"],
)
def test_a_tool_is_made_of_a_definition_in_anybodys_form(definition: dict[str, Any]) -> None:
    assert BaseTool.from_schema(definition) == BaseTool("f", "Does.", CLOSED)


def test_a_definition_may_be_strict_and_may_have_no_arguments() -> None:
    wire = {"type": "function", "function": {"name": "f", "strict": True}}
    assert BaseTool.from_schema(wire) == BaseTool("f", strict=True)


def test_a_subclass_makes_tools_of_its_own_kind() -> None:
    assert type(Weather.from_schema({"name": "w"})) is Weather


@pytest.mark.parametrize(
    ("definition", "error", "words"),
    [
        ([], TypeError, "BaseTool.from_schema: expected a dict, got [] (list)"),
        ({"a": 1}, ValueError, "BaseTool.from_schema: expected a definition with a name, got {'a': 1} (dict)"),
        ({"name": ""}, ValueError, "BaseTool.name: expected a name, got an empty str"),
        ({"name": "f", "parameters": 5}, TypeError, "BaseTool.parameters: expected dict or None, got 5 (int)"),
    ],
)
def test_what_is_no_definition_is_refused(definition: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        BaseTool.from_schema(definition)
    assert str(caught.value) == words


def test_a_tool_with_a_call_is_executed_by_it() -> None:
    tool = BaseTool.from_schema({"name": "f", "inputSchema": CLOSED}, lambda **arguments: arguments)
    assert tool.execute(city="Oslo", self=1) == {"city": "Oslo", "self": 1}
    assert tool.invoke({"city": "Oslo", "days": 2.0}) == {"city": "Oslo", "days": 2.0}


def test_a_definition_alone_cannot_be_executed() -> None:
    with pytest.raises(NotImplementedError) as caught:
        BaseTool("f").execute()
    assert str(caught.value) == (
        "the tool 'f' is a definition that nothing runs: give call=, override execute, or use @tool"
    )


def test_a_subclass_may_execute_itself() -> None:
    assert Doubler("double", parameters=ARGUMENTS).invoke({"days": 4}) == 8


class Doubler(BaseTool):
    """A tool of a program's own that runs."""

    def execute(self, /, **arguments: Any) -> int:
        """Return twice the days."""
        return 2 * int(arguments["days"])


def test_arguments_that_do_not_follow_the_schema_are_refused_before_the_call() -> None:
    tool = BaseTool("f", parameters=CLOSED, call=lambda **_: pytest.fail("it was called"))
    with pytest.raises(ArgumentError) as caught:
        tool.invoke({"days": "two", "town": "Oslo"})
    assert str(caught.value).splitlines() == [
        "$.city: expected string, got nothing",
        "$.town: expected no such field: the fields are city, days",
        '$.days: expected integer, got "two" (string)',
    ]


@pytest.mark.parametrize(
    "schema", [{"type": 5}, {"$ref": "#/$defs/gone"}, {"$ref": "https://h.invalid/s.json"}, {"properties": 3}]
)
def test_a_schema_that_is_not_sound_keeps_no_tool_from_being_called(schema: dict[str, Any]) -> None:
    assert BaseTool("f", parameters=schema, call=lambda **arguments: arguments).invoke({"a": 1}) == {"a": 1}


def test_what_runs_a_tool_must_be_callable_and_does_not_make_it_another() -> None:
    assert BaseTool("f", call=print) == BaseTool("f")
    with pytest.raises(TypeError, match=r"BaseTool\.call: expected a function or None, got 5 \(int\)"):
        BaseTool("f", call=5)  # type: ignore[arg-type]  # the mistake of a caller
