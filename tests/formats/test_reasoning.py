"""Reasoning on its way back, in either format: as it came, in its place, to whom it came from."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import ANTHROPIC, OPENAI, anthropic_answer, issuer, messages, notices, openai_answer, parsed
from triptych.content import ContentItem, Message, Reasoning, ToolCall, ToolResult
from triptych.provider import Quirks

DEEPSEEK = Quirks(reasoning_fields=("reasoning_content",), reasoning_replay="always")
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RESULT = ToolResult("c", "f", content=["1"])


def test_reasoning_beside_a_call_goes_back_in_the_same_message_and_field() -> None:
    """B133."""
    response = parsed(OPENAI, openai_answer({"reasoning_content": "r", "tool_calls": [CALL]}, "tool_calls"))
    assert response.reasoning == "r"
    sent = messages(OPENAI, [Message("user", "go"), *response.content, RESULT])
    assert sent[1] == {"role": "assistant", "content": None, "reasoning_content": "r", "tool_calls": [CALL]}


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_goes_back_in_whichever_field_it_came(field: str) -> None:
    """B133."""
    response = parsed(OPENAI, openai_answer({field: "r", "content": "a"}))
    assert messages(OPENAI, response.content) == [{"role": "assistant", "content": "a", field: "r"}]


def test_another_host_gets_no_reasoning() -> None:
    """B051, B133."""
    response = parsed(OPENAI, openai_answer({"reasoning_content": "r", "content": "a"}), provider="deepseek")
    assert messages(OPENAI, response.content, provider="mistral") == [{"role": "assistant", "content": "a"}]


def test_a_host_that_takes_no_reasoning_back_gets_none_of_its_own() -> None:
    """B051."""
    response = parsed(OPENAI, openai_answer({"reasoning_content": "r", "content": "a"}))
    never = Quirks(reasoning_replay="never")
    assert messages(OPENAI, response.content, quirks=never) == [{"role": "assistant", "content": "a"}]
    [notice] = notices(OPENAI, response.content, quirks=never)
    assert (notice.path, notice.what) == ("contents[0]", "Reasoning left out")


def test_a_host_may_want_the_field_on_every_message_once_it_is_on_one() -> None:
    """B134."""
    first = parsed(OPENAI, openai_answer({"reasoning_content": "r", "content": "a"})).content
    second = parsed(OPENAI, openai_answer({"tool_calls": [CALL]}, "tool_calls")).content
    history = [Message("user", "go"), *first, Message("user", "on"), *second, RESULT]
    assert [message.get("reasoning_content") for message in messages(OPENAI, history, quirks=DEEPSEEK)] == [
        None,
        "r",
        None,
        "",
        None,
    ]


def test_no_message_gets_the_field_where_no_reasoning_goes_back() -> None:
    """B134."""
    second = parsed(OPENAI, openai_answer({"tool_calls": [CALL]}, "tool_calls")).content
    for message in messages(OPENAI, [Message("user", "go"), *second, RESULT], quirks=DEEPSEEK):
        assert "reasoning_content" not in message


def test_redacted_thinking_is_kept_unseen_and_goes_back_in_its_place() -> None:
    """B135."""
    blocks: list[Any] = [{"type": "redacted_thinking", "data": "RW5j"}, {"type": "text", "text": "x"}]
    response = parsed(ANTHROPIC, anthropic_answer(blocks))
    assert response.content[0] == Reasoning(encrypted="RW5j", redacted=True, issuer=issuer(ANTHROPIC))
    assert (response.text, response.reasoning) == ("x", "")
    assert messages(ANTHROPIC, [Message("user", "go"), *response.content, Message("user", "on")])[1] == {
        "role": "assistant",
        "content": blocks,
    }


def test_interleaved_blocks_stay_apart_and_in_order() -> None:
    """B138."""
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "one", "signature": "s1"},
        {"type": "text", "text": "a"},
        {"type": "redacted_thinking", "data": "RW5j"},
        {"type": "thinking", "thinking": "", "signature": "s2"},
        {"type": "tool_use", "id": "c", "name": "f", "input": {}},
    ]
    response = parsed(ANTHROPIC, anthropic_answer(blocks, "tool_use"))
    own = issuer(ANTHROPIC)
    expected: list[ContentItem] = [
        Reasoning("one", signature="s1", issuer=own),
        Message("assistant", "a"),
        Reasoning(encrypted="RW5j", redacted=True, issuer=own),
        Reasoning("", signature="s2", issuer=own),
        ToolCall("c", "f", {}),
    ]
    assert response.content == expected
    assert messages(ANTHROPIC, [Message("user", "go"), *response.content, RESULT])[1]["content"] == blocks


def test_thinking_without_a_signature_is_named_in_a_notice() -> None:
    history = [Message("user", "go"), Reasoning("bare", issuer=issuer(ANTHROPIC)), Message("assistant", "a")]
    assert messages(ANTHROPIC, [*history, Message("user", "on")])[1] == {"role": "assistant", "content": "a"}
    assert [notice.path for notice in notices(ANTHROPIC, history)] == ["contents[1]"]


def test_details_of_reasoning_go_back_byte_for_byte() -> None:
    details = [
        {"type": "reasoning.text", "text": "so", "signature": "s", "index": 0},
        {"type": "reasoning.encrypted", "data": "ZW5j", "id": "e", "index": 1},
    ]
    response = parsed(OPENAI, openai_answer({"reasoning": "so", "reasoning_details": details, "content": "a"}))
    assert response.reasoning == "so"
    assert messages(OPENAI, response.content) == [
        {"role": "assistant", "content": "a", "reasoning": "so", "reasoning_details": details}
    ]


def test_details_alone_are_read_for_their_words() -> None:
    details = [{"type": "reasoning.summary", "summary": "one"}, {"type": "reasoning.text", "text": "two"}]
    assert parsed(OPENAI, openai_answer({"reasoning_details": details, "content": "a"})).reasoning == "one\ntwo"
