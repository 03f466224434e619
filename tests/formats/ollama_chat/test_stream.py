"""Streams of Ollama: lines with the next piece, calls whole, the counts in the last line."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import issuer
from tests.formats.ollama_chat.recorded import OLLAMA
from tests.formats.streams import CUT, DONE, played
from triptych import formats
from triptych.content import ContentItem, Message, Reasoning, ToolCall
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, TextDelta, ToolCallDelta
from triptych.formats import Call
from triptych.framing.ndjson import NdjsonDecoder
from triptych.request import LlmRequest
from triptych.usage import Usage

OWN = issuer(OLLAMA)
END = {"model": "m", "done": True, "done_reason": "stop", "eval_count": 5}


def line(**message: Any) -> dict[str, Any]:
    """Return a line with the next piece of the answer."""
    return {"model": "m", "message": {"role": "assistant", "content": "", **message}, "done": False}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}}


def test_the_lines_are_framed_as_ndjson() -> None:
    """B115, B126: cut anywhere, two in a chunk, the last without an end, whatever charset is declared."""
    decoder = formats.load(OLLAMA).framing()
    assert isinstance(decoder, NdjsonDecoder)
    pieces = [b'{"message":{"con', b'tent":"\xc3', b'\xa9"}}\n{"done":false}\n{"done"', b":true}"]
    read = [event for piece in pieces for event in decoder.feed(piece)] + decoder.finish()
    assert read == ['{"message":{"content":"é"}}'.encode(), b'{"done":false}', b'{"done":true}']


def test_each_piece_is_an_event_and_each_call_comes_whole() -> None:
    wire = [
        line(thinking="h"),
        line(thinking="m"),
        line(content="So"),
        line(content="."),
        line(tool_calls=[call("f", a=1), {"id": "x", **call("g")}]),
        line(tool_calls=[call("f", a=2)]),
        END,
    ]
    stream = played(OLLAMA, wire, call=Call(LlmRequest(contents="q")))
    items: list[ContentItem] = [
        Reasoning("hm", issuer=OWN),
        Message("assistant", "So."),
        ToolCall("call_1_0", "f", {"a": 1}),
        ToolCall("x", "g", {}),
        ToolCall("call_1_2", "f", {"a": 2}),
    ]
    assert stream.events == (
        ReasoningDelta("h"),
        ReasoningDelta("m"),
        TextDelta("So"),
        TextDelta("."),
        ToolCallDelta("call_1_0", "f", '{"a":1}', 0),
        ToolCallDelta("x", "g", "{}", 1),
        ToolCallDelta("call_1_2", "f", '{"a":2}', 2),
        *map(ItemDone, items),
    )
    assert stream.response.content == items
    assert (stream.response.finish_reason, stream.response.raw_finish_reason) == ("tool_calls", "stop")


@pytest.mark.parametrize("arguments", ['{"a":1}', '"{\\"a\\":1}"'])
def test_arguments_that_come_as_text_are_read(arguments: str) -> None:
    """B008."""
    wire = line(tool_calls=[{"function": {"name": "f", "arguments": arguments}}])
    assert played(OLLAMA, [wire, END]).response.tool_calls == [ToolCall("call_0_0", "f", {"a": 1})]


def test_a_last_line_of_counts_alone_ends_the_answer() -> None:
    """B127."""
    response = played(OLLAMA, [line(content="hi"), END]).response
    assert (response.error, response.text, response.usage) == (None, "hi", Usage(0, 5))


def test_nothing_is_read_after_the_end_and_a_marker_says_nothing() -> None:
    parser = formats.load(OLLAMA).stream_parser()
    parser.feed(line(content="hi"))
    parser.end_marker()
    assert (parser.ended, parser.closed) == (False, False)
    parser.feed(END)
    assert (parser.ended, parser.closed) == (True, True)
    assert played(OLLAMA, [line(content="hi"), END, DONE]).response.error is None


def test_a_marker_without_the_last_line_is_a_cut() -> None:
    response = played(OLLAMA, [line(content="hi"), DONE]).response
    assert response.error == CUT.evolve(partial=(Message("assistant", "hi"),))
    assert response.content == []


@pytest.mark.parametrize(
    ("wire", "whole", "left"),
    [
        ([], [], []),
        ([line(thinking="h")], [], [Reasoning("h", issuer=OWN)]),
        ([line(thinking="h"), line(content="a")], [Reasoning("h", issuer=OWN)], [Message("assistant", "a")]),
        (
            [line(content="a"), line(tool_calls=[call("f")])],
            [Message("assistant", "a"), ToolCall("call_0_0", "f", {})],
            [],
        ),
        (
            [line(tool_calls=[call("f")]), line(content="a")],
            [ToolCall("call_0_0", "f", {})],
            [Message("assistant", "a")],
        ),
    ],
    ids=["nothing", "thought", "words", "call", "words after a call"],
)
def test_a_cut_stream_keeps_what_is_whole_apart_from_the_rest(wire: list[Any], whole: list[Any], left: Any) -> None:
    """B123: a call comes whole, so that it is never cut."""
    response = played(OLLAMA, wire).response
    assert response.error == CUT.evolve(partial=tuple(left))
    assert response.content == whole


def test_an_error_in_a_stream_ends_it() -> None:
    """B107."""
    response = played(OLLAMA, [line(content="a"), {"error": "an error was encountered"}, line(content="b")]).response
    assert response.error is not None
    assert (response.error.kind, response.error_message) == ("server", "an error was encountered")
    assert response.error.partial == (Message("assistant", "a"),)


def test_a_line_that_is_not_known_is_passed_on() -> None:
    stream = played(OLLAMA, [{"status": "pulling"}, line(tool_calls=[{"novel": 1}]), END])
    assert [event.data for event in stream.events if isinstance(event, ProviderEvent)] == [
        {"status": "pulling"},
        {"novel": 1},
    ]


def test_scores_and_further_fields_of_the_lines_are_in_the_raw_answer() -> None:
    wire = [
        {**line(content="a"), "logprobs": [{"token": "a", "logprob": -0.5}]},
        {**line(content="b", own=["x"]), "logprobs": [{"token": "b", "logprob": -1.5}]},
        {**END, "remote_host": "https://ollama.com"},
    ]
    raw = played(OLLAMA, wire).response.raw
    assert raw == {
        **END,
        "message": {"role": "assistant", "content": "ab", "own": ["x"]},
        "logprobs": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.5}],
        "remote_host": "https://ollama.com",
    }


def test_the_lines_are_not_changed() -> None:
    wire = [line(tool_calls=[call("f")], own={"a": [1]}), line(tool_calls=[call("g")], own={"a": [2]}), END]
    before = repr(wire)
    played(OLLAMA, wire)
    assert repr(wire) == before


def test_a_stream_of_a_thousand_pieces_is_one_item() -> None:
    """B215."""
    wire = [line(content="é\u2028")] * 1000
    assert played(OLLAMA, [*wire, END]).response.content == [Message("assistant", "é\u2028" * 1000)]
