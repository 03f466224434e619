"""Tests of LlmResponse: an answer, or the reason why there is none."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from triptych import LlmError, LlmResponse, Message, Notice, Reasoning, Refusal, Text, ToolCall, Usage

ITEMS = (
    "Message or ToolCall or ToolResult or Reasoning or Refusal or ErrorItem or Deleted or CompressionFiller or "
    "ClientContext or Opaque"
)


def full() -> LlmResponse:
    """Return an answer with every field set."""
    return LlmResponse(
        content=[
            Reasoning("first"),
            Message("assistant", "4"),
            ToolCall("c1", "f", {"a": 1}),
            Reasoning(summary=["second", "third"]),
            Reasoning(redacted=True, encrypted="x"),
            Message("assistant", [Text("!")]),
            ToolCall("c2", "g"),
        ],
        usage=Usage(10, 5, raw={"prompt_tokens": 10}),
        finish_reason="tool_calls",
        raw_finish_reason="tool_use",
        model="m-1",
        id="r1",
        provider="openai",
        notices=(Notice("a", "b", "c"),),
        output={"a": 4},
        raw={"id": "r1"},
    )


def test_an_empty_answer() -> None:
    response = LlmResponse()
    assert (response.content, response.error, response.error_message) == ([], None, None)
    assert (response.usage, response.usage_metadata, response.notices, response.raw) == (None, {}, (), None)
    assert (response.text, response.tool_calls, response.reasoning, response.output) == ("", [], "", None)
    response.raise_for_error()


def test_an_answer_is_read_by_kind_and_in_order() -> None:
    response = full()
    assert response.text == "4!"
    assert response.tool_calls == [ToolCall("c1", "f", {"a": 1}), ToolCall("c2", "g")]
    assert response.reasoning == "first\nsecond\nthird"
    assert LlmResponse(content=[Refusal("no")]).text == ""


def test_an_error_gives_its_words_and_can_be_raised() -> None:
    error = LlmError("slow down", "rate_limit", status=429)
    response = LlmResponse(error=error)
    assert response.error_message == "slow down"
    with pytest.raises(LlmError) as caught:
        response.raise_for_error()
    assert caught.value is error


def test_words_alone_are_a_failure_too() -> None:
    response = LlmResponse(error_message="it broke")
    assert (response.error, response.error_message) == (None, "it broke")
    with pytest.raises(LlmError) as caught:
        response.raise_for_error()
    assert caught.value == LlmError("it broke", "internal")


def test_words_of_the_caller_stand_beside_an_error() -> None:
    assert LlmResponse(error=LlmError("a"), error_message="b").error_message == "b"


def test_usage_and_its_short_form_give_each_other() -> None:
    short = {"input_tokens": 1, "output_tokens": 2}
    assert LlmResponse(usage_metadata=short).usage == Usage(1, 2)
    assert LlmResponse(usage_metadata=short).usage_metadata == short
    assert LlmResponse(usage=Usage(1, 2, cache_read_tokens=1)).usage_metadata == short
    assert LlmResponse(usage_metadata={"output_tokens": 2}).usage == Usage(0, 2)
    assert LlmResponse(usage=Usage(1, 2), usage_metadata={"input_tokens": 9}).usage == Usage(1, 2)


def test_what_a_failed_call_produced_is_kept() -> None:
    response = LlmResponse(content=[Message("assistant", "half")], error=LlmError("cut", "stream_interrupted"))
    assert response.text == "half"


@pytest.mark.parametrize(
    "response",
    [
        LlmResponse(),
        full(),
        LlmResponse(error=LlmError("it broke", "server", status=500, body="<html>"), provider="openai"),
        LlmResponse(error_message="it broke"),
    ],
    ids=["empty", "full", "error", "words"],
)
def test_a_copy_is_equal(response: LlmResponse) -> None:
    for again in (copy.copy(response), copy.deepcopy(response), pickle.loads(pickle.dumps(response))):
        assert again == response
        assert repr(again) == repr(response)


def test_the_raw_answer_is_not_in_the_repr() -> None:
    assert "raw={" not in repr(full())
    assert full().raw == {"id": "r1"}


def test_answers_do_not_share_their_lists() -> None:
    one, other = LlmResponse(), LlmResponse()
    one.content.append(Message("assistant", "x"))
    one.usage_metadata["input_tokens"] = 1
    assert other == LlmResponse()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"content": "4"}, f"LlmResponse.content: expected a list of {ITEMS}, got '4' (str)"),
        ({"content": ["4"]}, f"LlmResponse.content[0]: expected {ITEMS}, got '4' (str)"),
        ({"error": "it broke"}, "LlmResponse.error: expected LlmError or None, got 'it broke' (str)"),
        ({"error_message": 5}, "LlmResponse.error_message: expected str or None, got 5 (int)"),
        ({"usage": {"input_tokens": 1}}, "LlmResponse.usage: expected Usage or None, got {'input_tokens': 1} (dict)"),
        ({"usage_metadata": 5}, "LlmResponse.usage_metadata: expected dict, got 5 (int)"),
        ({"usage_metadata": {"input_tokens": "1"}}, "Usage.input_tokens: expected int, got '1' (str)"),
    ],
    ids=repr,
)
def test_a_wrong_field_is_named(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError) as caught:
        LlmResponse(**fields)
    assert str(caught.value) == words
