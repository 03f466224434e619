"""Responses of generateContent: items, reasons, usage, and answers that are none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import HERE, parsed
from tests.formats.gemini_generate.recorded import GEMINI
from triptych import formats
from triptych.content import Message, Reasoning, ToolCall
from triptych.errors import LlmError
from triptych.formats import Call
from triptych.parts import Issuer, Text
from triptych.request import LlmRequest
from triptych.response import LlmResponse
from triptych.usage import Usage

OWN = Issuer(GEMINI, HERE)


def answer(*parts: Any, finish: Any = "STOP", **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": finish, **more}]}


def called(name: str, **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **more}}


def test_only_a_marked_part_is_a_thought_and_a_signature_stays_with_its_part() -> None:
    """B096, B097."""
    response = parsed(
        GEMINI,
        answer(
            {"text": "plan", "thought": True},
            {"text": "Hello", "thoughtSignature": "c2ln"},
            {**called("f"), "thoughtSignature": "dHdv"},
        ),
    )
    assert response.content == [
        Reasoning("plan", issuer=OWN),
        Message("assistant", [Text("Hello", provider_data={"thoughtSignature": "c2ln"}, issuer=OWN)]),
        ToolCall("call_0_0", "f", {}, provider_data={"thoughtSignature": "dHdv"}, issuer=OWN),
    ]
    assert (response.text, response.reasoning) == ("Hello", "plan")


def test_a_signature_alone_is_kept() -> None:
    response = parsed(GEMINI, answer({"text": "red"}, {"text": "", "thoughtSignature": "c2ln"}))
    seal = Text("", provider_data={"thoughtSignature": "c2ln"}, issuer=OWN)
    assert response.content == [Message("assistant", [Text("red"), seal])]


def test_ids_are_made_where_they_are_empty_absent_or_repeated() -> None:
    """B010: and they differ from those of the turns before."""
    body = answer(called("f", id=""), called("f"), called("g", id="x"), called("g", id="x"))
    call = Call(LlmRequest(contents=[Message("user", "a"), Message("assistant", "b")]))
    response = formats.load(GEMINI, HERE).parse_response(body, call)
    assert [item.tool_call_id for item in response.tool_calls] == ["call_2_0", "call_2_1", "x", "x_2"]


@pytest.mark.parametrize("candidates", [{}, {"candidates": []}, {"candidates": None}], ids=["absent", "empty", "null"])
def test_a_blocked_prompt_is_an_error_with_its_reason(candidates: dict[str, Any]) -> None:
    """B091."""
    feedback = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 5}}
    assert parsed(GEMINI, {**candidates, **feedback}) == LlmResponse(
        error=LlmError("the prompt was blocked: SAFETY", "content_filter", code="SAFETY"),
        usage=Usage(5),
        finish_reason="content_filter",
        raw_finish_reason="SAFETY",
        provider=HERE,
    )


@pytest.mark.parametrize("content", [{"role": "model"}, {}, None, {"parts": []}])
def test_an_answer_that_was_spent_on_thoughts_is_empty(content: Any) -> None:
    """B090."""
    body = {
        "candidates": [{"content": content, "finishReason": "MAX_TOKENS"}],
        "usageMetadata": {"thoughtsTokenCount": 2999, "totalTokenCount": 4705},
    }
    response = parsed(GEMINI, body)
    assert (response.content, response.error, response.finish_reason) == ([], None, "length")
    assert response.usage == Usage(0, 2999, reasoning_tokens=2999)


def test_a_malformed_call_is_none_to_execute() -> None:
    """B089."""
    response = parsed(GEMINI, answer({"text": "so"}, called("f"), finish="MALFORMED_FUNCTION_CALL"))
    assert (response.content, response.tool_calls) == ([Message("assistant", "so")], [])
    assert response.finish_reason == "error"
    assert response.error is not None
    assert (response.error.kind, response.error.code) == ("malformed_response", "MALFORMED_FUNCTION_CALL")
    assert response.error.partial == (ToolCall("call_0_0", "f"),)


@pytest.mark.parametrize(
    ("given", "provider", "raw", "neutral"),
    [
        ("STOP", HERE, "STOP", "stop"),
        (1, HERE, "STOP", "stop"),
        (2, HERE, "MAX_TOKENS", "length"),
        (7, "gemini", "BLOCKLIST", "content_filter"),
        (7, "vertex", "PROHIBITED_CONTENT", "content_filter"),
        (6, "gemini", "LANGUAGE", "other"),
        ("SAFETY", HERE, "SAFETY", "content_filter"),
        ("RECITATION", HERE, "RECITATION", "content_filter"),
        (99, HERE, "99", "other"),
        ("NOVEL", HERE, "NOVEL", "other"),
        (0, HERE, None, "unknown"),
        ("FINISH_REASON_UNSPECIFIED", HERE, None, "unknown"),
        (None, HERE, None, "unknown"),
    ],
)
def test_a_finish_reason_is_a_name_or_a_number_of_the_host(given: Any, provider: str, raw: Any, neutral: str) -> None:
    """B078: a limit is a limit, whatever else the answer should have been."""
    response = parsed(GEMINI, answer({"text": "so"}, finish=given), provider=provider)
    assert (response.raw_finish_reason, response.finish_reason, response.text) == (raw, neutral, "so")


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        (
            {"promptTokenCount": 20, "candidatesTokenCount": 198, "thoughtsTokenCount": 405, "totalTokenCount": 623},
            Usage(20, 603, reasoning_tokens=405),
        ),
        ({"candidatesTokenCount": 8, "thoughtsTokenCount": 300}, Usage(0, 308, reasoning_tokens=300)),
        (
            {"promptTokenCount": 10, "cachedContentTokenCount": 8, "toolUsePromptTokenCount": 5},
            Usage(15, 0, cache_read_tokens=8),
        ),
        ({"trafficType": "ON_DEMAND"}, None),
    ],
    ids=["thoughts", "more thoughts than words", "cached, and tools", "nothing"],
)
def test_usage_counts_all_that_was_read_and_written(counts: Any, usage: Any) -> None:
    """B148, B152, B153."""
    assert parsed(GEMINI, {**answer({"text": "so"}), "usageMetadata": counts}).usage == usage


def test_an_answer_in_snake_case_is_read() -> None:
    candidate = {"content": {"parts": [{"function_call": {"name": "f", "args": {"a_b": 1}}}]}, "finish_reason": 1}
    response = parsed(GEMINI, {"candidates": [candidate], "usage_metadata": {"prompt_token_count": 3}})
    assert response.tool_calls == [ToolCall("call_0_0", "f", {"a_b": 1})]
    assert (response.finish_reason, response.usage) == ("tool_calls", Usage(3))


@pytest.mark.parametrize("body", [{"id": 5}, {"candidates": 5}, {"candidates": [{"content": {"parts": [5]}}]}, 5])
def test_what_is_no_answer_is_an_error(body: Any) -> None:
    response = parsed(GEMINI, body)
    assert response.error is not None
    assert response.error.kind == "malformed_response"


def test_an_error_in_a_successful_answer_is_an_error() -> None:
    response = parsed(GEMINI, {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}})
    assert response.error is not None
    assert (response.error.kind, response.error.status, response.error.code) == ("overloaded", 503, "UNAVAILABLE")
