"""What holds for streams of both wire formats alike: how they are asked for, how they end, what they cost."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType
from typing import Any, NoReturn

import pytest

from tests.formats.bodies import ANTHROPIC, BOTH, OPENAI, answer, body, parsed
from tests.formats.streams import DONE, played
from triptych.content import Message, Reasoning, ToolCall
from triptych.provider import Quirks

both = pytest.mark.parametrize("name", BOTH)


def test_a_stream_is_asked_for_with_its_usage() -> None:
    """B050."""
    sent = body(OPENAI, stream=True)
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})


def test_a_host_that_does_not_know_stream_options_gets_none() -> None:
    """B050: the usage is None then."""
    sent = body(OPENAI, stream=True, quirks=Quirks(stream_options=False))
    assert sent == {**body(OPENAI), "stream": True}
    whole = [{"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}, DONE]
    response = played(OPENAI, whole, quirks=Quirks(stream_options=False)).response
    assert (response.error, response.usage, response.usage_metadata) == (None, None, {})


def test_messages_are_streamed_without_options() -> None:
    """B050."""
    assert body(ANTHROPIC, stream=True) == {**body(ANTHROPIC), "stream": True}


@both
def test_nothing_is_asked_for_without_a_stream(name: str) -> None:
    assert not {"stream", "stream_options"} & body(name).keys()


class Piece(str):
    """A piece of text that may be joined with others at once, and not added to what came before."""

    __slots__ = ()

    def __add__(self, other: object) -> NoReturn:
        raise AssertionError("a piece was added to another one")

    __radd__ = __add__


def wire(name: str, kind: str, pieces: list[str]) -> list[Any]:
    """Return a whole stream of one text, thought or call in these pieces."""
    if name == OPENAI:
        call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
        first = {"arguments": {"tool_calls": [call]}}.get(kind, {})
        more = {
            "text": lambda piece: {"content": piece},
            "thought": lambda piece: {"reasoning_content": piece},
            "arguments": lambda piece: {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]},
        }[kind]
        deltas = [first, *map(more, pieces)]
        chunks = [{"id": "r1", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        return [*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, DONE]
    block, delta, said = {
        "text": ({"type": "text", "text": ""}, "text_delta", "text"),
        "thought": ({"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking"),
        "arguments": ({"type": "tool_use", "id": "c", "name": "f", "input": {}}, "input_json_delta", "partial_json"),
    }[kind]
    grown = [{"type": "content_block_delta", "index": 0, "delta": {"type": delta, said: piece}} for piece in pieces]
    return [
        {"type": "message_start", "message": {"id": "r1", "model": "m", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *grown,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]


def operations(name: str, kind: str, count: int) -> Counter[str]:
    """Return how often each function was called to read a stream of `count` pieces."""
    events = wire(name, kind, [Piece(text) for text in ('{"a":"', *["x" * 20] * count, '"}')])
    played(name, events)  # what is imported at first use is no work of the second stream
    called: Counter[str] = Counter()

    def profile(frame: FrameType, event: str, function: Any) -> None:
        if event in ("call", "c_call"):
            called[frame.f_code.co_name if event == "call" else function.__name__] += 1

    sys.setprofile(profile)
    try:
        response = played(name, events).response
    finally:
        sys.setprofile(None)
    assert response.error is None
    assert len(response.content) == 1
    return called


@both
@pytest.mark.parametrize("kind", ["text", "thought", "arguments"])
def test_pieces_are_put_together_once_however_many_they_are(name: str, kind: str) -> None:
    """B215: neither adding each to what came before nor joining them again for each."""
    few, many = operations(name, kind, 50), operations(name, kind, 500)
    assert many["join"] == few["join"]
    assert many["decode"] == few["decode"]
    assert sum(many.values()) < 10 * sum(few.values())


@both
def test_a_thousand_pieces_are_one_item(name: str) -> None:
    """B215."""
    pieces = ['{"a":"', *["é\u2028"] * 1000, '"}']
    text = "".join(pieces)
    assert played(name, wire(name, "text", pieces)).response.content == [Message("assistant", text)]
    [thought] = played(name, wire(name, "thought", pieces)).response.content
    assert isinstance(thought, Reasoning)
    assert thought.text == text
    call = played(name, wire(name, "arguments", pieces)).response.content
    assert call == [ToolCall("c", "f", {"a": "é\u2028" * 1000})]


@both
def test_a_stream_gives_the_response_of_the_same_answer_in_one_piece(name: str) -> None:
    whole = answer(name, "ab", finish="stop") if name == OPENAI else answer(name, "ab")
    told = played(name, wire(name, "text", ["a", "b"])).response
    assert (told.content, told.finish_reason, told.id, told.model, told.provider) == (
        parsed(name, whole).content,
        "stop",
        "r1",
        "m",
        "here",
    )
