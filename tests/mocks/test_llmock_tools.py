"""llmock's broken tool calls: what the model said is kept, and running it tells the model what was wrong with it."""

import pytest

from tests.mocks.control import Llmock
from tests.mocks.hosts import MockHost, every_llmock_format
from tests.mocks.ways import Way, every_stream, every_way
from triptych import LlmRequest, ToolCall, run_calls

PLACES: list[str] = []


def get_weather(city: str) -> str:
    """Return the weather in a city."""
    PLACES.append(city)
    return "sunny"


REQUEST = LlmRequest(contents="What is the weather in Paris and in Rome?", tools=[get_weather])
CITIES = ("Paris", "Rome")
HALF = '{"city":'
# Where the arguments are an object on the wire, llmock sends an empty one for those that it breaks. Gemini would send
# no call at all, and MALFORMED_FUNCTION_CALL as the reason why its answer ended.
OBJECTS = {"gemini": (False, True), "anthropic": (False,)}


def calls_of(*cities: str) -> dict[str, object]:
    """Return the plan of an answer that asks for the weather in cities."""
    return {"type": "reply", "tool_calls": [{"name": "get_weather", "arguments": {"city": city}} for city in cities]}


def only_call(host: MockHost, llmock: Llmock, ask: Way, kind: str) -> tuple[ToolCall, bool]:
    """Return the one call of the answer to a question after a fault was planned, and whether it was streamed."""
    llmock.plan(calls_of("Paris"), {"type": "tool_fault", "kind": kind})
    outcome = ask(host.model, REQUEST, **host.options(llmock.mock), retries=0)
    assert (outcome.response.error, outcome.response.finish_reason) == (None, "tool_calls")
    [call] = outcome.response.tool_calls
    return call, outcome.streamed


@every_way
@every_llmock_format
def test_arguments_that_are_no_json_are_kept_as_they_came_and_never_run(
    llmock: Llmock, host: MockHost, ask: Way
) -> None:
    call, streamed = only_call(host, llmock, ask, "malformed_arguments")
    raw = None if streamed in OBJECTS.get(host.envelope, ()) else HALF
    assert (call.name, call.arguments, call.raw_arguments) == ("get_weather", {}, raw)
    PLACES.clear()
    [result] = run_calls([call], [get_weather])
    assert (result.tool_call_id, result.status, PLACES) == (call.tool_call_id, "error", [])


@every_way
@every_llmock_format
def test_a_call_of_a_tool_that_was_not_offered_is_told_to_the_model(llmock: Llmock, host: MockHost, ask: Way) -> None:
    call, _ = only_call(host, llmock, ask, "unknown_tool")
    assert (call.name, call.arguments) == ("llmock_unknown_tool", {"city": "Paris"})
    [result] = run_calls([call], [get_weather])
    assert (result.tool_call_id, result.name, result.status) == (call.tool_call_id, "llmock_unknown_tool", "error")


@every_stream
@pytest.mark.parametrize("kind", ["disconnect", "truncate", "malformed"])
@every_llmock_format
def test_of_calls_that_are_cut_anywhere_only_whole_ones_are_delivered(
    llmock: Llmock, waits: list[float], host: MockHost, kind: str, ask: Way
) -> None:
    delivered: list[int] = []
    while not delivered or delivered[-1] < len(CITIES):
        assert len(delivered) < 50  # events: all calls have come by then
        llmock.plan(calls_of(*CITIES), {"type": "stream_fault", "kind": kind, "after_chunks": len(delivered)})
        response = ask(host.model, REQUEST, **host.options(llmock.mock), retries=0).response
        told = [(call.name, call.arguments) for call in response.tool_calls]
        assert told == [("get_weather", {"city": city}) for city in CITIES[: len(told)]]
        # At the end of the answer both are there, and there may be no error: what is broken off then is no loss.
        assert response.error is not None or len(told) == len(CITIES)
        delivered.append(len(told))
    assert delivered == sorted(delivered)
    assert waits == []
