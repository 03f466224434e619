"""Messages of OpenAI Chat Completions: items joined into wire messages, and read back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import OPENAI, issuer, messages, notices
from triptych import LlmRequest, formats
from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult
from triptych.parts import Audio, Opaque, Text
from triptych.provider import Quirks

A = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
B = {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def contents(*wire: Any, quirks: Quirks | None = None) -> list[ContentItem]:
    return formats.load(OPENAI, "here", quirks).read_request({"messages": list(wire)}).request.contents


def test_a_call_joins_the_words_before_it() -> None:
    sent = messages(OPENAI, [Message("user", "go"), Message("assistant", "Sure."), ToolCall("a", "f")])
    assert sent[1:] == [{"role": "assistant", "content": "Sure.", "tool_calls": [A]}]


def test_a_call_without_words_has_a_message_of_its_own() -> None:
    assert messages(OPENAI, [Message("user", "go"), ToolCall("a", "f")])[1:] == [
        {"role": "assistant", "content": None, "tool_calls": [A]}
    ]


def test_parallel_calls_share_a_message_and_results_have_one_each() -> None:
    items = [ToolCall("a", "f"), ToolCall("b", "f"), ToolResult("b", content=["2"]), ToolResult("a", content=["1"])]
    assert messages(OPENAI, items) == [
        {"role": "assistant", "content": None, "tool_calls": [A, B]},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
    ]


def test_calls_after_a_result_have_a_message_of_their_own() -> None:
    items = [ToolCall("a", "f"), ToolResult("a", content=["1"]), ToolCall("b", "f"), ToolResult("b", content=["2"])]
    assert [message["role"] for message in messages(OPENAI, items)] == ["assistant", "tool", "assistant", "tool"]


def test_an_item_that_would_step_back_opens_the_next_message() -> None:
    items: list[ContentItem] = [ToolCall("a", "f"), Message("assistant", "x"), Message("assistant", "y"), Refusal("no")]
    assert messages(OPENAI, items) == [
        {"role": "assistant", "content": None, "tool_calls": [A]},
        {"role": "assistant", "content": "x"},
        {"role": "assistant", "content": "y", "refusal": "no"},
    ]


def test_a_name_goes_with_its_message() -> None:
    """B052."""
    assert messages(OPENAI, [Message("user", "hello", name="bob")]) == [
        {"role": "user", "content": "hello", "name": "bob"}
    ]
    assert messages(OPENAI, [Message("user", "hello")]) == [{"role": "user", "content": "hello"}]


@pytest.mark.parametrize("quirks", [Quirks(message_name=False), Quirks(strict_fields=True)])
@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_a_host_that_refuses_names_does_not_get_one(quirks: Quirks, role: Any) -> None:
    """B052."""
    history = [Message(role, "hello", name="bob"), Message("user", "x")]
    assert messages(OPENAI, history, quirks=quirks)[0] == {"role": role, "content": "hello"}
    [notice] = notices(OPENAI, history, quirks=quirks)
    assert (notice.path, notice.what) == ("contents[0].name", "name left out")


def test_a_strict_host_gets_no_field_that_it_once_sent_itself() -> None:
    """B051."""
    kept = Message("assistant", "x", provider_data={"executed_tools": []}, issuer=issuer(OPENAI))
    assert messages(OPENAI, [kept], known=False) == [{"role": "assistant", "content": "x", "executed_tools": []}]
    assert messages(OPENAI, [kept], quirks=Quirks(strict_fields=True)) == [{"role": "assistant", "content": "x"}]


def test_the_sound_of_an_earlier_answer_goes_back_by_its_id() -> None:
    sound = Audio("data:audio/wav;base64,AAAA", file_id="audio_1", transcript="beep", issuer=issuer(OPENAI))
    assert messages(OPENAI, [Message("assistant", [sound])]) == [
        {"role": "assistant", "content": None, "audio": {"id": "audio_1"}}
    ]
    foreign = [Message("assistant", [sound, Text("beep")])]
    assert messages(OPENAI, foreign, provider="elsewhere") == [
        {"role": "assistant", "content": [{"type": "text", "text": "beep"}]}
    ]
    assert [notice.path for notice in notices(OPENAI, foreign, provider="elsewhere")] == ["contents[0]"]


def test_a_message_of_its_own_goes_back_whole_and_a_block_among_the_calls() -> None:
    own = issuer(OPENAI)
    message = {"role": "function", "name": "f", "content": "4"}
    block = {"id": "x", "type": "novel"}
    history = [Opaque(message, issuer=own), ToolCall("a", "f"), Opaque(block, issuer=own)]
    assert messages(OPENAI, history, known=False) == [
        message,
        {"role": "assistant", "content": None, "tool_calls": [A, block]},
    ]


def test_a_list_that_came_with_a_message_is_not_added_to() -> None:
    """B056."""
    came = {"role": "assistant", "content": "x", "tool_calls": None}
    history = contents({"role": "user", "content": "hi"}, came)
    sent = messages(OPENAI, [*history, ToolCall("a", "f")])
    assert sent[1] == {"role": "assistant", "content": "x", "tool_calls": [A]}
    assert came["tool_calls"] is None


def test_plain_system_messages_at_the_start_are_instructions_and_later_ones_contents() -> None:
    wire = [
        {"role": "system", "content": "a"},
        {"role": "system", "content": "b"},
        {"role": "user", "content": "hi"},
        {"role": "system", "content": "c"},
    ]
    call = formats.load(OPENAI, "here").read_request({"messages": wire})
    assert call.request.instructions == ["a", "b"]
    assert call.request.contents == [Message("user", "hi"), Message("system", "c")]


def test_an_assistant_message_is_read_into_its_items_in_order() -> None:
    wire = {"role": "assistant", "content": "x", "reasoning": "r", "refusal": "no", "tool_calls": [A, B]}
    items = contents(wire)
    assert items[0] == Reasoning("r", provider_data={"reasoning": "r"}, issuer=issuer(OPENAI))
    assert items[1:] == [Message("assistant", "x"), Refusal("no"), ToolCall("a", "f"), ToolCall("b", "f")]


def test_a_result_takes_the_name_of_its_call() -> None:
    items = contents(
        {"role": "assistant", "content": None, "tool_calls": [A]}, {"role": "tool", "tool_call_id": "a", "content": "1"}
    )
    assert items[-1] == ToolResult("a", "f", content=["1"])


@pytest.mark.parametrize(
    "odd",
    [
        {"role": "user"},
        {"role": "tool", "content": "x"},
        {"role": "novel", "content": "x"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "x"},
        {"role": "assistant", "tool_calls": "f"},
        {"role": "user", "content": 7},
        {"content": "x"},
    ],
    ids=str,
)
def test_a_message_of_another_form_is_kept_whole(odd: dict[str, Any]) -> None:
    assert contents(odd) == [Opaque(odd, issuer=issuer(OPENAI))]


@pytest.mark.parametrize(
    "wire",
    [
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": []},
        {"role": "assistant", "content": "", "tool_calls": [{**A, "index": 0}]},
        {"role": "assistant", "content": None, "tool_calls": [{**A, "id": ""}, {**B, "id": ""}]},
        {"role": "assistant", "content": None, "tool_calls": [A, A]},
        {"role": "assistant", "content": None, "reasoning": "r"},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        {"role": "assistant", "content": None, "audio": {"id": "audio_1"}},
        {"role": "user", "content": [], "name": "bob"},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "1"}]},
    ],
    ids=str,
)
def test_messages_side_by_side_are_built_back_apart(wire: dict[str, Any]) -> None:
    pair = [wire, {"role": "assistant", "content": "between"}, wire, wire]
    assert messages(OPENAI, contents(*pair)) == pair


def test_a_result_that_comes_late_is_moved_up_to_its_call_with_a_notice() -> None:
    contents = [
        Message("user", "Weather?"),
        ToolCall("c1", "weather", {"city": "Oslo"}),
        ToolCall("c2", "weather", {"city": "Rome"}),
        ToolResult("c2", "weather", content=["sun"]),
        Message("user", "Well?"),
        ToolResult("c1", "weather", content=["rain"]),
    ]
    call = formats.Call(LlmRequest(contents=contents), "m")
    built = formats.load("openai_chat").build_request(call)
    said = [(message["role"], message.get("tool_call_id")) for message in built.body["messages"]]
    assert said == [("user", None), ("assistant", None), ("tool", "c2"), ("tool", "c1"), ("user", None)]
    assert [str(notice) for notice in built.notices] == [
        "contents[5]: tool result moved up to its call: the API takes it nowhere else"
    ]
