"""Streams of generateContent: events as they come, and what a stream without an end marker ends with."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import HERE
from tests.formats.gemini_generate.recorded import GEMINI
from tests.formats.streams import CUT, DONE, played
from triptych.content import Message, Reasoning, ToolCall
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, TextDelta, ToolCallDelta
from triptych.parts import Issuer, Text

OWN = Issuer(GEMINI, HERE)


def chunk(*parts: Any, finish: Any = None, index: int | None = None, **top: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    candidate |= {} if finish is None else {"finishReason": finish}
    return {"candidates": [candidate if index is None else {**candidate, "index": index}], **top}


def piece(*arguments: Any, more: bool = True, **call: Any) -> dict[str, Any]:
    said = {
        **call,
        **({"partialArgs": list(arguments)} if arguments else {}),
        **({"willContinue": True} if more else {}),
    }
    return {"functionCall": said}


PIECES = [
    chunk({**piece(name="book", id="x"), "thoughtSignature": "c2ln"}),
    chunk(piece({"jsonPath": "$.place.city", "stringValue": "Bos", "willContinue": True})),
    chunk(piece({"jsonPath": "$.place.city", "stringValue": "ton"}, {"jsonPath": "$.days[1]", "numberValue": 2})),
    chunk(piece({"jsonPath": "$.days[0]", "numberValue": 1}, {"jsonPath": "$['a b']", "boolValue": False})),
    chunk(piece({"jsonPath": "$.none", "nullValue": "NULL_VALUE"})),
    chunk(piece(more=False)),
    chunk(finish="STOP"),
]


def test_thoughts_and_words_come_apart_and_calls_come_whole() -> None:
    """B097: as in an answer in one piece."""
    call = {"functionCall": {"name": "f", "args": {"a": 1}}}
    stream = played(
        GEMINI,
        [
            chunk({"text": "pl", "thought": True}),
            chunk({"text": "an", "thought": True}, {"text": "so"}),
            chunk({"text": " it"}),
            chunk(call, {"executableCode": {"code": "1"}}, finish="STOP"),
            DONE,
        ],
    )
    assert stream.events[:6] == (
        ReasoningDelta("pl"),
        ReasoningDelta("an"),
        TextDelta("so"),
        TextDelta(" it"),
        ToolCallDelta("call_0_0", "f", '{"a":1}'),
        ProviderEvent({"executableCode": {"code": "1"}}),
    )
    assert stream.response.content[:3] == [
        Reasoning("plan", issuer=OWN),
        Message("assistant", "so it"),
        ToolCall("call_0_0", "f", {"a": 1}),
    ]
    assert stream.response.finish_reason == "tool_calls"


def test_a_part_with_a_signature_stands_alone() -> None:
    sealed = {"text": "b", "thoughtSignature": "c2ln"}
    stream = played(GEMINI, [chunk({"text": "a"}), chunk(sealed), chunk({"text": "c"}), chunk({"text": "d"}, finish=1)])
    seal = Text("b", provider_data={"thoughtSignature": "c2ln"}, issuer=OWN)
    assert stream.response.content == [Message("assistant", [Text("a"), seal, Text("cd")])]


def test_arguments_in_pieces_are_one_call() -> None:
    stream = played(GEMINI, PIECES)
    arguments = {"days": [1, 2], "a b": False, "none": None, "place": {"city": "Boston"}}
    own = {"functionCall": {"id": "x"}, "thoughtSignature": "c2ln"}
    call = ToolCall("x", "book", arguments, provider_data=own, issuer=OWN)
    assert stream.response.content == [call]
    assert stream.calls == {(0, 0): ("x", "book", '{"place":{"city":"Boston"},"days":[1,2],"a b":false,"none":null}')}
    assert stream.events[0] == ToolCallDelta("x", "book", "")
    assert stream.events[-1] == ItemDone(call)


@pytest.mark.parametrize("end", range(1, 6))
def test_a_call_in_pieces_that_is_cut_is_never_in_the_content(end: int) -> None:
    response = played(GEMINI, PIECES[:end]).response
    assert (response.content, response.tool_calls) == ([], [])
    assert response.error is not None
    assert [(call.name, call.tool_call_id) for call in response.error.partial] == [("book", "x")]


def test_a_finish_reason_before_the_last_part_ends_nothing() -> None:
    wire = [
        chunk({"executableCode": {"code": "1"}}, finish="STOP"),
        chunk({"text": "a"}),
        chunk({"text": "b"}, finish=1),
    ]
    assert played(GEMINI, wire).response.text == "ab"
    assert played(GEMINI, wire[:1]).response.error is None
    broken = played(GEMINI, wire[:2]).response.error
    assert broken is not None
    assert broken.evolve(partial=()) == CUT
    assert broken.partial == (Message("assistant", "a"),)


def test_candidates_grow_apart() -> None:
    wire = [
        chunk({"text": "a"}, index=0),
        chunk({"text": "x"}, index=1),
        chunk({"text": "b"}, index=0, finish="STOP"),
        chunk({"text": "y"}, index=1, finish="MAX_TOKENS"),
    ]
    stream = played(GEMINI, wire)
    assert stream.response.content == [Message("assistant", "ab"), Message("assistant", "xy")]
    assert (stream.words(TextDelta, 0), stream.words(TextDelta, 1)) == ("ab", "xy")
    assert stream.response.finish_reason == "stop"
    assert played(GEMINI, wire[:3]).response.error is not None


def test_a_blocked_prompt_ends_a_stream() -> None:
    response = played(GEMINI, [{"promptFeedback": {"blockReason": 3}, "usageMetadata": {}}]).response
    assert response.error is not None
    assert (response.error.kind, response.error.code) == ("content_filter", "BLOCKLIST")


def test_an_empty_stream_is_no_empty_answer() -> None:
    assert played(GEMINI, []).response.error == CUT
    assert played(GEMINI, [{"usageMetadata": {"trafficType": "ON_DEMAND"}}, DONE]).response.error == CUT


def test_the_last_usage_counts_and_one_without_counts_wipes_nothing() -> None:
    wire = [
        chunk({"text": "a"}, usageMetadata={"promptTokenCount": 9, "toolUsePromptTokenCount": 4}),
        chunk(finish="STOP", usageMetadata={"promptTokenCount": 10, "candidatesTokenCount": 2}),
        {"usageMetadata": {"trafficType": "ON_DEMAND"}},
    ]
    assert played(GEMINI, wire).response.usage_metadata == {"input_tokens": 10, "output_tokens": 2}


def test_an_event_of_another_kind_is_passed_on() -> None:
    novel = {"type": "novel", "a_b": 1}
    assert played(GEMINI, [novel, chunk({"text": "a"}, finish="STOP")]).events[0] == ProviderEvent(novel)


def test_many_pieces_are_joined_once() -> None:
    """B215."""
    wire = [chunk({"text": "0123456789"}) for _ in range(20_000)]
    assert len(played(GEMINI, [*wire, chunk(finish="STOP")]).response.text) == 200_000
