"""Answers of Cohere: blocks, plan, calls and citations to items, and two counts of tokens to one usage."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import issuer, parsed
from tests.formats.cohere_chat.recorded import COHERE
from triptych import formats
from triptych.content import ContentItem, Message, Opaque, Reasoning, Text, ToolCall
from triptych.errors import LlmError
from triptych.formats import Call
from triptych.request import LlmRequest
from triptych.usage import Usage

OWN = issuer(COHERE)
CITED = [{"start": 0, "end": 1, "text": "a", "sources": [], "type": "TEXT_CONTENT"}]


def answer(reason: Any = "COMPLETE", /, *, message: Any = None, **top: Any) -> dict[str, Any]:
    """Return a whole answer."""
    said = {"content": [{"type": "text", "text": "a"}]} if message is None else message
    return {"id": "r1", "message": {"role": "assistant", **said}, "finish_reason": reason, **top}


def items(**message: Any) -> list[ContentItem]:
    return parsed(COHERE, answer(message=message)).content


def call(**fields: Any) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}, **fields}


def test_one_text_stands_alone_and_several_are_parts() -> None:
    one, two = {"type": "text", "text": "a"}, {"type": "text", "text": "b"}
    assert items(content=[one]) == [Message("assistant", "a")]
    assert items(content=[one, two]) == [Message("assistant", [Text("a"), Text("b")])]


@pytest.mark.parametrize(
    "message",
    [{}, {"content": None}, {"content": []}, {"content": [{"type": "text", "text": ""}]}, {"tool_plan": ""}],
    ids=str,
)
def test_an_answer_that_says_nothing_has_no_items(message: dict[str, Any]) -> None:
    response = parsed(COHERE, answer(message=message))
    assert (response.content, response.error, response.text) == ([], None, "")


def test_thoughts_words_plan_and_calls_are_items_in_that_order() -> None:
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}]
    assert items(tool_calls=[call()], tool_plan="p", content=content) == [
        Reasoning("hm", issuer=OWN),
        Message("assistant", "a"),
        Reasoning("p", provider_data={"tool_plan": "p"}, issuer=OWN),
        ToolCall("c", "f", {}),
    ]


def test_citations_stay_with_the_words_or_stand_alone() -> None:
    text = [{"type": "text", "text": "a"}]
    kept: dict[str, Any] = {"provider_data": {"citations": CITED}, "issuer": OWN}
    assert items(content=text, citations=CITED) == [Message("assistant", "a", **kept)]
    assert items(tool_plan="p", citations=CITED)[0] == Message("assistant", [], **kept)
    assert items(content=text, citations=[]) == [Message("assistant", "a")]


def test_a_block_that_is_not_known_is_kept() -> None:
    novel = {"type": "novel", "data": 1}
    assert items(content=[novel]) == [Message("assistant", [Opaque(novel, issuer=OWN)])]


@pytest.mark.parametrize("arguments", ["", None, "null", " "])
def test_empty_arguments_become_an_empty_object(arguments: Any) -> None:
    """B001."""
    assert items(tool_calls=[call(function={"name": "f", "arguments": arguments})]) == [ToolCall("c", "f", {})]


@pytest.mark.parametrize("given", [["", ""], [None, None], ["f", "f"]])
def test_calls_get_distinct_ids(given: list[Any]) -> None:
    """B010, B012."""
    made = [
        item.tool_call_id for item in items(tool_calls=[call(id=one) for one in given]) if isinstance(item, ToolCall)
    ]
    assert len(set(made)) == len(given)
    assert all(made)


def test_an_answer_without_an_id_makes_up_those_of_its_calls_from_its_place() -> None:
    before = Call(LlmRequest(contents="q"))
    whole = {**answer(message={"tool_calls": [call(id=None)]}), "id": None}
    response = formats.load(COHERE, "here").parse_response(whole, before)
    assert (response.id, response.tool_calls[0].tool_call_id) == (None, "call_1_0")


@pytest.mark.parametrize(
    ("raw", "neutral"),
    [
        ("COMPLETE", "stop"),
        ("STOP_SEQUENCE", "stop"),
        ("MAX_TOKENS", "length"),
        ("TOOL_CALL", "tool_calls"),
        ("NOVEL", "other"),
        (None, "unknown"),
    ],
)
def test_the_finish_reason_is_neutral(raw: Any, neutral: str) -> None:
    """B084."""
    response = parsed(COHERE, answer(raw))
    assert (response.finish_reason, response.raw_finish_reason, response.error) == (neutral, raw, None)


@pytest.mark.parametrize(
    ("fields", "kind", "message"),
    [
        ({}, "server", "the answer ended with ERROR, and no word why"),
        ({"error": "it broke"}, "server", "it broke"),
        ({"error": "bad tools", "error_type": "INVALID_TOOL_GENERATION"}, "invalid_request", "bad tools"),
        ({"error": "too many tokens"}, "context_length", "too many tokens"),
    ],
)
def test_an_answer_that_failed_has_the_error_and_what_came_of_it(
    fields: dict[str, Any], kind: str, message: str
) -> None:
    """B085."""
    response = parsed(COHERE, answer("ERROR", **fields))
    assert (response.content, response.finish_reason) == ([Message("assistant", "a")], "error")
    assert response.error == LlmError(message, kind, code=fields.get("error_type"))  # type: ignore[arg-type]  # a kind


def test_an_answer_that_took_too_long_is_a_timeout() -> None:
    response = parsed(COHERE, answer("TIMEOUT"))
    assert response.error is not None
    assert (response.error.kind, response.finish_reason) == ("timeout", "error")


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        (None, None),
        ({}, None),
        ({"billed_units": {"search_units": 1}}, Usage()),
        ({"billed_units": {"input_tokens": 5, "output_tokens": 7}}, Usage(5, 7)),
        (
            {
                "billed_units": {"input_tokens": 5, "output_tokens": 6},
                "tokens": {"input_tokens": 90.0, "output_tokens": 7.0, "reasoning_tokens": 3},
                "cached_tokens": 80.0,
            },
            Usage(90, 7, 80, 0, 3),
        ),
        ({"tokens": {"input_tokens": 300, "output_tokens": 7, "image_tokens": 250}}, Usage(300, 7)),
        ({"tokens": {"input_tokens": 30, "output_tokens": 7, "image_tokens": 250}}, Usage(280, 7)),
        ({"tokens": None, "billed_units": "none"}, Usage()),
    ],
    ids=["null", "empty", "no tokens", "the bill", "all", "picture counted", "picture beside", "odd"],
)
def test_usage_is_what_the_model_read_and_wrote_not_what_is_billed(counts: Any, usage: Usage | None) -> None:
    assert parsed(COHERE, answer(usage=counts)).usage == usage


def test_log_probabilities_are_in_the_raw_answer() -> None:
    scores = [{"text": "a", "token_ids": [1], "logprobs": [-0.5]}]
    raw = parsed(COHERE, answer(logprobs=scores)).raw
    assert raw is not None
    assert raw["logprobs"] == scores


def test_an_error_with_status_200_is_an_error() -> None:
    """B081."""
    response = parsed(COHERE, {"id": "e", "message": "internal server error"})
    assert (response.content, response.error) == ([], LlmError("internal server error", "server"))


@pytest.mark.parametrize(
    "body", [{}, {"id": "r1"}, {"message": None}, {"message": {"content": 5}}, [], "<html>"], ids=str
)
def test_an_answer_of_another_form_says_what_was_expected(body: Any) -> None:
    """B099, B156."""
    response = parsed(COHERE, body)
    assert response.error is not None
    assert response.error.kind == "malformed_response"
    assert response.error.message.startswith("the answer does not have the form of cohere_chat: at ")
