"""An answer of generateContent in one piece and the same answer as a stream are one response, wherever it is cut."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.bodies import parsed
from tests.formats.corpus import Exchange, each
from tests.formats.gemini_generate import recorded
from tests.formats.gemini_generate.recorded import GEMINI
from tests.formats.gemini_generate.splitter import answers, streams
from tests.formats.streams import CUT, DONE, Wire, played
from triptych.content import Message, Reasoning, ToolCall, read_arguments
from triptych.events import ReasoningDelta, TextDelta

_LARGE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)


@each([exchange for exchange in recorded.answers() if "candidates" in exchange.response])
def test_a_recorded_answer_is_the_same_as_a_stream(exchange: Exchange) -> None:
    whole = parsed(GEMINI, exchange.response)

    @settings(max_examples=10, deadline=None, database=None, suppress_health_check=_LARGE)
    @given(streams(exchange.response))
    def check(wire: list[Wire]) -> None:
        assert played(GEMINI, wire).response == whole

    check()


@settings(max_examples=200, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_any_answer_is_the_same_as_a_stream(data: st.DataObject) -> None:
    answer = data.draw(answers())
    stream = played(GEMINI, data.draw(streams(answer)))
    response = stream.response
    assert response == parsed(GEMINI, answer)
    assert stream.items == response.content
    thoughts = [item.text for item in response.content if isinstance(item, Reasoning)]
    for index in {candidate.get("index", 0) for candidate in answer["candidates"]}:
        said = [event for event in stream.events if isinstance(event, TextDelta) and event.choice == index]
        assert "".join(event.text for event in said) in response.text
    assert len(stream.words(TextDelta)) == len(response.text)
    assert len(stream.words(ReasoningDelta)) == len("".join(thoughts))
    partial = response.error.partial if response.error is not None else ()
    calls = [*response.tool_calls, *(item for item in partial if isinstance(item, ToolCall))]
    made = [(call_id, name, read_arguments(text)) for call_id, name, text in stream.calls.values()]
    if len(answer["candidates"]) == 1:
        assert made == [(call.tool_call_id, call.name, call.arguments) for call in calls]


@settings(max_examples=100, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_a_stream_may_end_anywhere_and_loses_no_word(data: st.DataObject) -> None:
    wire: list[Any] = [chunk for chunk in data.draw(streams(data.draw(answers()))) if chunk != DONE]
    whole = played(GEMINI, wire).response
    for end in range(len(wire)):
        stream = played(GEMINI, wire[:end])
        error = stream.response.error
        if error is None or error.code is not None:
            assert end  # every candidate had its finish reason by then
            continue
        assert error.evolve(partial=()) == CUT
        items = [*stream.response.content, *error.partial]
        words = "".join(item.text for item in items if isinstance(item, Message))
        thoughts = "".join(item.text for item in items if isinstance(item, Reasoning))
        assert (len(words), len(thoughts)) == (len(stream.words(TextDelta)), len(stream.words(ReasoningDelta)))
        known = [*whole.tool_calls, *(whole.error.partial if whole.error is not None else ())]
        assert {call.name for call in stream.response.tool_calls} <= {item.name for item in known}


@settings(max_examples=60, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_an_error_anywhere_in_a_stream_is_the_error_of_the_response(data: st.DataObject) -> None:
    wire: list[Any] = [chunk for chunk in data.draw(streams(data.draw(answers()))) if chunk != DONE]
    end = data.draw(st.integers(0, len(wire)))
    failure = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    stream = played(GEMINI, [*wire[:end], failure, *wire[end:]])
    error = stream.response.error
    assert error is not None
    assert (error.kind, error.status, error.message) == ("overloaded", 503, "The model is overloaded.")
