"""Messages of Mistral's API: items joined into wire messages, and read back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import issuer, messages, notices
from triptych import formats
from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult
from triptych.errors import LlmError, Notice
from triptych.formats import Call
from triptych.parts import Image, Opaque, Text
from triptych.provider import Quirks
from triptych.request import LlmRequest

MISTRAL = "mistral_chat"
HERE = issuer(MISTRAL)
CALL = {"id": "aaaaaaaaa", "type": "function", "function": {"name": "f", "arguments": "{}"}}
THINK = {"type": "thinking", "thinking": [{"type": "text", "text": "so"}]}
USER = {"role": "user", "content": "hi"}


def contents(*wire: Any) -> list[ContentItem]:
    return formats.load(MISTRAL, "here").read_request({"messages": list(wire)}).request.contents


def rebuilt(*wire: Any) -> Any:
    here = formats.load(MISTRAL, "here")
    return here.build_request(here.read_request({"messages": list(wire)})).body["messages"]


def test_thoughts_words_and_calls_are_one_message() -> None:
    items = [Reasoning("so", issuer=HERE), Message("assistant", "Sure."), ToolCall("aaaaaaaaa", "f")]
    assert messages(MISTRAL, [Message("user", "hi"), *items])[1:] == [
        {"role": "assistant", "content": [THINK, {"type": "text", "text": "Sure."}], "tool_calls": [CALL]}
    ]


def test_a_call_without_words_has_the_empty_content_of_the_api() -> None:
    assert messages(MISTRAL, [ToolCall("aaaaaaaaa", "f")]) == [
        {"role": "assistant", "content": "", "tool_calls": [CALL]}
    ]


def test_arguments_that_are_no_object_go_back_as_the_text_they_were() -> None:
    """B005."""
    sent = messages(
        MISTRAL, [ToolCall("aaaaaaaaa", "f", raw_arguments="not json"), ToolResult("aaaaaaaaa", content=["no"])]
    )
    assert sent[0]["tool_calls"][0]["function"] == {"name": "f", "arguments": "not json"}


def test_words_between_thoughts_keep_their_place() -> None:
    wire = {
        "role": "assistant",
        "content": [THINK, {"type": "text", "text": "a"}, THINK, {"type": "text", "text": "b"}],
    }
    thought = Reasoning("so", issuer=HERE)
    items: list[ContentItem] = [
        thought,
        Message("assistant", [Text("a")]),
        thought,
        Message("assistant", [Text("b")]),
    ]
    assert contents(USER, wire, USER)[1:5] == items
    assert rebuilt(USER, wire, USER) == [USER, wire, USER]


def test_two_messages_of_the_assistant_stay_two() -> None:
    sent = messages(MISTRAL, [Message("assistant", "a"), Message("assistant", "b"), Message("user", "hi")])
    assert [message["content"] for message in sent] == ["a", "b", "hi"]


def test_what_comes_after_calls_opens_the_next_message() -> None:
    items: list[ContentItem] = [ToolCall("aaaaaaaaa", "f"), Reasoning("so", issuer=HERE), Message("user", "hi")]
    assert messages(MISTRAL, items)[:2] == [
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "assistant", "content": [THINK]},
    ]


@pytest.mark.parametrize("wire", [[THINK], [{**THINK, "closed": True}], [{**THINK, "signature": "seal"}]])
def test_a_thought_goes_back_as_it_came(wire: Any) -> None:
    message = {"role": "assistant", "content": wire}
    assert rebuilt(USER, message, USER) == [USER, message, USER]


@pytest.mark.parametrize("other", [issuer(MISTRAL, "elsewhere"), issuer("openai_chat"), None])
def test_a_thought_of_another_provider_stays_here(other: Any) -> None:
    """B051."""
    thought = Reasoning("so", provider_data={"reasoning_content": "so"}, issuer=other)
    history = [Message("user", "hi"), thought, Message("assistant", "a"), Message("user", "and?")]
    assert messages(MISTRAL, history)[1] == {"role": "assistant", "content": "a"}
    why = "reasoning goes back only to the API that issued it"
    assert notices(MISTRAL, history) == [Notice("contents[1]", "Reasoning left out", why)]


def test_a_host_that_takes_no_thoughts_back_gets_none() -> None:
    quirks = Quirks(reasoning_replay="never")
    history = [Reasoning("so", issuer=HERE), Message("assistant", "a"), Message("user", "and?")]
    assert messages(MISTRAL, history, quirks=quirks)[0] == {"role": "assistant", "content": "a"}


def test_fields_of_another_host_are_not_sent() -> None:
    """B051: the API answers 422 to a field that it does not know."""
    other = issuer("openai_chat")
    items = [
        Message("user", [Text("hi", provider_data={"cache_control": {}}, issuer=other)]),
        Message("assistant", "a", provider_data={"annotations": [1]}, issuer=other),
        ToolCall("aaaaaaaaa", "f", provider_data={"extra_content": {}}, issuer=other),
        ToolResult("aaaaaaaaa", content=["4"], provider_data={"name": "f"}, issuer=other),
    ]
    assert messages(MISTRAL, items) == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": "a", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "aaaaaaaaa", "content": "4"},
    ]


def test_the_last_words_of_the_assistant_are_a_prefix_of_the_answer() -> None:
    history = [Message("user", "hi"), Message("assistant", "Once")]
    wire = [USER, {"role": "assistant", "content": "Once", "prefix": True}]
    assert messages(MISTRAL, history) == wire
    assert contents(*wire) == history


def test_a_prefix_that_is_not_the_last_message_is_kept() -> None:
    wire = [USER, {"role": "assistant", "content": "Once", "prefix": True}, USER]
    assert rebuilt(*wire) == wire


def test_an_empty_message_of_the_assistant_is_left_out() -> None:
    """The API demands content or calls."""
    assert messages(MISTRAL, [Message("user", "hi"), Message("assistant", "")]) == [USER]
    with pytest.raises(LlmError) as caught:
        formats.load(MISTRAL).build_request(Call(LlmRequest(contents=[Message("assistant", "")])))
    assert caught.value.kind == "invalid_request"


def test_an_empty_message_between_calls_does_not_part_them() -> None:
    calls = [ToolCall("aaaaaaaaa", "f"), Message("assistant", ""), ToolCall("bbbbbbbbb", "f")]
    assert messages(MISTRAL, calls) == [
        {"role": "assistant", "content": "", "tool_calls": [CALL, {**CALL, "id": "bbbbbbbbb"}]}
    ]


def test_roles_that_the_api_lacks_become_those_that_it_has() -> None:
    items: list[ContentItem] = [Message("developer", "be"), Message("user", "hi"), Refusal("no"), Message("user", "hm")]
    assert messages(MISTRAL, items) == [
        {"role": "system", "content": "be"},
        USER,
        {"role": "assistant", "content": "no"},
        {"role": "user", "content": "hm"},
    ]


def test_a_name_is_left_out_with_a_notice() -> None:
    history = [Message("user", "hi", name="bob")]
    assert messages(MISTRAL, history) == [USER]
    assert notices(MISTRAL, history) == [Notice("contents[0].name", "name left out", "this host refuses it")]


def test_a_picture_in_a_result_is_sent_there() -> None:
    picture = Image("https://h.example/a.png")
    sent = messages(MISTRAL, [ToolCall("aaaaaaaaa", "f"), ToolResult("aaaaaaaaa", content=["see", picture])])
    assert sent[1]["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "https://h.example/a.png"}},
    ]


def test_the_name_in_a_result_goes_back_and_is_not_made_up() -> None:
    named = {"role": "tool", "tool_call_id": "aaaaaaaaa", "name": "f", "content": "4"}
    bare = {"role": "tool", "tool_call_id": "aaaaaaaaa", "content": "4"}
    call = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    assert rebuilt(call, named) == [call, named]
    assert rebuilt(call, bare) == [call, bare]
    assert contents(call, bare)[1] == ToolResult("aaaaaaaaa", "f", content=["4"])


@pytest.mark.parametrize(
    "odd", [{"role": "user", "content": None}, {"role": "tool", "content": "4"}, {"role": "novel", "content": [1]}]
)
def test_a_message_of_an_odd_form_is_kept_as_it_is(odd: Any) -> None:
    assert contents(odd) == [Opaque(odd, issuer=HERE)]
    assert rebuilt(odd) == [odd]
