"""Requests of OpenAI Chat Completions: settings, dialects, and what travels verbatim."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import OPENAI, body, notices
from tests.formats.closed import faults
from triptych import formats
from triptych.errors import Notice
from triptych.formats import Call
from triptych.provider import Quirks
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool

SETTINGS: dict[str, Any] = {
    "temperature": 0,
    "top_p": 0.5,
    "stop": ["a", "b"],
    "frequency_penalty": 0.1,
    "presence_penalty": -0.1,
    "logprobs": True,
    "top_logprobs": 2,
    "user": "u",
    "metadata": {"k": "v"},
    "service_tier": "flex",
    "seed": 7,
    "max_tokens": 100,
}


def read(wire: dict[str, Any], quirks: Quirks | None = None) -> Call:
    return formats.load(OPENAI, "here", quirks).read_request({"messages": [{"role": "user", "content": "hi"}], **wire})


def test_every_setting_has_its_field() -> None:
    sent = body(OPENAI, settings=SETTINGS)
    assert {name: sent[name] for name in SETTINGS} == SETTINGS
    assert faults(OPENAI, sent) == []


def test_every_setting_is_read_back() -> None:
    assert read(SETTINGS).settings == Settings(**SETTINGS)


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
def test_the_token_limit_has_the_one_name_that_the_host_knows(field: Any) -> None:
    """B048."""
    quirks = Quirks(max_tokens_field=field)
    sent = body(OPENAI, settings={"max_tokens": 100}, quirks=quirks)
    assert {name: value for name, value in sent.items() if name.startswith("max_")} == {field: 100}
    assert read({"max_tokens": 100}, quirks).settings.max_tokens == 100
    assert read({"max_completion_tokens": 100}, quirks).settings.max_tokens == 100


def test_a_token_limit_under_another_name_is_the_callers_own() -> None:
    """B048."""
    sent = body(OPENAI, settings={"extra_body": {"max_output_tokens": 5}})
    assert sent["max_output_tokens"] == 5
    assert "max_tokens" not in sent


def test_the_seed_has_the_name_that_the_host_knows() -> None:
    assert body(OPENAI, settings={"seed": 7}, quirks=Quirks(seed_field="random_seed"), known=False)["random_seed"] == 7


def test_a_setting_that_the_host_refuses_is_left_out_with_a_notice() -> None:
    quirks = Quirks(unsupported_settings=("temperature", "reasoning"))
    settings = {"temperature": 0, "reasoning": "low", "top_p": 1}
    assert body(OPENAI, settings=settings, quirks=quirks) == body(OPENAI, settings={"top_p": 1})
    assert [notice.path for notice in notices(OPENAI, settings=settings, quirks=quirks)] == [
        "settings.temperature",
        "settings.reasoning",
    ]


@pytest.mark.parametrize(
    ("way", "value", "fields"),
    [
        ("reasoning_effort", "low", {"reasoning_effort": "low"}),
        ("reasoning", "low", {"reasoning": {"effort": "low"}}),
        ("reasoning", 512, {"reasoning": {"max_tokens": 512}}),
        ("thinking", "low", {"thinking": {"type": "enabled"}}),
        ("thinking", "none", {"thinking": {"type": "disabled"}}),
        ("thinking", 512, {"thinking": {"type": "enabled", "budget_tokens": 512}}),
        ("thinking_effort", "high", {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
        ("thinking_effort", "none", {"thinking": {"type": "disabled"}}),
        ("enable_thinking", "low", {"enable_thinking": True}),
        ("enable_thinking", "none", {"enable_thinking": False}),
        ("enable_thinking", 512, {"enable_thinking": True, "thinking_budget": 512}),
    ],
)
def test_reasoning_is_said_and_read_as_the_host_says_it(way: Any, value: Any, fields: dict[str, Any]) -> None:
    quirks = Quirks(reasoning_setting=way)
    sent = body(OPENAI, settings={"reasoning": value}, quirks=quirks, known=way != "enable_thinking")
    assert sent == {**body(OPENAI), **fields}
    wire = formats.load(OPENAI, "here", quirks)
    assert wire.build_request(wire.read_request(sent)).body == sent


@pytest.mark.parametrize(("way", "value"), [("reasoning_effort", 512), ("none", "low")])
def test_reasoning_that_the_host_cannot_be_told_is_left_out_with_a_notice(way: Any, value: Any) -> None:
    quirks = Quirks(reasoning_setting=way)
    assert body(OPENAI, settings={"reasoning": value}, quirks=quirks) == body(OPENAI)
    assert notices(OPENAI, settings={"reasoning": value}, quirks=quirks) == [
        Notice(
            "settings.reasoning",
            f"{value!r} left out",
            "this host cannot be told how much to think, or not in this way",
        )
    ]


def test_a_stream_asks_for_its_usage_unless_the_host_refuses_that() -> None:
    assert body(OPENAI, stream=True) == {**body(OPENAI), "stream": True, "stream_options": {"include_usage": True}}
    assert body(OPENAI, stream=True, quirks=Quirks(stream_options=False)) == {**body(OPENAI), "stream": True}


@pytest.mark.parametrize(
    ("output", "form"),
    [
        (OutputSchema({"type": "object"}), {"name": "output", "schema": {"type": "object"}}),
        (OutputSchema({"title": "A b/c"}), {"name": "A_b_c", "schema": {"title": "A b/c"}}),
        (
            OutputSchema({}, "own", description="d", strict=True),
            {"name": "own", "schema": {}, "description": "d", "strict": True},
        ),
    ],
)
def test_a_schema_for_the_answer_is_named_as_the_api_demands(output: OutputSchema, form: dict[str, Any]) -> None:
    assert body(OPENAI, output_type=output)["response_format"] == {"type": "json_schema", "json_schema": form}


@pytest.mark.parametrize("role", ["system", "developer"])
def test_instructions_go_under_the_role_of_the_host(role: Any) -> None:
    sent = body(OPENAI, instructions=["a", "b"], quirks=Quirks(instruction_role=role))
    assert [message["role"] for message in sent["messages"]] == [role, role, "user"]


def test_extra_fields_go_out_verbatim_and_win() -> None:
    settings = {"temperature": 0, "extra_body": {"temperature": 1, "own": None}}
    assert body(OPENAI, settings=settings) == {**body(OPENAI), "temperature": 1, "own": None}


def test_a_model_that_the_url_names_is_absent() -> None:
    assert "model" not in body(OPENAI, model=None)


@pytest.mark.parametrize(
    "odd",
    [
        {"temperature": "hot"},
        {"stop": 5},
        {"max_tokens": None},
        {"tool_choice": "unheard-of"},
        {"tool_choice": {"type": "function", "function": {"name": "unknown"}}},
        {"response_format": {"type": "json_object"}},
        {"n": 2},
        {"tools": "none"},
        {"stream_options": {"include_usage": False}, "stream": True},
        {"reasoning_effort": None},
        {"logit_bias": {"1": -100}},
    ],
    ids=str,
)
def test_a_field_that_no_setting_can_say_travels_as_it_came(odd: dict[str, Any]) -> None:
    wire = formats.load(OPENAI, "here")
    sent = {"model": "m", "messages": [{"role": "user", "content": "hi"}], **odd}
    assert wire.build_request(wire.read_request(sent)).body == sent


def test_a_read_request_is_the_call_that_was_built() -> None:
    tools = [BaseTool("f", "Does.", {"type": "object", "properties": {}}, strict=True)]
    output = OutputSchema({"type": "object"}, "own", strict=True)
    request = LlmRequest("be brief", "hi", tools=tools, tool_choice="f", output_type=output)
    call = Call(request, "m", Settings(temperature=0, parallel_tool_calls=False, reasoning="low"), stream=True)
    wire = formats.load(OPENAI, "here")
    read_back = wire.read_request(wire.build_request(call).body)
    assert (read_back.model, read_back.stream, read_back.settings) == ("m", True, call.settings)
    assert read_back.request.instructions == ["be brief"]
    assert read_back.request.contents == request.contents
    assert read_back.request.output_type == output
    assert read_back.request.tool_choice == "f"
    assert [tool.name for tool in read_back.request.tools] == ["f"]
