"""An answer of Bedrock's in one piece and the same answer as a stream are one response, wherever the stream is cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.bedrock_converse import recorded
from tests.formats.bedrock_converse.recorded import BEDROCK
from tests.formats.bedrock_converse.splitter import answers, streams
from tests.formats.bodies import parsed
from tests.formats.corpus import Exchange, each
from tests.formats.streams import CUT, Wire, played
from triptych.content import Message, Reasoning
from triptych.events import ReasoningDelta, TextDelta

_LARGE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)


@each(recorded.answers())
def test_a_recorded_answer_is_the_same_as_a_stream(exchange: Exchange) -> None:
    whole = parsed(BEDROCK, exchange.response)

    @settings(max_examples=5, deadline=None, database=None, suppress_health_check=_LARGE)
    @given(streams(exchange.response))
    def check(wire: list[Wire]) -> None:
        assert played(BEDROCK, wire).response == whole

    check()


@settings(max_examples=200, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_any_answer_is_the_same_as_a_stream(data: st.DataObject) -> None:
    answer = data.draw(answers())
    stream = played(BEDROCK, data.draw(streams(answer)))
    response = stream.response
    assert response == parsed(BEDROCK, answer)
    assert response.error is None
    assert stream.items == response.content
    assert stream.words(TextDelta) == response.text
    thoughts = [item.text for item in response.content if isinstance(item, Reasoning)]
    assert stream.words(ReasoningDelta) == "".join(thoughts)
    assert [name for _, name, _ in stream.calls.values()] == [call.name for call in response.tool_calls]


@settings(max_examples=100, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_a_stream_may_end_anywhere_and_loses_no_word(data: st.DataObject) -> None:
    answer = data.draw(answers())
    wire: list[Any] = data.draw(streams(answer))
    whole = parsed(BEDROCK, answer)
    for end in range(len(wire) - 2):
        stream = played(BEDROCK, wire[:end])
        error = stream.response.error
        assert error is not None
        assert error.evolve(partial=()) == CUT
        items = [*stream.response.content, *error.partial]
        words = "".join(item.text for item in items if isinstance(item, Message))
        thoughts = "".join(item.text for item in items if isinstance(item, Reasoning))
        assert (words, thoughts) == (stream.words(TextDelta), stream.words(ReasoningDelta))
        assert stream.response.tool_calls == whole.tool_calls[: len(stream.response.tool_calls)]


@settings(max_examples=60, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_an_answer_is_whole_once_its_words_are_though_its_costs_never_come(data: st.DataObject) -> None:
    answer = data.draw(answers())
    wire = data.draw(streams(answer))
    silent = {name: value for name, value in answer.items() if name not in ("usage", "metrics", "trace")}
    assert played(BEDROCK, wire[:-1]).response == parsed(BEDROCK, silent)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("throttlingException", "rate_limit"),
        ("validationException", "invalid_request"),
        ("internalServerException", "server"),
        ("modelStreamErrorException", "server"),
        ("serviceUnavailableException", "overloaded"),
        ("modelTimeoutException", "timeout"),
    ],
)
def test_an_exception_anywhere_in_a_stream_is_the_error_of_the_response(name: str, kind: str) -> None:
    """B129."""

    @settings(max_examples=15, deadline=None, suppress_health_check=_LARGE)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        wire = data.draw(streams(data.draw(answers())))
        end = data.draw(st.integers(0, len(wire) - 1))
        error = played(BEDROCK, [*wire[:end], {name: {"message": "so"}}, *wire[end:]]).response.error
        assert error is not None
        assert (error.kind, error.message, error.code) == (kind, "so", name[0].upper() + name[1:])
        assert error.retryable is (kind != "invalid_request")

    check()
