"""Requests of Cohere: settings under its names, one choice of tools for all, a schema for the answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import body, built, notices
from tests.formats.cohere_chat.recorded import COHERE
from triptych import formats
from triptych.errors import LlmError, Notice
from triptych.formats import Call
from triptych.parts import Issuer
from triptych.provider import Quirks
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool

WIRE = formats.load(COHERE, "here")
HI = [{"role": "user", "content": "hi"}]
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
ADD = BaseTool("add", "Adds.", SCHEMA)
NOW = BaseTool("now")


def function(name: str, description: str | None = None, **parameters: Any) -> dict[str, Any]:
    said = {} if description is None else {"description": description}
    return {"type": "function", "function": {"name": name, **said, "parameters": parameters}}


ADD_WIRE = function("add", "Adds.", **SCHEMA)
NOW_WIRE = function("now", type="object", properties={})


def read(**fields: Any) -> Call:
    return WIRE.read_request({"model": "m", "messages": HI, **fields})


def test_the_settings_have_the_names_of_the_api() -> None:
    """B048: one name of the token limit."""
    settings: dict[str, Any] = {
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 7,
        "max_tokens": 5,
        "stop": ["END"],
        "seed": 3,
        "frequency_penalty": 0.1,
        "presence_penalty": 0.2,
        "logprobs": True,
    }
    wire = {
        "temperature": 0.5,
        "p": 0.9,
        "k": 7,
        "max_tokens": 5,
        "stop_sequences": ["END"],
        "seed": 3,
        "frequency_penalty": 0.1,
        "presence_penalty": 0.2,
        "logprobs": True,
    }
    assert body(COHERE, settings=settings, stream=True) == {"model": "m", "messages": HI, **wire, "stream": True}
    assert read(**wire, stream=True) == Call(LlmRequest(contents="hi"), "m", Settings(**settings), True)


def test_what_is_unset_or_empty_is_not_sent() -> None:
    """B053."""
    assert body(COHERE, settings={"stop": [], "metadata": {}}) == {"model": "m", "messages": HI}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("top_logprobs", 3),
        ("parallel_tool_calls", False),
        ("user", "u"),
        ("metadata", {"a": "b"}),
        ("service_tier", "flex"),
    ],
)
def test_a_setting_that_the_api_has_not_is_a_notice(name: str, value: Any) -> None:
    assert built(COHERE, settings={name: value}).body == {"model": "m", "messages": HI}
    assert notices(COHERE, settings={name: value}) == [
        Notice(f"settings.{name}", "left out", "this API has no such setting")
    ]


def test_a_setting_that_a_host_refuses_is_a_notice() -> None:
    quirks = Quirks(unsupported_settings=("seed",))
    assert notices(COHERE, settings={"seed": 1}, quirks=quirks) == [
        Notice("settings.seed", "left out", "this model or host refuses it")
    ]


@pytest.mark.parametrize(
    ("value", "wire"),
    [("none", {"type": "disabled"}), (2048, {"type": "enabled", "token_budget": 2048})],
)
def test_reasoning_is_a_switch_or_a_number_of_tokens(value: Any, wire: dict[str, Any]) -> None:
    result = built(COHERE, settings={"reasoning": value})
    assert (result.body["thinking"], result.notices) == (wire, ())
    assert read(thinking=wire).settings == Settings(reasoning=value)


def test_an_effort_becomes_the_switch_with_a_notice() -> None:
    result = built(COHERE, settings={"reasoning": "low"})
    assert result.body["thinking"] == {"type": "enabled"}
    assert [(notice.path, notice.what) for notice in result.notices] == [
        ("settings.reasoning", "'low' became 'enabled'")
    ]


@pytest.mark.parametrize(
    ("choice", "wire"),
    [(None, {}), ("auto", {}), ("required", {"tool_choice": "REQUIRED"}), ("none", {"tool_choice": "NONE"})],
)
def test_the_choice_of_tools_has_the_words_of_the_api(choice: str | None, wire: dict[str, Any]) -> None:
    """B029."""
    sent = body(COHERE, tools=[ADD, NOW], tool_choice=choice)
    assert sent == {"model": "m", "messages": HI, "tools": [ADD_WIRE, NOW_WIRE], **wire}


def test_a_tool_that_must_be_called_is_offered_alone() -> None:
    """B029."""
    result = built(COHERE, tools=[ADD, NOW], tool_choice="now")
    assert result.body == {"model": "m", "messages": HI, "tools": [NOW_WIRE], "tool_choice": "REQUIRED"}
    why = "this API can ask for a call, but not of which tool"
    assert result.notices == (Notice("tool_choice", "'now' became 'REQUIRED' with that tool alone", why),)
    assert notices(COHERE, tools=[NOW], tool_choice="now") == []


def test_without_tools_nothing_is_said_of_them() -> None:
    """B025, B026."""
    assert body(COHERE, tools=[], tool_choice="none") == {"model": "m", "messages": HI}
    call = read(tools=[], tool_choice="NONE")
    assert (call.request.tool_choice, call.settings.extra_body) == ("none", {"tool_choice": "NONE"})


@pytest.mark.parametrize("parameters", [None, {}, {"type": "object"}])
def test_a_tool_without_arguments_has_an_empty_object_schema(parameters: Any) -> None:
    """B033."""
    assert body(COHERE, tools=[BaseTool("now", parameters=parameters)])["tools"] == [NOW_WIRE]


@pytest.mark.parametrize("strict", [True, False])
def test_strictness_is_of_all_tools(strict: bool) -> None:
    """B075."""
    tools = [BaseTool("add", "Adds.", SCHEMA, strict=strict), BaseTool("now", strict=strict)]
    sent = body(COHERE, tools=tools)
    assert ([tool["function"]["name"] for tool in sent["tools"]], sent["strict_tools"]) == (["add", "now"], strict)
    assert strict or sent["tools"] == [ADD_WIRE, NOW_WIRE]
    assert WIRE.build_request(WIRE.read_request(sent)).body == sent
    assert [getattr(tool, "strict", None) for tool in WIRE.read_request(sent).request.tools] == [strict, strict]


@pytest.mark.parametrize(("other", "told"), [(True, 1), (False, 0)])
def test_strictness_of_some_tools_is_a_notice(other: bool, told: int) -> None:
    result = built(COHERE, tools=[ADD, BaseTool("now", strict=other)])
    assert "strict_tools" not in result.body
    assert [notice.what for notice in result.notices] == ["strict left out"] * told


def test_a_tool_of_another_api_is_left_out_with_a_notice() -> None:
    tools = [ProviderTool({"type": "web_search"}, Issuer("openai_chat")), NOW]
    result = built(COHERE, tools=tools)
    assert result.body["tools"] == [NOW_WIRE]
    assert [notice.path for notice in result.notices] == ["tools[0]"]


def test_the_schema_of_the_answer_is_a_json_object() -> None:
    form = {"type": "json_object", "json_schema": SCHEMA}
    assert body(COHERE, output_type=OutputSchema(SCHEMA, "n"))["response_format"] == form
    assert read(response_format=form).request.output_type == OutputSchema(SCHEMA)


@pytest.mark.parametrize(
    "fields",
    [
        {"response_format": {"type": "json_object"}},
        {"response_format": {"type": "json_object", "json_schema": SCHEMA, "own": 1}},
        {"thinking": {"type": "enabled"}},
        {"thinking": {"type": "enabled", "token_budget": None}},
        {"safety_mode": "OFF", "citation_options": {"mode": "FAST"}, "priority": 1},
        {"strict_tools": True},
        {"tool_choice": "NOVEL"},
        {"documents": {"no": "list"}},
        {"temperature": "hot", "stop_sequences": "END", "seed": None},
        {"tools": None},
    ],
    ids=", ".join,
)
def test_what_has_no_setting_travels_verbatim(fields: dict[str, Any]) -> None:
    """B049."""
    call = read(**fields)
    assert call.settings.extra_body == fields
    assert WIRE.build_request(call).body == {"model": "m", "messages": HI, **fields}


def test_the_callers_own_fields_win() -> None:
    assert body(COHERE, settings={"max_tokens": 5, "extra_body": {"max_tokens": 6}})["max_tokens"] == 6


def test_a_request_without_messages_is_refused() -> None:
    with pytest.raises(LlmError) as caught:
        body(COHERE, [])
    assert caught.value.kind == "invalid_request"


def test_a_call_without_a_result_and_a_model_in_the_url_are_in_order() -> None:
    """B019."""
    call = WIRE.read_request({"messages": HI})
    assert call.model is None
    assert WIRE.build_request(call).body == {"messages": HI}
