"""Requests of Ollama: options, thinking, tools, the form of the answer, and what travels verbatim."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import body, notices
from tests.formats.ollama_chat.recorded import OLLAMA
from triptych import formats
from triptych.errors import Notice
from triptych.formats import Call
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


def test_a_plain_request_says_that_it_is_no_stream() -> None:
    """The server streams unless it is told not to."""
    plain = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": False}
    assert body(OLLAMA) == plain
    assert body(OLLAMA, stream=True) == {**plain, "stream": True}


def test_every_setting_that_the_api_has_goes_under_its_option_or_field() -> None:
    """B048: the limit of tokens has one name here."""
    options = {"temperature": 0, "top_p": 0.5, "top_k": 3, "seed": 7, "presence_penalty": 1, "frequency_penalty": 0.5}
    fields = {"logprobs": True, "top_logprobs": 2}
    sent = body(OLLAMA, settings={**options, **fields, "max_tokens": 9, "stop": "x"})
    assert sent == {**body(OLLAMA), **fields, "options": {**options, "num_predict": 9, "stop": ["x"]}}


@pytest.mark.parametrize(
    ("name", "value"),
    [("parallel_tool_calls", False), ("user", "u"), ("metadata", {"k": "v"}), ("service_tier", "flex")],
)
def test_a_setting_that_the_api_lacks_is_left_out_with_a_notice(name: str, value: Any) -> None:
    assert body(OLLAMA, settings={name: value}) == body(OLLAMA)
    expected = [Notice(f"settings.{name}", "left out", "this API has no such setting")]
    assert notices(OLLAMA, settings={name: value}) == expected


@pytest.mark.parametrize(
    ("value", "think", "noted"),
    [
        ("none", False, False),
        ("low", "low", False),
        ("high", "high", False),
        ("max", "max", False),
        ("minimal", "low", True),
        ("xhigh", "high", True),
        (2048, True, True),
    ],
)
def test_reasoning_is_a_switch_or_a_level(value: Any, think: bool | str, noted: bool) -> None:
    assert body(OLLAMA, settings={"reasoning": value}) == {**body(OLLAMA), "think": think}
    what = Notice(
        "settings.reasoning",
        f"{value!r} became {think!r}",
        "this API takes a switch or a level, and no number of tokens",
    )
    assert notices(OLLAMA, settings={"reasoning": value}) == [what] * noted


def test_further_options_stand_beside_those_of_the_settings_and_win() -> None:
    own = {"options": {"num_ctx": 8192, "seed": 1}, "keep_alive": "5m", "think": True}
    sent = body(OLLAMA, settings={"temperature": 0, "seed": 7, "extra_body": own}, known=False)
    assert sent == {**body(OLLAMA), **own, "options": {"temperature": 0, "num_ctx": 8192, "seed": 1}}


def test_the_schema_of_the_answer_is_its_format() -> None:
    assert body(OLLAMA, output_type=SCHEMA) == {**body(OLLAMA), "format": SCHEMA}


def test_tools_are_functions_and_one_without_arguments_has_an_empty_schema() -> None:
    """B033."""
    tools = [BaseTool("f", "Does.", SCHEMA), BaseTool("g")]
    assert body(OLLAMA, tools=tools)["tools"] == [
        {"type": "function", "function": {"name": "f", "description": "Does.", "parameters": SCHEMA}},
        {"type": "function", "function": {"name": "g", "parameters": {"type": "object", "properties": {}}}},
    ]
    assert "tools" not in body(OLLAMA, tools=[])  # B025


@pytest.mark.parametrize(
    ("choice", "sent", "what"),
    [
        (None, True, None),
        ("auto", True, None),
        ("none", False, "'none' became a request without tools"),
        ("required", True, "'required' left out"),
        ("f", True, "'f' left out"),
    ],
)
def test_a_choice_of_tools_is_noted_where_it_cannot_be_said(choice: Any, sent: bool, what: str | None) -> None:
    tools = [BaseTool("f")]
    assert ("tools" in body(OLLAMA, tools=tools, tool_choice=choice)) is sent
    expected = [Notice("tool_choice", what, "this API has no choice of tools")] if what else []
    assert notices(OLLAMA, tools=tools, tool_choice=choice) == expected


def test_a_strict_tool_and_one_of_another_api_are_noted() -> None:
    elsewhere = ProviderTool({"type": "web_search"}, formats.load("openai_chat", "there").issuer)
    paths = [notice.path for notice in notices(OLLAMA, tools=[BaseTool("f", strict=True), elsewhere])]
    assert paths == ["tools[1]", "tools[0].strict"]


@pytest.mark.parametrize(
    "odd",
    [
        {"think": True},
        {"think": "high"},
        {"think": False},
        {"format": "json"},
        {"format": ""},
        {"format": None},
        {"format": {}},
        {"options": {}},
        {"options": None},
        {"options": {"temperature": "hot", "seed": 1}},
        {"options": {"num_ctx": 5, "temperature": 0, "stop": "x"}},
        {"options": {"stop": []}},
        {"options": {"stop": ["x"], "num_predict": -1}},
        {"keep_alive": None},
        {"keep_alive": -1},
        {"truncate": False},
        {"logprobs": True, "top_logprobs": 3},
        {"tools": None},
        {"tools": [{"type": "web_search"}]},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA, "own": 1}}]},
    ],
    ids=str,
)
def test_a_field_of_every_form_is_built_back_as_it_was(odd: dict[str, Any]) -> None:
    wire = formats.load(OLLAMA, "here")
    sent = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": False, **odd}
    assert wire.build_request(wire.read_request(sent)).body == sent


def test_a_tool_is_built_back_with_its_type() -> None:
    """It may be left out, and is a function then."""
    wire, tool = formats.load(OLLAMA, "here"), {"function": {"name": "f", "own": 1}}
    built = wire.build_request(wire.read_request({**body(OLLAMA), "tools": [tool]})).body
    assert built == {**body(OLLAMA), "tools": [{"type": "function", **tool}]}


@pytest.mark.parametrize(("said", "stream"), [({}, True), ({"stream": None}, True), ({"stream": False}, False)])
def test_silence_about_streaming_means_a_stream(said: dict[str, Any], stream: bool) -> None:
    sent = {"model": "m", "messages": [{"role": "user", "content": "hi"}], **said}
    assert formats.load(OLLAMA).read_request(sent).stream is stream


def test_a_read_request_is_the_call_that_was_built() -> None:
    request = LlmRequest("be brief", "hi", tools=[BaseTool("f", "Does.", SCHEMA)], output_type=OutputSchema(SCHEMA))
    settings = Settings(temperature=0, max_tokens=9, stop=["x"], reasoning="high", logprobs=True)
    whole = Call(request, "m", settings, stream=True)
    wire = formats.load(OLLAMA, "here")
    assert wire.read_request(wire.build_request(whole).body) == whole
