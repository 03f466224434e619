"""Answers of Anthropic Messages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import ANTHROPIC, anthropic_answer, issuer, messages, parsed
from triptych.content import ContentItem, Message, ToolCall
from triptych.parts import Opaque, Text
from triptych.usage import Usage

OWN = issuer(ANTHROPIC)


@pytest.mark.parametrize(
    ("raw", "neutral"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool_calls"),
        ("pause_turn", "pause"),
        ("compaction", "pause"),
        ("refusal", "content_filter"),
    ],
)
def test_every_stop_reason_of_the_api_has_a_neutral_one(raw: str, neutral: str) -> None:
    response = parsed(ANTHROPIC, anthropic_answer([], raw))
    assert (response.finish_reason, response.raw_finish_reason) == (neutral, raw)


def test_neighbouring_texts_are_the_parts_of_one_message() -> None:
    cited = {"type": "text", "text": "b", "citations": [{"type": "char_location"}]}
    blocks: list[Any] = [{"type": "text", "text": "a"}, cited, {"type": "text", "text": "c", "citations": None}]
    kept = Text("b", provider_data={"citations": [{"type": "char_location"}]}, issuer=OWN)
    response = parsed(ANTHROPIC, anthropic_answer(blocks))
    assert response.content == [Message("assistant", [Text("a"), kept, Text("c")])]
    assert response.text == "abc"


def test_a_text_alone_is_the_words_of_a_message() -> None:
    assert parsed(ANTHROPIC, anthropic_answer([{"type": "text", "text": "a"}])).content == [Message("assistant", "a")]


def test_an_empty_text_is_no_message() -> None:
    assert parsed(ANTHROPIC, anthropic_answer([{"type": "text", "text": ""}])).content == []


def test_blocks_of_a_server_tool_are_kept_in_their_place_and_go_back_as_they_came() -> None:
    blocks: list[Any] = [
        {"type": "text", "text": "I will look."},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"encrypted_content": "RW5j"}]},
        {"type": "text", "text": "Found."},
        {"type": "tool_use", "id": "a", "name": "f", "input": {}, "caller": {"type": "direct"}},
    ]
    response = parsed(ANTHROPIC, anthropic_answer(blocks, "tool_use"))
    expected: list[ContentItem] = [
        Message("assistant", "I will look."),
        Opaque(blocks[1], issuer=OWN),
        Opaque(blocks[2], issuer=OWN),
        Message("assistant", "Found."),
        ToolCall("a", "f", {}, provider_data={"caller": {"type": "direct"}}, issuer=OWN),
    ]
    assert response.content == expected
    assert response.tool_calls == [expected[-1]]
    assert messages(ANTHROPIC, [Message("user", "go"), *response.content], known=False)[1]["content"] == blocks


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"input_tokens": 3, "output_tokens": 4}, Usage(3, 4)),
        ({"input_tokens": 3, "output_tokens": 4, "cache_read_input_tokens": None}, Usage(3, 4)),
        (
            {"input_tokens": 3, "output_tokens": 4, "output_tokens_details": {"thinking_tokens": 2}},
            Usage(3, 4, reasoning_tokens=2),
        ),
        ({}, Usage()),
        (None, None),
        ([], None),
    ],
)
def test_the_counts_have_one_meaning(counts: Any, usage: Usage | None) -> None:
    response = parsed(ANTHROPIC, anthropic_answer([], usage=counts))
    assert response.usage == usage
    assert response.usage_metadata == (
        {} if usage is None else {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    )
