"""What holds for streams of all wire formats alike: how they are asked for, how they end, what they cost."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType
from typing import Any, NoReturn

import pytest

from tests.formats.bodies import ALL, ANTHROPIC, OPENAI, answer, body, parsed
from tests.formats.long_streams import STREAMED, long_stream
from tests.formats.streams import DONE, played
from triptych.content import Message, Reasoning, ToolCall
from triptych.provider import Quirks

each_format = pytest.mark.parametrize("name", ALL)
each_kind = pytest.mark.parametrize(("name", "kind"), STREAMED)


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


@each_format
def test_nothing_is_asked_for_without_a_stream(name: str) -> None:
    sent = body(name)
    assert "stream_options" not in sent
    assert not sent.get("stream")  # Ollama streams unless it is told not to


class Piece(str):
    """A piece of text that may be joined with others at once, and not added to what came before."""

    __slots__ = ()

    def __add__(self, other: object) -> NoReturn:
        raise AssertionError("a piece was added to another one")

    __radd__ = __add__


def operations(name: str, kind: str, count: int) -> Counter[str]:
    """Return how often each function was called to read a stream of `count` pieces."""
    events = long_stream(name, kind, [Piece(text) for text in ('{"a":"', *["x" * 20] * count, '"}')])
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


@each_kind
def test_pieces_are_put_together_once_however_many_they_are(name: str, kind: str) -> None:
    """B215: neither adding each to what came before nor joining them again for each."""
    few, many = operations(name, kind, 50), operations(name, kind, 500)
    # A piece of a thought of Mistral's is a list of parts, whose words are joined by themselves.
    assert many["join"] - few["join"] == (450 if (name, kind) == ("mistral_chat", "thought") else 0)
    assert many["decode"] == few["decode"]
    assert sum(many.values()) < 10 * sum(few.values())


@each_kind
def test_a_thousand_pieces_are_one_item(name: str, kind: str) -> None:
    """B215."""
    pieces = ['{"a":"', *["é\u2028"] * 1000, '"}']
    [item] = played(name, long_stream(name, kind, pieces)).response.content
    if isinstance(item, ToolCall):
        assert (item.tool_call_id, item.name, item.arguments) == ("c", "f", {"a": "é\u2028" * 1000})
    else:
        assert isinstance(item, Reasoning if kind == "thought" else Message)
        assert item.text == "".join(pieces)


@each_format
def test_a_stream_gives_the_response_of_the_same_answer_in_one_piece(name: str) -> None:
    told = played(name, long_stream(name, "text", ["a", "b"])).response
    whole = parsed(name, answer(name, "ab"))
    assert (told.text, told.finish_reason, told.id, told.provider) == ("ab", "stop", whole.id, "here")
    assert (told.model, told.error) == (whole.model, None)
