"""Tests of tools as the model sees them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from attrs.exceptions import FrozenInstanceError

from triptych import BaseTool, Issuer, ProviderTool

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
