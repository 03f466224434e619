"""Streams of Mistral's API: texts and chunks by turns, calls, errors; and the same answer whole or in pieces."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.bodies import issuer, openai_answer, parsed
from tests.formats.openai_chat.chunks import chunk
from tests.formats.openai_chat.splitter import streams
from tests.formats.streams import CUT, DONE, Played, played
from triptych.content import ContentItem, Message, Reasoning, ToolCall
from triptych.errors import LlmError
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, TextDelta, ToolCallDelta
from triptych.parts import Text
from triptych.usage import Usage

MISTRAL = "mistral_chat"
HERE = issuer(MISTRAL)


def think(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": words}], **more}]}


def stream(*deltas: Any, finish: Any = "stop") -> Played:
    return played(MISTRAL, [*map(chunk, deltas), chunk({}, finish), DONE])


def test_thoughts_in_chunks_and_words_in_texts_may_take_turns() -> None:
    """B093."""
    told = stream({"role": "assistant", "content": ""}, think("Ok"), think("ay", closed=True), {"content": "Hi"})
    items: list[ContentItem] = [
        Reasoning("Okay", provider_data={"closed": True}, issuer=HERE),
        Message("assistant", [Text("Hi")]),
    ]
    assert told.events == (ReasoningDelta("Ok"), ReasoningDelta("ay"), TextDelta("Hi"), *map(ItemDone, items))


def test_the_seal_that_comes_with_the_end_of_a_thought_is_kept() -> None:
    told = stream(think("Ok"), think("", closed=True, signature="seal"))
    assert told.response.content == [
        Reasoning("Ok", signature="seal", provider_data={"closed": True}, issuer=HERE),
    ]


def test_a_call_that_comes_whole_without_an_index_is_told_and_done() -> None:
    call = {"id": "qDEcl0n92", "function": {"name": "f", "arguments": '{"a": 1}'}}
    told = stream({"role": "assistant", "content": ""}, {"content": None, "tool_calls": [call]}, finish="tool_calls")
    assert told.events == (
        ToolCallDelta("qDEcl0n92", "f", '{"a": 1}'),
        ItemDone(ToolCall("qDEcl0n92", "f", {"a": 1})),
    )


def test_the_usage_of_the_last_chunk_counts_sound_as_input() -> None:
    counts = {
        "prompt_tokens": 9,
        "completion_tokens": 2,
        "total_tokens": 18,
        "prompt_tokens_details": {"audio_tokens": 7},
    }
    response = played(MISTRAL, [chunk({"content": "a"}, "stop", usage=counts, p="abc"), DONE]).response
    assert response.usage == Usage(16, 2)


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (
            {"object": "error", "message": "slow", "type": "rate_limited", "code": "1300", "raw_status_code": 429},
            LlmError("slow", "rate_limit", status=429, code="1300"),
        ),
        (
            {"object": "error", "message": "oh", "type": "internal", "code": None},
            LlmError("oh", "server", code="internal"),
        ),
        ({"error": {"message": "oh", "code": 503}}, LlmError("oh", "overloaded", status=503, code="503")),
        ({"detail": "gone"}, LlmError("gone", "server")),
    ],
)
def test_an_error_in_the_stream_ends_it_and_keeps_what_came(event: Any, error: LlmError) -> None:
    response = played(MISTRAL, [chunk({"content": "half"}), event]).response
    assert response.error == error.evolve(partial=(Message("assistant", "half"),))
    assert response.content == []


def test_a_stream_that_is_cut_in_its_thought_keeps_the_piece_in_the_error() -> None:
    response = played(MISTRAL, [chunk(think("so"))]).response
    assert response.error == CUT.evolve(partial=(Reasoning("so", issuer=HERE),))


def test_an_event_of_another_kind_is_passed_on() -> None:
    novel = {"object": "novel", "data": [1]}
    told = played(MISTRAL, [novel, chunk({"content": "a"}, "stop"), DONE])
    assert told.events == (ProviderEvent(novel), TextDelta("a"), ItemDone(Message("assistant", "a")))


_words = st.text(min_size=1, max_size=8) | st.sampled_from(["a\u2028b", "😀", " \n"])
_chunk = st.one_of(
    st.builds(lambda words: {"type": "text", "text": words}, _words),
    st.builds(
        lambda words, more: {"type": "thinking", "thinking": [{"type": "text", "text": words}], **more},
        _words,
        st.sampled_from([{}, {"closed": True}]),
    ),
    st.sampled_from([{"type": "reference", "reference_ids": [1]}, {"type": "file", "file_id": "f"}]),
)


def _apart(chunks: list[Any]) -> bool:
    """Whether no two neighbours are words of one type: in a stream those are one chunk."""
    return all(one["type"] != other["type"] for one, other in pairwise(chunks))


_calls = st.lists(
    st.builds(
        lambda given, arguments: {
            "id": given,
            "type": "function",
            "function": {"name": "f", "arguments": arguments},
        },
        st.text("abcXYZ019", min_size=9, max_size=9),
        st.sampled_from(["", "{}", '{"a": 1}', "{cut"]),
    ),
    max_size=3,
    unique_by=lambda call: str(call["id"]),
)
_messages = st.builds(
    lambda content, calls: {"content": content, "tool_calls": calls or None},
    st.none() | st.just("") | _words | st.lists(_chunk, max_size=4).filter(_apart),
    _calls,
)
_answers = st.builds(
    openai_answer,
    _messages,
    st.sampled_from(["stop", "length", "model_length", "tool_calls", "error"]),
    usage=st.just({"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}),
)


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(st.data())
def test_any_answer_is_the_same_as_a_stream(data: st.DataObject) -> None:
    answer = data.draw(_answers)
    told = played(MISTRAL, data.draw(streams(answer)))
    assert told.response == parsed(MISTRAL, answer)
    assert told.items == told.response.content
    assert told.words(TextDelta) == told.response.text
    thoughts = [item.text for item in told.response.content if isinstance(item, Reasoning)]
    assert told.words(ReasoningDelta) == "".join(thoughts)


@pytest.mark.parametrize(
    ("deltas", "whole", "partial"),
    [
        ([think("Ok")], [], ["Ok"]),
        ([think("Ok"), {"content": "Hi"}], ["Ok"], ["Hi"]),
        ([think("Ok"), {"content": "Hi"}, think("So")], ["Ok", "Hi"], ["So"]),
        ([think("Ok"), {"content": "Hi"}, {"content": [{"type": "text", "text": " you"}]}], ["Ok"], ["Hi you"]),
        ([{"content": "Hi"}, think("So")], ["Hi"], ["So"]),
    ],
)
def test_a_thought_is_whole_once_words_follow_it_and_words_once_a_thought_does(
    deltas: list[Any], whole: list[str], partial: list[str]
) -> None:
    response = played(MISTRAL, map(chunk, deltas)).response
    assert response.error is not None
    said = [[getattr(item, "text", "") for item in items] for items in (response.content, response.error.partial)]
    assert said == [whole, partial]
