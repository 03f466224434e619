"""A stream that ends too early, wherever that is: nothing raises, no word is lost, no unfinished call looks whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.answers import anthropic_answers, openai_answers
from tests.formats.anthropic_messages import splitter as messages_splitter
from tests.formats.bodies import ANTHROPIC, BOTH, OPENAI, parsed
from tests.formats.corpus import Exchange, each
from tests.formats.openai_chat import splitter as chat_splitter
from tests.formats.streams import CUT, DONE, Played, played, read_chunks, read_events, recorded, wire_events
from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall
from triptych.events import ReasoningDelta, RefusalDelta, TextDelta
from triptych.response import LlmResponse

_LARGE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)
_ANSWERS = {OPENAI: openai_answers(), ANTHROPIC: anthropic_answers()}
_STREAMS = {OPENAI: chat_splitter.streams, ANTHROPIC: messages_splitter.streams}
_PREFIXES = 8

both = pytest.mark.parametrize("name", BOTH)


def everything(response: LlmResponse) -> list[ContentItem]:
    """Return what is whole and what is not."""
    return [*response.content, *(response.error.partial if response.error is not None else ())]


def words(items: Iterable[ContentItem]) -> str:
    return "".join(item.text for item in items if isinstance(item, Message))


def refusals(items: Iterable[ContentItem]) -> str:
    return "".join(item.refusal for item in items if isinstance(item, Refusal))


def thoughts(items: Iterable[ContentItem]) -> str:
    return "".join(item.text for item in items if isinstance(item, Reasoning)).replace("\n", "")


def calls(items: Iterable[ContentItem]) -> list[tuple[str, Any]]:
    return [(item.name, item.arguments) for item in items if isinstance(item, ToolCall)]


def assert_nothing_is_lost(stream: Played) -> None:
    items = everything(stream.response)
    assert sorted(stream.words(TextDelta)) == sorted(words(items))
    assert sorted(stream.words(RefusalDelta)) == sorted(refusals(items))
    assert sorted(stream.words(ReasoningDelta).replace("\n", "")) == sorted(thoughts(items))
    assert len(calls(items)) == len(stream.calls)


@both
@settings(max_examples=100, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_a_stream_may_end_anywhere(name: str, data: st.DataObject) -> None:
    answer = data.draw(_ANSWERS[name])
    wire: Sequence[Any] = data.draw(_STREAMS[name](answer))
    whole = parsed(name, answer)
    for end in range(len(wire)):
        stream = played(name, wire[:end])
        assert stream.response.error is None or stream.response.error.evolve(partial=()) == CUT
        assert all(call in calls(whole.content) for call in calls(stream.response.content))
        assert stream.items == stream.response.content
        assert_nothing_is_lost(stream)


@both
@settings(max_examples=60, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_an_error_event_anywhere_is_the_error_of_the_response(name: str, data: st.DataObject) -> None:
    answer = data.draw(_ANSWERS[name])
    wire: Sequence[Any] = [event for event in data.draw(_STREAMS[name](answer)) if event != DONE]
    end = data.draw(st.integers(0, len(wire) - 1))
    fault = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded", "code": 503}}
    stream = played(name, [*wire[:end], fault, *wire[end:]])
    assert stream.response.error is not None
    assert (stream.response.error.kind, stream.response.error.message) == ("overloaded", "Overloaded")
    assert all(call in calls(parsed(name, answer).content) for call in calls(stream.response.content))
    assert_nothing_is_lost(stream)


@each(recorded())
def test_a_recorded_stream_may_end_anywhere(exchange: Exchange) -> None:
    wire = wire_events(exchange)
    whole = played(exchange.format, wire).response
    read = read_events if exchange.format == ANTHROPIC else read_chunks
    for end in range(0, len(wire), max(len(wire) // _PREFIXES, 1)):
        stream = played(exchange.format, wire[:end])
        told = read(wire[:end])
        assert sorted(words(everything(stream.response))) == sorted("".join(told.texts.values()))
        assert refusals(everything(stream.response)) == "".join(told.refusal)
        assert all(call in calls(whole.content) for call in calls(stream.response.content))
        assert_nothing_is_lost(stream)
