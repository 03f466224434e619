"""Answers of Mistral's API, and its errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.formats.bodies import issuer, messages, openai_answer, parsed
from triptych import formats
from triptych.content import Message, Reasoning, ToolCall
from triptych.errors import LlmError
from triptych.parts import Opaque, Text
from triptych.usage import Usage

MISTRAL = "mistral_chat"
HERE = issuer(MISTRAL)
THINK = {"type": "thinking", "thinking": [{"type": "text", "text": "so"}], "closed": True}
NO = {"object": "error", "message": "no", "param": None}


def test_thoughts_and_words_are_items_in_their_order_and_go_back_as_they_came() -> None:
    reference = {"type": "reference", "reference_ids": [1]}
    wire = [THINK, {"type": "text", "text": "a"}, reference]
    response = parsed(MISTRAL, openai_answer({"content": wire, "tool_calls": None}))
    assert response.content == [
        Reasoning("so", provider_data={"closed": True}, issuer=HERE),
        Message("assistant", [Text("a"), Opaque(reference, issuer=HERE)]),
    ]
    assert (response.reasoning, response.text) == ("so", "a")
    assert messages(MISTRAL, [*response.content, Message("user", "and?")])[0] == {"role": "assistant", "content": wire}


def test_a_call_without_arguments_is_a_call() -> None:
    """The token limit fell before the arguments."""
    call = {"id": "aaaaaaaaa", "type": "function", "function": {"name": "f", "arguments": ""}, "index": 0}
    response = parsed(MISTRAL, openai_answer({"content": "", "tool_calls": [call]}, "length"))
    assert response.content == [ToolCall("aaaaaaaaa", "f")]
    assert response.finish_reason == "length"


def test_calls_with_the_same_id_or_none_get_ids_of_their_own() -> None:
    calls = [{"id": given, "function": {"name": "f", "arguments": "{}"}} for given in ("a", "a", None)]
    response = parsed(MISTRAL, openai_answer({"tool_calls": calls}))
    assert len({call.tool_call_id for call in response.tool_calls}) == 3


def test_an_answer_of_several_messages_has_the_items_of_all() -> None:
    found = {"role": "tool", "content": "4", "tool_call_id": "aaaaaaaaa"}
    several = [{"role": "assistant", "content": "a"}, found, {"role": "assistant", "content": "b"}]
    body = {"id": "r1", "model": "m", "choices": [{"index": 0, "messages": several, "finish_reason": "stop"}]}
    assert parsed(MISTRAL, body).content == [
        Message("assistant", "a"),
        Opaque(found, issuer=HERE),
        Message("assistant", "b"),
    ]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("model_length", "length"),
        ("tool_calls", "tool_calls"),
        ("error", "error"),
        ("novel", "other"),
        (None, "unknown"),
    ],
)
def test_the_finish_reason_is_the_neutral_one(word: Any, reason: str) -> None:
    response = parsed(MISTRAL, openai_answer({"content": "a"}, word))
    assert (response.finish_reason, response.raw_finish_reason) == (reason, word)


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}, Usage(5, 7)),
        ({"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12, "num_cached_tokens": 4}, Usage(5, 7, 4)),
        (
            {
                "prompt_tokens": 11,
                "completion_tokens": 15,
                "total_tokens": 401,
                "prompt_tokens_details": {"audio_tokens": 375, "cached_tokens": 9},
            },
            Usage(386, 15, 9),
        ),
    ],
)
def test_the_usage_counts_sound_and_cached_tokens_as_input(counts: Any, usage: Usage) -> None:
    assert parsed(MISTRAL, openai_answer({"content": "a"}, usage=counts)).usage == usage


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (401, {"detail": "Invalid API Key"}, LlmError("Invalid API Key", "authentication", status=401)),
        (
            422,
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "x"], "msg": "no"}]},
            LlmError("body.x: no", "invalid_request", status=422),
        ),
        (
            400,
            {**NO, "type": "invalid_model", "code": "1500"},
            LlmError("no", "not_found", status=400, code="1500"),
        ),
        (
            429,
            {**NO, "type": "service_tier_capacity_exceeded", "code": "3505"},
            LlmError("no", "overloaded", status=429, code="3505"),
        ),
        (429, {**NO, "type": "rate_limited", "code": "1300"}, LlmError("no", "rate_limit", status=429, code="1300")),
        (
            400,
            {**NO, "message": "Prompt is too large for model with 32768 maximum context length", "code": "3051"},
            LlmError(
                "Prompt is too large for model with 32768 maximum context length",
                "context_length",
                status=400,
                code="3051",
            ),
        ),
    ],
)
def test_an_error_has_the_kind_that_its_type_words_or_status_say(status: int, body: Any, expected: LlmError) -> None:
    headers = {"mistral-correlation-id": "req_1"}
    error = formats.load(MISTRAL).parse_error(status, headers, json.dumps(body).encode())
    assert error == expected.evolve(request_id="req_1")


def test_an_error_with_a_good_status_is_an_error() -> None:
    body = {**NO, "type": "rate_limited", "code": "1300", "raw_status_code": 429}
    response = parsed(MISTRAL, body)
    assert response.error == LlmError("no", "rate_limit", status=429, code="1300")
    assert (response.content, response.raw) == ([], body)


@pytest.mark.parametrize("body", [{}, [], {"choices": None}, {"choices": [{"index": 0}]}, "<html>"])
def test_an_answer_of_a_wrong_shape_is_a_malformed_response(body: Any) -> None:
    error = parsed(MISTRAL, body).error
    assert error is not None
    assert error.kind == "malformed_response"
