"""aimock's tool calls, cut in the middle. It refuses to be told of broken ones."""

from typing import Any

from tests.mocks.control import Aimock
from tests.mocks.hosts import MockHost, every_aimock_host
from tests.mocks.ways import Way, every_stream
from triptych import LlmRequest


def get_weather(city: str) -> str:
    """Return the weather in a city."""
    return f"sunny in {city}"


REQUEST = LlmRequest(contents="What is the weather in Paris and in Rome?", tools=[get_weather])
CITIES = ("Paris", "Rome")


def calls_of(*arguments: Any, **faults: Any) -> dict[str, Any]:
    """Return the fixture of an answer that calls the tool with arguments."""
    return {"response": {"toolCalls": [{"name": "get_weather", "arguments": each} for each in arguments]}, **faults}


@every_stream
@every_aimock_host
def test_of_calls_that_are_cut_anywhere_only_whole_ones_are_delivered(
    aimock: Aimock, waits: list[float], host: MockHost, ask: Way
) -> None:
    delivered: list[int] = []
    arguments = [{"city": city} for city in CITIES]
    while not delivered or delivered[-1] < len(CITIES):
        assert len(delivered) < 50  # events: all calls have come by then
        aimock.plan(calls_of(*arguments, chunkSize=5, latency=2, truncateAfterChunks=len(delivered) + 1))
        response = ask(host.model, REQUEST, **host.options(aimock.mock), retries=0).response
        told = [(call.name, call.arguments) for call in response.tool_calls]
        assert told == [("get_weather", each) for each in arguments[: len(told)]]
        # At the end of the answer both are there, and there may be no error: what is broken off then is no loss.
        assert response.error is not None or len(told) == len(CITIES)
        delivered.append(len(told))
    assert delivered == sorted(delivered)
    assert waits == []
