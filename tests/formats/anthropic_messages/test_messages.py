"""Messages of Anthropic Messages: items joined into turns, and read back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import ANTHROPIC, body, issuer, messages, notices
from triptych import formats
from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult
from triptych.parts import Opaque, Text

OWN = issuer(ANTHROPIC)
USE = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "1"}


def contents(*wire: Any, **rest: Any) -> list[ContentItem]:
    return formats.load(ANTHROPIC, "here").read_request({"messages": list(wire), **rest}).request.contents


def test_a_call_joins_the_words_before_it() -> None:
    history = [Message("user", "go"), Message("assistant", "Sure."), ToolCall("a", "f"), ToolResult("a", content=["1"])]
    assert messages(ANTHROPIC, history) == [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "text", "text": "Sure."}, USE]},
        {"role": "user", "content": [RESULT]},
    ]


def test_parallel_calls_share_a_turn_and_their_results_share_the_next_with_the_words_after_them() -> None:
    history = [
        Message("user", "go"),
        ToolCall("a", "f"),
        ToolCall("b", "f"),
        ToolResult("b", content=["2"]),
        ToolResult("a", "f", "error", ["1"]),
        Message("user", "next"),
    ]
    assert messages(ANTHROPIC, history)[1:] == [
        {"role": "assistant", "content": [USE, {**USE, "id": "b"}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "b", "content": "2"},
                {**RESULT, "is_error": True},
                {"type": "text", "text": "next"},
            ],
        },
    ]


def test_messages_of_one_role_in_a_row_stay_apart() -> None:
    history = [Message("user", "a"), Message("user", "b"), Message("assistant", "c"), Message("assistant", "d")]
    assert [(turn["role"], turn["content"]) for turn in messages(ANTHROPIC, history)] == [
        ("user", "a"),
        ("user", "b"),
        ("assistant", "c"),
        ("assistant", "d"),
    ]


def test_a_refusal_goes_back_as_the_words_that_it_was() -> None:
    history = [Message("user", "go"), Refusal("I won't."), Message("user", "why?")]
    assert messages(ANTHROPIC, history)[1] == {"role": "assistant", "content": "I won't."}


def test_a_name_is_named_in_a_notice() -> None:
    """B052."""
    assert messages(ANTHROPIC, [Message("user", "hi", name="bob")]) == [{"role": "user", "content": "hi"}]
    assert [notice.path for notice in notices(ANTHROPIC, [Message("user", "hi", name="bob")])] == ["contents[0].name"]


def test_a_system_message_of_this_api_stays_in_its_place() -> None:
    """B042."""
    wire: list[Any] = [
        {"role": "user", "content": "a"},
        {"role": "system", "content": "new rule"},
        {"role": "system", "content": [{"type": "text", "text": "b"}], "clear_at": "never"},
        {"role": "user", "content": "c"},
    ]
    history = contents(*wire)
    assert messages(ANTHROPIC, history) == wire
    assert notices(ANTHROPIC, history) == []
    assert len(notices(ANTHROPIC, history, provider="elsewhere")) == 2


def test_a_message_of_its_own_goes_back_whole_and_is_not_changed() -> None:
    """B056."""
    data = {"role": "assistant", "content": [{"type": "text", "text": "kept \n"}]}
    history: list[ContentItem] = [Message("user", "go"), Opaque(data, issuer=OWN)]
    assert messages(ANTHROPIC, [*history, Message("user", "on")])[1] == data
    sent = messages(ANTHROPIC, [*history, ToolCall("a", "f"), ToolResult("a", content=["1"])])
    assert sent[1]["content"] == [{"type": "text", "text": "kept \n"}, USE]
    assert messages(ANTHROPIC, history)[-1]["content"] == [{"type": "text", "text": "kept"}]
    assert data == {"role": "assistant", "content": [{"type": "text", "text": "kept \n"}]}


def test_a_last_turn_of_white_space_alone_is_dropped() -> None:
    """B039."""
    blank = Opaque({"role": "assistant", "content": " \n"}, issuer=OWN)
    assert messages(ANTHROPIC, [Message("user", "go"), blank]) == [{"role": "user", "content": "go"}]


def test_a_turn_is_read_into_its_items_in_order() -> None:
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        USE,
    ]
    items = contents({"role": "assistant", "content": blocks}, {"role": "user", "content": [RESULT]})
    assert items == [
        Reasoning("t", signature="s", issuer=OWN),
        Message("assistant", [Text("a"), Text("b")]),
        Opaque(blocks[3], issuer=OWN),
        ToolCall("a", "f", {}),
        ToolResult("a", "f", content=["1"]),
    ]


@pytest.mark.parametrize(
    "odd",
    [
        {"role": "user"},
        {"role": "novel", "content": "x"},
        {"role": "assistant", "content": [{"text": "no type"}]},
        {"role": "user", "content": [{"type": "tool_result"}]},
        {"role": "assistant", "content": ["bare"]},
    ],
    ids=str,
)
def test_a_message_of_another_form_is_kept_whole(odd: dict[str, Any]) -> None:
    assert contents(odd) == [Opaque(odd, issuer=OWN)]


@pytest.mark.parametrize(
    "result",
    [
        {"type": "tool_result", "tool_use_id": "a"},
        {"type": "tool_result", "tool_use_id": "a", "content": []},
        {"type": "tool_result", "tool_use_id": "a", "content": ""},
        {"type": "tool_result", "tool_use_id": "a", "content": "1", "is_error": False},
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "1"}]},
        {"type": "tool_result", "tool_use_id": "a", "content": "1", "cache_control": {"type": "ephemeral"}},
    ],
    ids=str,
)
def test_a_result_is_read_and_built_back(result: dict[str, Any]) -> None:
    wire = [{"role": "assistant", "content": [USE]}, {"role": "user", "content": [result]}]
    assert messages(ANTHROPIC, contents(*wire)) == wire


def test_the_system_text_of_a_request_is_read_as_instructions_or_as_a_message() -> None:
    wire = formats.load(ANTHROPIC, "here")
    hi = [{"role": "user", "content": "hi"}]
    assert wire.read_request({"messages": hi, "system": "a"}).request.instructions == ["a"]
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert wire.read_request({"messages": hi, "system": blocks}).request.instructions == ["a", "b"]
    marked = [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]
    history = contents(*hi, system=marked)
    assert history[0] == Message(
        "system", [Text("a", provider_data={"cache_control": {"type": "ephemeral"}}, issuer=OWN)]
    )
    assert body(ANTHROPIC, history)["system"] == marked
