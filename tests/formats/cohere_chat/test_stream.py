"""Streams of Cohere: blocks, the plan and calls in pieces, citations whole, the end with counts or an error."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import issuer
from tests.formats.cohere_chat.recorded import COHERE
from tests.formats.streams import CUT, DONE, played
from triptych import formats
from triptych.content import ContentItem, Message, Reasoning, ToolCall
from triptych.errors import LlmError
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, TextDelta, ToolCallDelta
from triptych.framing.sse import SseDecoder
from triptych.usage import Usage

OWN = issuer(COHERE)
CITED = {"start": 0, "end": 2, "text": "So", "sources": []}


def event(kind: str, index: int | None = None, **message: Any) -> dict[str, Any]:
    """Return an event of a stream."""
    placed = {} if index is None else {"index": index}
    return {"type": kind, **placed, **({"delta": {"message": message}} if message else {})}


def words(text: str, index: int = 0) -> dict[str, Any]:
    return event("content-delta", index, content={"text": text})


def plan(text: str) -> dict[str, Any]:
    return event("tool-plan-delta", tool_plan=text)


def called(call_id: Any, name: str, arguments: Any = "", index: int = 0) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return event("tool-call-start", index, tool_calls={"id": call_id, "type": "function", "function": function})


def arguments(text: str, index: int = 0) -> dict[str, Any]:
    return event("tool-call-delta", index, tool_calls={"function": {"arguments": text}})


def end(reason: str = "COMPLETE", **delta: Any) -> dict[str, Any]:
    return {"type": "message-end", "delta": {"finish_reason": reason, **delta}}


START = {"type": "message-start", "id": "r1", "delta": {"message": {"role": "assistant", "content": []}}}
THOUGHT = event("content-start", 0, content={"type": "thinking", "thinking": ""})
TEXT = event("content-start", 0, content={"type": "text", "text": ""})
STOP = event("content-end", 0)


def test_the_events_are_framed_as_server_sent_events() -> None:
    """B110, B112, B113."""
    decoder = formats.load(COHERE).framing()
    assert isinstance(decoder, SseDecoder)
    pieces = ["\ufeffevent: a\nda".encode(), b'ta:{"a":"\xc3', b'\xa9"}\n\ndata: [DO', b"NE]\n\n"]
    assert [said for piece in pieces for said in decoder.feed(piece)] == ['{"a":"é"}'.encode(), b"[DONE]"]


def test_each_piece_is_an_event_and_each_item_is_whole_at_the_end() -> None:
    wire = [
        START,
        THOUGHT,
        event("content-delta", 0, content={"thinking": "h"}),
        event("content-delta", 0, content={"thinking": "m"}),
        STOP,
        event("content-start", 1, content={"type": "text", "text": "S"}),
        words("o", 1),
        event("citation-start", 0, citations=CITED),
        event("citation-end", 0),
        event("content-end", 1),
        plan("I "),
        plan("add."),
        called("a", "add"),
        arguments('{"x"'),
        arguments(":1}"),
        event("tool-call-end", 0),
        called("b", "now", index=1),
        event("tool-call-end", 1),
        end("TOOL_CALL", usage={"tokens": {"input_tokens": 5, "output_tokens": 7}}),
        DONE,
    ]
    items: list[ContentItem] = [
        Reasoning("hm", issuer=OWN),
        Message("assistant", "So", provider_data={"citations": [CITED]}, issuer=OWN),
        Reasoning("I add.", provider_data={"tool_plan": "I add."}, issuer=OWN),
        ToolCall("a", "add", {"x": 1}),
        ToolCall("b", "now", {}),
    ]
    stream = played(COHERE, wire)
    assert stream.events == (
        ReasoningDelta("h"),
        ReasoningDelta("m"),
        TextDelta("S"),
        TextDelta("o"),
        ReasoningDelta("I "),
        ReasoningDelta("add."),
        ToolCallDelta("a", "add", "", 0),
        ToolCallDelta("a", "add", '{"x"', 0),
        ToolCallDelta("a", "add", ":1}", 0),
        ToolCallDelta("b", "now", "", 1),
        *map(ItemDone, items),
    )
    response = stream.response
    assert (response.content, response.finish_reason, response.usage) == (items, "tool_calls", Usage(5, 7))
    assert (response.id, response.error) == ("r1", None)


@pytest.mark.parametrize("given", ['{"x":1}', {"x": 1}], ids=["text", "object"])
def test_a_call_may_come_whole_in_its_first_event(given: Any) -> None:
    wire = [START, called("a", "add", given), event("tool-call-end", 0), end("TOOL_CALL")]
    assert played(COHERE, wire).response.tool_calls == [ToolCall("a", "add", {"x": 1})]


def test_two_calls_under_one_index_stay_two() -> None:
    """B117."""
    wire = [START, called("a", "f", "{}"), called("b", "g"), arguments('{"x":1}'), end("TOOL_CALL")]
    assert played(COHERE, wire).response.tool_calls == [ToolCall("a", "f", {}), ToolCall("b", "g", {"x": 1})]


def test_a_block_without_a_beginning_is_what_its_pieces_say() -> None:
    wire = [START, event("content-delta", 0, content={"thinking": "hm"}), STOP, words("a"), end()]
    assert played(COHERE, wire).response.content == [Reasoning("hm", issuer=OWN), Message("assistant", "a")]


def test_an_index_that_comes_again_begins_another_block() -> None:
    wire = [START, THOUGHT, event("content-delta", 0, content={"thinking": "hm"}), TEXT, words("a"), STOP, end()]
    assert played(COHERE, wire).response.content == [Reasoning("hm", issuer=OWN), Message("assistant", "a")]


@pytest.mark.parametrize(
    ("wire", "whole", "left"),
    [
        ([], [], []),
        ([START], [], []),
        ([START, TEXT, words("a")], [], [Message("assistant", "a")]),
        ([START, TEXT, words("a"), STOP], [Message("assistant", "a")], []),
        (
            [START, TEXT, words("So"), event("citation-start", 0, citations=CITED)],
            [],
            [Message("assistant", "So", provider_data={"citations": [CITED]}, issuer=OWN)],
        ),
        ([START, plan("p")], [], [Reasoning("p", provider_data={"tool_plan": "p"}, issuer=OWN)]),
        (
            [START, plan("p"), called("a", "f"), arguments("{}")],
            [Reasoning("p", provider_data={"tool_plan": "p"}, issuer=OWN)],
            [ToolCall("a", "f", {})],
        ),
        (
            [START, called("a", "f"), called("b", "g", index=1), event("tool-call-end", 1)],
            [ToolCall("b", "g", {})],
            [ToolCall("a", "f", {})],
        ),
    ],
    ids=["nothing", "start", "words", "block", "citation", "plan", "call", "calls side by side"],
)
def test_a_cut_stream_keeps_what_is_whole_apart_from_the_rest(wire: list[Any], whole: list[Any], left: Any) -> None:
    """B123: a call that was cut is never delivered."""
    response = played(COHERE, wire).response
    assert response.error == CUT.evolve(partial=tuple(left))
    assert response.content == whole


def test_a_marker_alone_is_no_end() -> None:
    """B122: the API has an event of its own for it."""
    assert played(COHERE, [START, TEXT, words("a"), STOP, DONE]).response.error == CUT


@pytest.mark.parametrize("body", [{"id": "e", "message": "overloaded"}, {"error": {"message": "overloaded"}}], ids=str)
def test_an_error_in_a_stream_ends_it(body: dict[str, Any]) -> None:
    """B107."""
    response = played(COHERE, [START, TEXT, words("a"), body, words("b")]).response
    assert response.error == LlmError("overloaded", "server", partial=(Message("assistant", "a"),))


def test_an_answer_that_failed_keeps_what_came_of_it() -> None:
    wire = [START, TEXT, words("a"), end("ERROR", error="it broke", error_type="NOVEL", usage={})]
    response = played(COHERE, wire).response
    assert response.error == LlmError("it broke", "server", code="NOVEL")
    assert (response.content, response.finish_reason) == ([Message("assistant", "a")], "error")


def test_an_event_that_is_not_known_is_passed_on() -> None:
    debug = {"type": "debug", "prompt": "<BOS>"}
    stream = played(COHERE, [START, debug, {"own": 1}, end()])
    assert stream.events == (ProviderEvent(debug), ProviderEvent({"own": 1}))


def test_scores_and_further_fields_are_in_the_raw_answer() -> None:
    scores = [{"text": text, "token_ids": [at], "logprobs": [-0.5]} for at, text in enumerate("ab")]
    pieces = [{**words(text), "logprobs": score} for text, score in zip("ab", scores, strict=True)]
    raw = played(COHERE, [{**START, "own": 1}, TEXT, *pieces, STOP, {**end(), "id": None}]).response.raw
    assert raw == {
        "id": "r1",
        "own": 1,
        "message": {
            "role": "assistant",
            "content": [{"type": "text", "text": "ab"}],
            "tool_calls": [],
            "tool_plan": "",
            "citations": [],
        },
        "logprobs": scores,
        "finish_reason": "COMPLETE",
    }


def test_the_events_are_not_changed() -> None:
    wire = [{**START, "own": {"a": [1]}}, TEXT, words("a"), called("a", "f", "{}"), end(usage={"tokens": {}})]
    before = repr(wire)
    played(COHERE, wire)
    assert repr(wire) == before


def test_a_stream_of_a_thousand_pieces_is_one_item() -> None:
    """B215."""
    wire = [START, TEXT, *[words("é\u2028")] * 1000, STOP, end()]
    assert played(COHERE, wire).response.content == [Message("assistant", "é\u2028" * 1000)]
