"""Answers of OpenAI Chat Completions and of the hosts that speak it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import OPENAI, issuer, messages, openai_answer, parsed
from triptych import formats
from triptych.content import Message, Reasoning, Refusal, ToolCall
from triptych.formats import Call
from triptych.parts import Audio, Issuer, Opaque, Text
from triptych.request import LlmRequest
from triptych.settings import Settings
from triptych.usage import Usage

AUDIO = {"id": "audio_1", "data": "AAAA", "transcript": "beep", "expires_at": 1}


def test_reasoning_words_refusal_and_calls_come_in_that_order() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    wire = openai_answer({"tool_calls": [call], "refusal": "no", "content": "x", "reasoning": "r"})
    assert [type(item) for item in parsed(OPENAI, wire).content] == [Reasoning, Message, Refusal, ToolCall]


def test_several_choices_follow_one_another_and_their_made_up_ids_differ() -> None:
    wire = openai_answer({"content": "a"})
    call = {"id": "", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    second = {"index": 1, "message": {"role": "assistant", "content": "b", "tool_calls": [call]}, "finish_reason": "x"}
    third = {**second, "index": 2}
    response = parsed(OPENAI, {**wire, "choices": [*wire["choices"], second, third]})
    assert (response.text, response.finish_reason) == ("abb", "stop")
    assert len({call.tool_call_id for call in response.tool_calls}) == 2


def test_the_old_form_of_a_call_is_a_call_with_an_id_of_our_own() -> None:
    wire = openai_answer({"function_call": {"name": "f", "arguments": '{"a":1}'}}, "function_call")
    response = parsed(OPENAI, wire)
    assert [(call.name, call.arguments) for call in response.tool_calls] == [("f", {"a": 1})]
    assert response.tool_calls[0].tool_call_id
    assert response.finish_reason == "tool_calls"


@pytest.mark.parametrize("empty", [None, {}, {"name": "", "arguments": ""}])
def test_an_empty_old_call_is_none(empty: Any) -> None:
    assert parsed(OPENAI, openai_answer({"content": "x", "function_call": empty})).tool_calls == []


@pytest.mark.parametrize(
    ("options", "mime"), [(None, "audio/wav"), ({"format": "mp3"}, "audio/mpeg"), ({"format": "flac"}, "audio/flac")]
)
def test_a_sound_has_the_form_that_was_asked_for(options: Any, mime: str) -> None:
    settings = Settings(extra_body={"audio": options} if options else None)
    call = Call(LlmRequest(contents="hi"), "m", settings)
    response = formats.load(OPENAI, "here").parse_response(openai_answer({"audio": AUDIO}), call)
    sound = Audio(
        f"data:{mime};base64,AAAA", media_type=mime, file_id="audio_1", transcript="beep", issuer=issuer(OPENAI)
    )
    assert response.content == [Message("assistant", [sound])]


def test_words_beside_a_sound_are_kept() -> None:
    [message] = parsed(OPENAI, openai_answer({"audio": AUDIO, "content": "x"})).content
    assert isinstance(message, Message)
    assert message.content[0] == Text("x")


@pytest.mark.parametrize("empty", [None, {}, {"id": "", "data": "", "transcript": "", "expires_at": 0}])
def test_an_empty_sound_is_none(empty: Any) -> None:
    assert parsed(OPENAI, openai_answer({"content": "x", "audio": empty})).content == [Message("assistant", "x")]


@pytest.mark.parametrize("content", [{"a": [1]}, 7, True])
def test_a_content_that_a_host_parsed_is_its_json_text(content: Any) -> None:
    texts = {"{'a': [1]}": '{"a":[1]}', "7": "7", "True": "true"}
    assert parsed(OPENAI, openai_answer({"content": content})).text == texts[str(content)]


def test_what_a_host_adds_to_its_message_is_kept_and_goes_back_to_it() -> None:
    added = {"annotations": [{"type": "url_citation"}]}
    response = parsed(OPENAI, openai_answer({"content": "x", **added, "audio": None}))
    assert response.content == [Message("assistant", "x", provider_data=added, issuer=issuer(OPENAI))]
    assert messages(OPENAI, response.content, known=False) == [{"role": "assistant", "content": "x", **added}]


def test_blocks_of_thinking_are_reasoning_and_the_text_beside_them_is_not() -> None:
    blocks = [{"type": "thinking", "thinking": [{"type": "text", "text": "plan"}]}, {"type": "text", "text": "answer"}]
    response = parsed(OPENAI, openai_answer({"content": blocks}))
    assert (response.reasoning, response.text) == ("plan", "answer")


def test_the_first_form_of_a_finish_reason_is_read() -> None:
    choice = {"message": {"role": "assistant", "content": "x"}, "finish_details": {"type": "max_tokens"}, "index": 0}
    response = parsed(OPENAI, {"choices": [choice]})
    assert (response.finish_reason, response.raw_finish_reason) == ("length", "max_tokens")


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, Usage(3, 4)),
        (
            {"prompt_tokens": 3, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 2}},
            Usage(3, 4, reasoning_tokens=2),
        ),
        (
            {
                "prompt_tokens": 3,
                "completion_tokens": 4,
                "total_tokens": 9,
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
            Usage(3, 6, reasoning_tokens=2),
        ),
        ({"prompt_tokens": 3, "prompt_cache_hit_tokens": 2}, Usage(3, 0, cache_read_tokens=2)),
        (
            {"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 2}},
            Usage(3, 0, cache_read_tokens=1, cache_write_tokens=2),
        ),
        ({"prompt_tokens": 3, "prompt_tokens_details": None, "completion_tokens_details": None}, Usage(3, 0)),
        ({}, Usage()),
        (None, None),
        ("5", None),
    ],
)
def test_the_counts_of_every_host_have_one_meaning(counts: Any, usage: Usage | None) -> None:
    assert parsed(OPENAI, openai_answer({"content": "x"}, usage=counts)).usage == usage


def test_a_call_of_an_unknown_kind_is_kept_and_goes_back_and_no_word_is_lost() -> None:
    novel = {"id": "x", "type": "novel", "novel": {"a": 1}}
    message = {"role": "assistant", "content": "Look:", "tool_calls": [novel]}
    chat = formats.load("openai_chat", "openai")
    response = chat.parse_response({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
    assert response.content == [Message("assistant", "Look:"), Opaque(novel, issuer=Issuer("openai_chat", "openai"))]
    body = chat.build_request(formats.Call(LlmRequest(contents=[*response.content]), "m")).body
    assert body["messages"] == [message]
