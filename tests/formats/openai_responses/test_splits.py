"""An answer of the Responses API in one piece and the same answer as a stream are one response, wherever it is cut."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.bodies import parsed
from tests.formats.corpus import Exchange, each
from tests.formats.openai_responses import recorded
from tests.formats.openai_responses.recorded import RESPONSES
from tests.formats.openai_responses.splitter import answers, streams
from tests.formats.openai_responses.wire import state
from tests.formats.streams import CUT, DONE, Wire, played
from triptych.content import Message, Refusal, read_arguments
from triptych.events import RefusalDelta, TextDelta

_LARGE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)


@each([exchange for exchange in recorded.answers() if exchange.response["status"] in ("completed", "incomplete")])
def test_a_recorded_answer_is_the_same_as_a_stream(exchange: Exchange) -> None:
    whole = parsed(RESPONSES, exchange.response)

    @settings(max_examples=8, deadline=None, database=None, suppress_health_check=_LARGE)
    @given(streams(exchange.response))
    def check(wire: list[Wire]) -> None:
        assert played(RESPONSES, wire).response == whole

    check()


@settings(max_examples=200, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_any_answer_is_the_same_as_a_stream(data: st.DataObject) -> None:
    answer = data.draw(answers())
    stream = played(RESPONSES, data.draw(streams(answer)))
    response = stream.response
    assert response == parsed(RESPONSES, answer)
    assert response.error is None
    assert stream.items == response.content
    assert stream.words(TextDelta) == response.text
    refused = [item.refusal for item in response.content if isinstance(item, Refusal)]
    assert stream.words(RefusalDelta) == "".join(refused)
    made = [(name, text) for _, name, text in stream.calls.values()]
    wire = [item for item in answer["output"] if item["type"] in recorded.CALLS]
    assert made == [(item["name"], item.get("arguments", item.get("input"))) for item in wire]
    for call in response.tool_calls:
        assert call.malformed or call.raw_arguments is None or read_arguments(call.raw_arguments) == call.arguments


@settings(max_examples=100, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_a_stream_may_end_anywhere_and_loses_no_word(data: st.DataObject) -> None:
    """B123."""
    answer = data.draw(answers())
    wire: list[Any] = [event for event in data.draw(streams(answer)) if event != DONE]
    whole = parsed(RESPONSES, answer)
    for end in range(len(wire)):
        stream = played(RESPONSES, wire[:end])
        error = stream.response.error
        assert error is not None
        assert error.evolve(partial=()) == CUT
        items = [*stream.response.content, *error.partial]
        assert "".join(item.text for item in items if isinstance(item, Message)) == stream.words(TextDelta)
        assert stream.response.content == whole.content[: len(stream.response.content)]


@settings(max_examples=60, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_a_failure_anywhere_in_a_stream_is_the_error_of_the_response(data: st.DataObject) -> None:
    """B124."""
    wire: list[Any] = [event for event in data.draw(streams(data.draw(answers()))) if event != DONE]
    end = data.draw(st.integers(0, len(wire) - 1))
    failed = {
        "id": "resp_1",
        "status": "failed",
        "error": {"code": "server_error", "message": "It broke."},
        "output": [],
    }
    response = played(RESPONSES, [*wire[:end], state("failed", failed), *wire[end:]]).response
    assert response.error is not None
    assert (response.error.kind, response.error.message) == ("server", "It broke.")
