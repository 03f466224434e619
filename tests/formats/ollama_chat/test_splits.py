"""An answer of Ollama's in one piece and the same answer as a stream are one response, wherever the stream is cut."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.bodies import parsed
from tests.formats.corpus import Exchange, each
from tests.formats.ollama_chat import recorded
from tests.formats.ollama_chat.recorded import OLLAMA
from tests.formats.ollama_chat.splitter import answers, streams
from tests.formats.streams import CUT, DONE, Wire, played
from triptych.content import Message, Reasoning, read_arguments
from triptych.events import ReasoningDelta, TextDelta

_LARGE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)


@each(recorded.answers())
def test_a_recorded_answer_is_the_same_as_a_stream(exchange: Exchange) -> None:
    whole = parsed(OLLAMA, exchange.response)

    @settings(max_examples=10, deadline=None, database=None, suppress_health_check=_LARGE)
    @given(streams(exchange.response))
    def check(wire: list[Wire]) -> None:
        assert played(OLLAMA, wire).response == whole

    check()


@settings(max_examples=200, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_any_answer_is_the_same_as_a_stream(data: st.DataObject) -> None:
    answer = data.draw(answers())
    stream = played(OLLAMA, data.draw(streams(answer)))
    response = stream.response
    assert response == parsed(OLLAMA, answer)
    assert response.error is None
    assert stream.items == response.content
    assert stream.words(TextDelta) == response.text
    assert stream.words(ReasoningDelta) == response.reasoning
    made = [(call_id, name, read_arguments(text) or {}) for call_id, name, text in stream.calls.values()]
    assert made == [(call.tool_call_id, call.name, call.arguments) for call in response.tool_calls]


@settings(max_examples=100, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_a_stream_may_end_anywhere_and_loses_no_word(data: st.DataObject) -> None:
    answer = data.draw(answers())
    wire: list[Any] = [line for line in data.draw(streams(answer)) if line != DONE]
    whole = parsed(OLLAMA, answer)
    for end in range(len(wire)):
        stream = played(OLLAMA, wire[:end])
        error = stream.response.error
        assert error is not None
        assert error.evolve(partial=()) == CUT
        items = [*stream.response.content, *error.partial]
        words = "".join(item.text for item in items if isinstance(item, Message))
        thoughts = "".join(item.text for item in items if isinstance(item, Reasoning))
        assert (words, thoughts) == (stream.words(TextDelta), stream.words(ReasoningDelta))
        assert Counter(call.name for call in stream.response.tool_calls) <= Counter(
            call.name for call in whole.tool_calls
        )


@settings(max_examples=60, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_an_error_anywhere_in_a_stream_is_the_error_of_the_response(data: st.DataObject) -> None:
    wire: list[Any] = [line for line in data.draw(streams(data.draw(answers()))) if line != DONE]
    end = data.draw(st.integers(0, len(wire) - 1))
    stream = played(OLLAMA, [*wire[:end], {"error": "an error was encountered"}, *wire[end:]])
    assert stream.response.error is not None
    assert (stream.response.error.kind, stream.response.error.message) == ("server", "an error was encountered")
