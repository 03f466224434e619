"""Answers as providers send them, in every format: what is odd is kept or said, and no text is lost."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import (
    ALL,
    ANTHROPIC,
    BOTH,
    OBJECTS,
    OPENAI,
    answer,
    anthropic_answer,
    body,
    issuer,
    messages,
    openai_answer,
    parsed,
)
from tests.formats.plain import calls_in_body
from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.parts import Opaque, Text
from triptych.usage import Usage

both = pytest.mark.parametrize("name", BOTH)
each = pytest.mark.parametrize("name", ALL)


# What answers of an API do not say, and the names of what Gemini's say.
UNSAID = {"ollama_chat": ("id",), "cohere_chat": ("model",), "bedrock_converse": ("id", "model")}
GEMINI = {"id": "responseId", "model": "modelVersion", "usage": "usageMetadata"}


def wire_name(name: str, field: str) -> str:
    """Return the name of a field of answers."""
    return GEMINI.get(field, field) if name == "gemini_generate" else field


@each
@pytest.mark.parametrize("value", [None, "", 7, {"a": 1}])
@pytest.mark.parametrize("fields", [("id",), ("model",), ("object", "type"), ("created", "role"), ("usage",)])
def test_odd_metadata_never_costs_the_text(name: str, fields: tuple[str, ...], value: Any) -> None:
    """B082, B099."""
    response = parsed(name, {**answer(name, "ok"), **{wire_name(name, field): value for field in fields}})
    assert (response.error, response.text) == (None, "ok")
    for field, plain in (("id", "r1"), ("model", "m")):
        odd = field in fields or field in UNSAID.get(name, ())
        assert getattr(response, field) == (None if odd else plain)


@each
@pytest.mark.parametrize("fields", [("id",), ("model",), ("object", "type"), ("usage",)])
def test_missing_metadata_never_costs_the_text(name: str, fields: tuple[str, ...]) -> None:
    """B082."""
    absent = {wire_name(name, field) for field in fields}
    wire = {key: value for key, value in answer(name, "ok").items() if key not in absent}
    assert parsed(name, wire).text == "ok"


@both
@pytest.mark.parametrize("absent", [None, "missing"])
def test_an_answer_without_its_content_is_malformed_and_shows_its_keys(name: str, absent: Any) -> None:
    """B083."""
    field = "choices" if name == OPENAI else "content"
    wire = {"id": "x", "usage": None, "model": "m"}
    response = parsed(name, {**wire, field: None} if absent is None else wire)
    assert response.error is not None
    assert response.error.kind == "malformed_response"
    assert field in response.error.message
    assert "'usage'" in response.error.message
    assert '"id":"x"' in (response.error.body or "")
    assert response.content == []


@each
@pytest.mark.parametrize("wire", [None, "<html>", 3, [], [{"a": 1}], True, {}], ids=repr)
def test_a_body_of_another_shape_is_an_error_and_never_a_traceback(name: str, wire: Any) -> None:
    """B156."""
    error = parsed(name, wire).error
    assert error is not None
    cut = name == "gemini_generate" and isinstance(wire, list)  # Gemini's streams may come as a list of chunks
    assert error.kind == ("stream_interrupted" if cut else "malformed_response")


@each
@pytest.mark.parametrize(
    ("code", "kind", "retryable"),
    [(502, "server", True), (429, "rate_limit", True), (503, "overloaded", True), (400, "invalid_request", False)],
)
def test_an_error_in_an_answer_of_status_200_is_the_error_that_it_says(
    name: str, code: int, kind: str, retryable: bool
) -> None:
    """B081."""
    error = {"message": "Provider returned error", "code": code}
    response = parsed(name, {"id": None, "choices": None, "content": None, "error": error})
    assert response.error == LlmError(
        "Provider returned error",
        kind,  # type: ignore[arg-type]  # one of the kinds, from the table above
        status=code,
        code=str(code),
        retryable=retryable,
    )


def test_the_error_object_of_anthropic_counts_at_status_200_too() -> None:
    """B081."""
    wire = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "q"}
    expected = LlmError("Overloaded", "overloaded", code="overloaded_error", request_id="q")
    assert parsed(ANTHROPIC, wire).error == expected


@both
@pytest.mark.parametrize(
    ("raw", "neutral"),
    [
        ("stop", "stop"),
        ("eos", "stop"),
        ("length", "length"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("content_filter", "content_filter"),
        ("sensitive", "content_filter"),
        ("guardrail_intervened", "content_filter"),
        ("network_error", "error"),
        ("error", "error"),
        ("novel", "other"),
        ("", "unknown"),
        (None, "unknown"),
    ],
)
def test_every_finish_reason_of_a_host_is_read_and_kept(name: str, raw: str | None, neutral: str) -> None:
    """B084, B085."""
    if name == ANTHROPIC:
        known = {"eos", "stop", "length", "tool_calls", "function_call", "content_filter", "sensitive"}
        known |= {"guardrail_intervened", "network_error", "error"}
        neutral = "other" if raw in known else neutral
        response = parsed(name, anthropic_answer([{"type": "text", "text": "part"}], raw))
    else:
        response = parsed(name, openai_answer({"content": "part"}, raw))
    assert (response.text, response.finish_reason) == ("part", neutral)
    assert response.raw_finish_reason == raw


@both
def test_the_text_is_that_of_all_text_blocks_wherever_they_stand(name: str) -> None:
    """B095."""
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]
    wire = anthropic_answer(blocks) if name == ANTHROPIC else openai_answer({"content": blocks})
    response = parsed(name, wire)
    assert (response.text, response.reasoning) == ("ab", "t")
    assert [type(item) for item in response.content] == [Reasoning, Message]


@both
def test_an_empty_content_is_an_empty_text(name: str) -> None:
    """B095."""
    wire = anthropic_answer([]) if name == ANTHROPIC else openai_answer({"content": []})
    response = parsed(name, wire)
    assert (response.error, response.text, response.content) == (None, "", [])


@both
@pytest.mark.parametrize("text", [[1, 2], 10, {"a": 1}])
def test_a_text_of_another_type_is_never_passed_off_as_text(name: str, text: Any) -> None:
    """B099."""
    block = {"type": "text", "text": text}
    wire = anthropic_answer([block]) if name == ANTHROPIC else openai_answer({"content": [block]})
    response = parsed(name, wire)
    assert str(text) not in response.text
    assert response.error is not None or response.content == [
        Message("assistant", [Opaque(block, issuer=issuer(name))])
    ]


@both
def test_blocks_are_told_apart_by_their_tag_and_an_unknown_one_is_kept(name: str) -> None:
    """B100."""
    novel = {"type": "novel", "data": {"deep": [1]}}
    blocks: list[Any] = [{"type": "text", "text": "a"}, novel, {"type": "text", "text": "b"}]
    kept = Opaque(novel, issuer=issuer(name))
    if name == ANTHROPIC:
        expected: list[ContentItem] = [Message("assistant", "a"), kept, Message("assistant", "b")]
        wire = anthropic_answer(blocks)
    else:
        expected = [Message("assistant", [Text("a"), kept, Text("b")])]
        wire = openai_answer({"content": blocks})
    response = parsed(name, wire)
    assert response.content == expected
    history = [Message("user", "hi"), *response.content, Message("user", "go")]
    assert novel in messages(name, history, known=False)[1]["content"]


@each
def test_the_items_of_an_answer_build_a_valid_next_request(name: str) -> None:
    """B132: no fragment and no empty text is stored."""
    arguments: Any = {"a": 1} if name in OBJECTS else '{"a":1}'
    response = parsed(name, answer(name, "", [("c", "f", arguments)]))
    plain = [item for item in response.content if item.provider_data is None or isinstance(item, ToolCall)]
    assert plain == response.tool_calls  # a message of OpenAI Responses goes back by its id, with words or without
    history = [Message("user", "go"), *response.content, ToolResult("c", "f", content=["1"])]
    assert [(tool, given) for _, tool, given in calls_in_body(body(name, history))] == [("f", arguments)]


def test_a_refusal_is_an_item_of_its_own_and_no_text() -> None:
    """B076."""
    response = parsed(OPENAI, openai_answer({"refusal": "I can't help with that"}))
    assert response.content == [Refusal("I can't help with that")]
    assert (response.error, response.text, response.finish_reason) == (None, "", "stop")


def test_a_refusal_of_anthropic_is_a_finish_reason_and_keeps_what_was_said() -> None:
    """B076."""
    response = parsed(ANTHROPIC, anthropic_answer([{"type": "text", "text": "I "}], "refusal"))
    assert (response.text, response.finish_reason, response.raw_finish_reason) == ("I ", "content_filter", "refusal")


@each
def test_an_answer_cut_at_the_limit_says_so_and_keeps_its_text_as_it_is(name: str) -> None:
    """B077."""
    cut = '{"name":"A","items":["x","y"'
    chat = openai_answer({"content": cut}, "length")
    wires: dict[str, dict[str, Any]] = {
        "openai_responses": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
        "anthropic_messages": {"stop_reason": "max_tokens"},
        "ollama_chat": {"done_reason": "length"},
        "cohere_chat": {"finish_reason": "MAX_TOKENS"},
        "bedrock_converse": {"stopReason": "max_tokens"},
    }
    whole = answer(name, cut)
    if name == "gemini_generate":
        whole["candidates"][0]["finishReason"] = "MAX_TOKENS"
    response = parsed(name, {**whole, **wires[name]} if name in wires else whole if "candidates" in whole else chat)
    assert (response.text, response.finish_reason) == (cut, "length")


def test_cached_input_of_anthropic_is_part_of_the_input() -> None:
    """B148."""
    counts = {
        "input_tokens": 7,
        "cache_read_input_tokens": 9800,
        "cache_creation_input_tokens": 200,
        "output_tokens": 50,
    }
    usage = parsed(ANTHROPIC, anthropic_answer([], usage=counts)).usage
    assert usage == Usage(10007, 50, cache_read_tokens=9800, cache_write_tokens=200)
    assert usage.total_tokens == 10057


def test_cached_input_of_openai_is_in_the_input_already() -> None:
    """B148."""
    counts = {
        "prompt_tokens": 10007,
        "completion_tokens": 50,
        "total_tokens": 10057,
        "prompt_tokens_details": {"cached_tokens": 9800},
    }
    usage = parsed(OPENAI, openai_answer({"content": "x"}, usage=counts)).usage
    assert usage == Usage(10007, 50, cache_read_tokens=9800)
    assert usage.total_tokens == 10057


@both
def test_tokens_written_to_a_cache_are_no_output(name: str) -> None:
    """B149."""
    if name == ANTHROPIC:
        counts = {"input_tokens": 10, "cache_creation_input_tokens": 100, "output_tokens": 5}
        usage = parsed(name, anthropic_answer([], usage=counts)).usage
    else:
        counts = {"prompt_tokens": 110, "cache_creation_input_tokens": 100, "completion_tokens": 5}
        usage = parsed(name, openai_answer({"content": "x"}, usage=counts)).usage
    assert usage == Usage(110, 5, cache_write_tokens=100)


@each
@pytest.mark.parametrize("odd", [None, "10", -3, {"a": 1}])
def test_a_count_that_is_no_number_counts_as_nothing(name: str, odd: Any) -> None:
    """B099."""
    counts = {"input_tokens": odd, "prompt_tokens": odd, "output_tokens": 5, "completion_tokens": 5}
    told = {
        "ollama_chat": {"prompt_eval_count": odd, "eval_count": 5},
        "gemini_generate": {"usageMetadata": {"promptTokenCount": odd, "candidatesTokenCount": 5}},
        "cohere_chat": {"usage": {"tokens": counts}},
        "bedrock_converse": {"usage": {"inputTokens": odd, "outputTokens": 5}},
    }
    assert parsed(name, {**answer(name, "x"), **told.get(name, {"usage": counts})}).usage == Usage(0, 5)


@each
@pytest.mark.parametrize("odd", [None, "10", -3, []])
def test_a_usage_that_is_none_costs_nothing_else(name: str, odd: Any) -> None:
    """B082, B099."""
    response = parsed(name, {**answer(name, "x"), wire_name(name, "usage"): odd})
    assert (response.error, response.text, response.usage) == (None, "x", None)
