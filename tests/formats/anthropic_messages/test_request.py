"""Requests of Anthropic Messages: settings, thinking, and what travels verbatim."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import ANTHROPIC, body, notices
from tests.formats.closed import faults
from triptych import formats
from triptych.errors import Notice
from triptych.formats import Call
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool


def test_every_setting_that_the_api_has_goes_under_its_field() -> None:
    settings = {"temperature": 0, "top_p": 0.5, "top_k": 3, "max_tokens": 9, "service_tier": "auto"}
    sent = body(ANTHROPIC, settings={**settings, "stop": "x", "user": "u"})
    assert sent == {**body(ANTHROPIC), **settings, "stop_sequences": ["x"], "metadata": {"user_id": "u"}}
    assert faults(ANTHROPIC, sent) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", 0),
        ("frequency_penalty", 0.0),
        ("presence_penalty", 1),
        ("logprobs", False),
        ("top_logprobs", 2),
        ("metadata", {"k": "v"}),
    ],
)
def test_a_setting_that_the_api_lacks_is_left_out_with_a_notice(name: str, value: Any) -> None:
    assert body(ANTHROPIC, settings={name: value}) == body(ANTHROPIC)
    assert notices(ANTHROPIC, settings={name: value}) == [
        Notice(f"settings.{name}", "left out", "this API has no such setting")
    ]


def test_the_limit_that_the_api_demands_is_there_and_the_callers_own_wins() -> None:
    """B048."""
    assert body(ANTHROPIC)["max_tokens"] == 4096
    assert body(ANTHROPIC, settings={"max_tokens": 100})["max_tokens"] == 100
    assert "max_completion_tokens" not in body(ANTHROPIC, settings={"max_tokens": 100})


def test_a_budget_of_thinking_is_added_to_the_limit_of_our_own() -> None:
    sent = body(ANTHROPIC, settings={"reasoning": 9000})
    assert (sent["thinking"], sent["max_tokens"]) == ({"type": "enabled", "budget_tokens": 9000}, 13096)


@pytest.mark.parametrize(
    ("model", "value", "fields"),
    [
        ("claude-opus-4-6", "high", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
        ("claude-opus-4-6", "none", {"thinking": {"type": "disabled"}}),
        ("claude-opus-4-6", 2048, {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("claude-3-7-sonnet-latest", "low", {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("claude-3-7-sonnet-latest", "none", {"thinking": {"type": "disabled"}}),
        ("claude-sonnet-4-20250514", "high", {"thinking": {"type": "enabled", "budget_tokens": 16384}}),
        ("claude-sonnet-4-5-20250929", "medium", {"thinking": {"type": "enabled", "budget_tokens": 8192}}),
        ("claude-3-7-sonnet-latest", "novel", {}),
    ],
)
def test_reasoning_is_said_as_the_model_knows_it(model: str, value: Any, fields: dict[str, Any]) -> None:
    sent = body(ANTHROPIC, model=model, settings={"reasoning": value, "max_tokens": 50000})
    assert {name: sent[name] for name in sent.keys() & {"thinking", "output_config"}} == fields
    paths = [notice.path for notice in notices(ANTHROPIC, model=model, settings={"reasoning": value})]
    assert paths == ([] if fields else ["settings.reasoning"])


@pytest.mark.parametrize(
    ("instructions", "system"),
    [
        ([], None),
        (["a"], "a"),
        (["a", "b"], [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
        (["", " ", "b"], [{"type": "text", "text": "b"}]),
    ],
)
def test_instructions_are_the_system_text(instructions: list[str], system: Any) -> None:
    assert body(ANTHROPIC, instructions=instructions).get("system") == system


def test_extra_fields_go_out_verbatim_and_win() -> None:
    settings = {"extra_body": {"anthropic_version": "v", "max_tokens": 5}}
    expected = {**body(ANTHROPIC), "anthropic_version": "v", "max_tokens": 5}
    assert body(ANTHROPIC, settings=settings, known=False) == expected


def test_a_stream_is_asked_for_by_one_field() -> None:
    assert body(ANTHROPIC, stream=True) == {**body(ANTHROPIC), "stream": True}


@pytest.mark.parametrize(
    "odd",
    [
        {"temperature": "hot"},
        {"thinking": {"type": "adaptive", "display": "omitted"}},
        {"thinking": {"type": "enabled", "budget_tokens": 1024, "display": "omitted"}},
        {"output_config": {"effort": "low"}},
        {"tool_choice": {"type": "tool", "name": "unknown"}},
        {"metadata": {"user_id": None}},
        {"metadata": {"user_id": "u", "own": 1}},
        {"context_management": {"edits": []}},
        {"tools": "none"},
        {"stop_sequences": []},
        {"system": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]},
        {"system": [{"type": "text", "text": "a"}]},
        {"system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"mcp_servers": [{"type": "url", "url": "https://h", "name": "m"}]},
    ],
    ids=str,
)
def test_a_field_of_another_form_travels_as_it_came(odd: dict[str, Any]) -> None:
    wire = formats.load(ANTHROPIC, "here")
    sent = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 5, **odd}
    assert wire.build_request(wire.read_request(sent)).body == sent


@pytest.mark.parametrize(
    "choice",
    [
        {"type": "auto"},
        {"type": "any"},
        {"type": "none"},
        {"type": "tool", "name": "f"},
        {"type": "any", "disable_parallel_tool_use": True},
        {"type": "auto", "disable_parallel_tool_use": False},
    ],
    ids=str,
)
def test_a_choice_is_read_and_built_back(choice: dict[str, Any]) -> None:
    wire = formats.load(ANTHROPIC, "here")
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    sent = {**body(ANTHROPIC), "tools": tools, "tool_choice": choice}
    call = wire.read_request(sent)
    assert call.settings.extra_body is None
    assert wire.build_request(call).body == sent


def test_a_read_request_is_the_call_that_was_built() -> None:
    request = LlmRequest("be brief", "hi", tools=[BaseTool("f", "Does.", {"type": "object"})], tool_choice="f")
    output = OutputSchema({"type": "object"})
    settings = Settings(temperature=0, max_tokens=9, stop=["x"], user="u", parallel_tool_calls=False)
    whole = LlmRequest(request.instructions, request.contents, request.tools, "f", output)
    call = Call(whole, "m", settings, stream=True)
    wire = formats.load(ANTHROPIC, "here")
    assert wire.read_request(wire.build_request(call).body) == call


@pytest.mark.parametrize(
    ("effort", "limit", "budget"),
    [("high", None, 16384), ("high", 4096, 4095), ("low", 50000, 2048), ("high", 1025, 1024), ("high", 1024, None)],
)
def test_an_effort_as_a_budget_stays_below_the_token_limit(effort: str, limit: int | None, budget: int | None) -> None:
    settings = {"reasoning": effort, "max_tokens": limit}
    thinking = body(ANTHROPIC, model="claude-sonnet-4-5", settings=settings).get("thinking")
    assert thinking == (None if budget is None else {"type": "enabled", "budget_tokens": budget})
    said = notices(ANTHROPIC, model="claude-sonnet-4-5", settings=settings)
    assert [notice.path for notice in said] == ([] if budget is not None else ["settings.reasoning"])


@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-sonnet-4-5"])
def test_another_hosts_own_name_of_an_effort_is_a_notice(model: str) -> None:
    settings = {"reasoning": "default"}
    sent = body(ANTHROPIC, model=model, settings=settings)
    assert ("thinking" in sent, "output_config" in sent) == (False, False)
    assert [str(notice) for notice in notices(ANTHROPIC, model=model, settings=settings)] == [
        "settings.reasoning: 'default' left out: this API knows minimal, low, medium, high, xhigh, max, and none"
    ]
