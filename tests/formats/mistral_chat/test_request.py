"""Requests of Mistral's API: settings, tools and shapes under its names, and read back from them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import body, notices
from triptych import formats
from triptych.errors import Notice
from triptych.provider import Quirks
from triptych.request import OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool

MISTRAL = "mistral_chat"
TOOL = BaseTool("f", "does", {"type": "object", "properties": {}})


def test_settings_have_the_names_of_the_api() -> None:
    sent = body(
        MISTRAL,
        settings={"max_tokens": 9, "seed": 7, "top_p": 0.5, "stop": ["x"], "reasoning": "high", "metadata": {"a": 1}},
    )
    assert {key: value for key, value in sent.items() if key not in ("model", "messages")} == {
        "max_tokens": 9,
        "random_seed": 7,
        "top_p": 0.5,
        "stop": ["x"],
        "reasoning_effort": "high",
        "metadata": {"a": 1},
    }


def test_a_stream_asks_for_nothing_more() -> None:
    """B050: `stream_options` is a 422."""
    assert body(MISTRAL, stream=True).keys() == {"model", "messages", "stream"}


def test_a_setting_that_the_api_lacks_is_left_out_with_a_notice() -> None:
    settings = {"user": "u1", "reasoning": 2048}
    assert body(MISTRAL, settings=settings).keys() == {"model", "messages"}
    assert [(notice.path, notice.what) for notice in notices(MISTRAL, settings=settings)] == [
        ("settings.user", "left out"),
        ("settings.reasoning", "2048 left out"),
    ]


@pytest.mark.parametrize(
    ("choice", "wire"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ("required", "any"),
        ("any", "any"),
        ("f", {"type": "function", "function": {"name": "f"}}),
    ],
)
def test_the_choice_of_a_tool_is_said_in_the_words_of_the_api(choice: str, wire: Any) -> None:
    """B029."""
    assert body(MISTRAL, tools=[TOOL], tool_choice=choice)["tool_choice"] == wire


@pytest.mark.parametrize("word", ["any", "required"])
def test_both_words_for_some_tool_are_read_and_go_back_as_they_came(word: str) -> None:
    here = formats.load(MISTRAL)
    wire = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tool_choice": word}
    wire["tools"] = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    call = here.read_request(wire)
    assert call.request.tool_choice == "required"
    assert here.build_request(call).body == wire


def test_a_tool_without_arguments_has_an_empty_schema() -> None:
    assert body(MISTRAL, tools=[BaseTool("f")])["tools"] == [
        {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    ]


def test_the_shape_of_the_answer_is_a_json_schema() -> None:
    output = OutputSchema({"type": "object"}, "sum", description="why", strict=True)
    assert body(MISTRAL, output_type=output)["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "sum", "schema": {"type": "object"}, "description": "why", "strict": True},
    }


def test_fields_without_a_setting_travel_verbatim() -> None:
    fields = {
        "safe_prompt": True,
        "prompt_mode": "reasoning",
        "guardrails": [{"block_on_error": True}],
        "prediction": {"type": "content", "content": "x"},
        "n": 2,
        "min_tokens": 1,
        "response_format": {"type": "json_object"},
        "temperature": None,
    }
    wire = {"model": "m", "messages": [{"role": "user", "content": "hi"}], **fields}
    here = formats.load(MISTRAL)
    call = here.read_request(wire)
    assert call.settings == Settings(extra_body=fields)
    assert here.build_request(call).body == wire


def test_a_setting_that_a_model_refuses_is_left_out() -> None:
    quirks = Quirks(unsupported_settings=("logprobs",))
    assert "logprobs" not in body(MISTRAL, settings={"logprobs": True}, quirks=quirks)
    assert notices(MISTRAL, settings={"logprobs": True}, quirks=quirks) == [
        Notice("settings.logprobs", "left out", "this model or host refuses it")
    ]
