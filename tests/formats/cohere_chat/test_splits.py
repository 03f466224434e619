"""An answer of Cohere's in one piece and the same answer as a stream are one response, wherever the stream is cut."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.bodies import parsed
from tests.formats.cohere_chat import recorded
from tests.formats.cohere_chat.recorded import COHERE
from tests.formats.cohere_chat.splitter import answers, streams
from tests.formats.corpus import Exchange, each
from tests.formats.streams import CUT, DONE, Wire, played
from triptych.content import ContentItem, Message, Reasoning, read_arguments
from triptych.events import ReasoningDelta, TextDelta

_LARGE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)


def words_of(items: list[ContentItem]) -> tuple[str, str]:
    """Return what items say, and what they think or plan."""
    words = [item.text for item in items if isinstance(item, Message)]
    return "".join(words), "".join(item.text for item in items if isinstance(item, Reasoning))


@each(recorded.answers())
def test_a_recorded_answer_is_the_same_as_a_stream(exchange: Exchange) -> None:
    whole = parsed(COHERE, exchange.response)

    @settings(max_examples=10, deadline=None, database=None, suppress_health_check=_LARGE)
    @given(streams(exchange.response))
    def check(wire: list[Wire]) -> None:
        assert played(COHERE, wire).response == whole

    check()


@settings(max_examples=300, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_any_answer_is_the_same_as_a_stream(data: st.DataObject) -> None:
    answer = data.draw(answers())
    stream = played(COHERE, data.draw(streams(answer)))
    response = stream.response
    assert response == parsed(COHERE, answer)
    assert (response.error is None) is (answer["finish_reason"] not in ("ERROR", "TIMEOUT"))
    assert stream.items == response.content
    assert (stream.words(TextDelta), stream.words(ReasoningDelta)) == words_of(response.content)
    made = [(name, read_arguments(text) or {}) for _, name, text in stream.calls.values()]
    assert made == [(call.name, call.arguments) for call in response.tool_calls]


@settings(max_examples=100, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_a_stream_may_end_anywhere_and_loses_no_word(data: st.DataObject) -> None:
    answer = data.draw(answers())
    wire: list[Any] = [event for event in data.draw(streams(answer)) if event != DONE]
    whole = parsed(COHERE, answer)
    for end in range(len(wire)):
        stream = played(COHERE, wire[:end])
        error = stream.response.error
        assert error is not None
        assert error.evolve(partial=()) == CUT
        items = [*stream.response.content, *error.partial]
        assert words_of(items) == (stream.words(TextDelta), stream.words(ReasoningDelta))
        calls = Counter(call.name for call in stream.response.tool_calls)
        assert calls <= Counter(call.name for call in whole.tool_calls)
        assert calls.total() == sum(event["type"] == "tool-call-end" for event in wire[:end])


@settings(max_examples=60, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_an_error_anywhere_in_a_stream_is_the_error_of_the_response(data: st.DataObject) -> None:
    wire: list[Any] = [event for event in data.draw(streams(data.draw(answers()))) if event != DONE]
    end = data.draw(st.integers(0, len(wire) - 1))
    stream = played(COHERE, [*wire[:end], {"id": "r1", "message": "internal server error"}, *wire[end:]])
    assert stream.response.error is not None
    assert (stream.response.error.kind, stream.response.error.message) == ("server", "internal server error")
