"""Reasoning on its way back, in every format: as it came, in its place, to whom it came from."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.bodies import (
    ALL,
    ANTHROPIC,
    HERE,
    OBJECTS,
    OPENAI,
    answer,
    anthropic_answer,
    body,
    built,
    issuer,
    messages,
    notices,
    openai_answer,
    parsed,
)
from tests.formats.plain import blocks_in
from tests.formats.splitters import streams
from tests.formats.streams import played
from triptych.content import ContentItem, Message, Reasoning, ToolCall, ToolResult
from triptych.events import ReasoningDelta, TextDelta
from triptych.provider import Quirks

DEEPSEEK = Quirks(reasoning_fields=("reasoning_content",), reasoning_replay="always")
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RESULT = ToolResult("c", "f", content=["1"])
# By wire format: the thought "why" as an answer holds it, with a seal where the API has one.
THOUGHTS: Mapping[str, Any] = {
    "openai_chat": {"reasoning_content": "why"},
    "openai_responses": {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "why"}],
        "encrypted_content": "c2VhbA==",
    },
    "anthropic_messages": {"type": "thinking", "thinking": "why", "signature": "c2VhbA=="},
    "mistral_chat": {"type": "thinking", "thinking": [{"type": "text", "text": "why"}], "closed": True},
    "ollama_chat": {"thinking": "why"},
    "gemini_generate": {"text": "why", "thought": True},
    "cohere_chat": {"type": "thinking", "thinking": "why"},
    "bedrock_converse": {"reasoningContent": {"reasoningText": {"text": "why", "signature": "c2VhbA=="}}},
}
# Where an answer has the blocks, or the message, that a thought is put into.
PLACES: Mapping[str, Callable[[Any], Any]] = {
    "openai_chat": lambda wire: wire["choices"][0]["message"],
    "openai_responses": lambda wire: wire["output"],
    "anthropic_messages": lambda wire: wire["content"],
    "mistral_chat": lambda wire: wire["choices"][0]["message"]["content"],
    "ollama_chat": lambda wire: wire["message"],
    "gemini_generate": lambda wire: wire["candidates"][0]["content"]["parts"],
    "cohere_chat": lambda wire: wire["message"]["content"],
    "bedrock_converse": lambda wire: wire["output"]["message"]["content"],
}
each_format = pytest.mark.parametrize("name", ALL)


def thoughtful(name: str) -> dict[str, Any]:
    """Return an answer that thinks, speaks and calls."""
    words: Any = [{"type": "text", "text": "words"}] if name == "mistral_chat" else "words"
    wire = answer(name, words, [("c", "f", {} if name in OBJECTS else "{}")])
    place, thought = PLACES[name](wire), copy.deepcopy(THOUGHTS[name])
    if isinstance(place, list):
        place.insert(0, thought)
    else:
        place.update(thought)
    return wire


@each_format
def test_a_thought_is_no_word_of_the_answer(name: str) -> None:
    """B097."""
    response = parsed(name, thoughtful(name))
    assert (response.text, response.reasoning, len(response.tool_calls)) == ("words", "why", 1)


@each_format
def test_a_thought_goes_back_as_it_came_in_the_turn_of_its_call(name: str) -> None:
    """B133, B135, B136, B138."""
    history = [Message("user", "go"), *parsed(name, thoughtful(name)).content, RESULT]
    sent, thought = body(name, history), THOUGHTS[name]
    whole = [block for block in blocks_in(sent) if thought.items() <= block.items()]
    assert len(whole) == 1
    turns = sent.get("contents") or sent.get("input") or sent["messages"]
    roles = [turn.get("role") for turn in turns]
    assert len(roles) == 3 or name == "openai_responses"


@each_format
def test_a_thought_goes_to_no_other_provider_and_that_is_told(name: str) -> None:
    """B051, B146."""
    history = [Message("user", "go"), *parsed(name, thoughtful(name)).content, RESULT]
    for other in ALL:
        made = built(other, history, provider="elsewhere" if other == name else HERE)
        text = json.dumps(made.body)
        assert ("why" in text, "c2VhbA==" in text) == (False, False)
        assert ("contents[1]", "Reasoning left out") in [(notice.path, notice.what) for notice in made.notices]


@each_format
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_streamed_thought_is_the_same_thought(name: str, data: st.DataObject) -> None:
    """B097, B136, B138."""
    whole = thoughtful(name)
    stream = played(name, data.draw(streams(name, whole)))
    assert stream.response.content == parsed(name, whole).content
    assert (stream.words(ReasoningDelta), stream.words(TextDelta)) == ("why", "words")


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
