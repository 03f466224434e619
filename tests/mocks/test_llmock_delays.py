"""llmock's delays: a slow answer is waited for as long as the caller said, and no longer."""

import pytest

from tests.mocks.control import Llmock
from tests.mocks.expected import assert_waits
from tests.mocks.hosts import MockHost, every_llmock_format
from tests.mocks.ways import Way, every_stream, every_way
from triptych import Timeout

FOR_EVER = 30.0
REPLY = {"type": "reply", "text": "4", "times": None}


@every_way
@every_llmock_format
def test_an_answer_that_does_not_come_in_time_is_a_timeout_and_tried_again(
    llmock: Llmock, waits: list[float], host: MockHost, ask: Way
) -> None:
    llmock.plan(REPLY, {"type": "delay", "seconds": FOR_EVER})
    outcome = ask(host.model, **host.options(llmock.mock), retries=1, timeout=Timeout(first_event=0.5))
    assert (outcome.response.error, outcome.response.text) == (None, "4")
    assert_waits(waits, None, 1)


@every_way
@every_llmock_format
def test_an_answer_that_never_comes_in_time_is_told_as_a_timeout(
    llmock: Llmock, waits: list[float], host: MockHost, ask: Way
) -> None:
    llmock.plan(REPLY, {"type": "delay", "seconds": FOR_EVER, "times": None})
    outcome = ask(host.model, **host.options(llmock.mock), retries=0, timeout=Timeout(first_event=0.5))
    assert outcome.told == ("timeout", None, "read_timeout", True, 1)
    assert (outcome.events, outcome.response.content) == ([], [])
    assert_waits(waits, outcome.error, 0)


@every_way
@every_llmock_format
def test_the_time_for_the_whole_call_ends_its_tries(
    llmock: Llmock, waits: list[float], host: MockHost, ask: Way
) -> None:
    llmock.plan(REPLY, {"type": "delay", "seconds": FOR_EVER, "times": None})
    outcome = ask(host.model, **host.options(llmock.mock), retries=2, timeout=0.5)
    assert outcome.told == ("timeout", None, "total_timeout", True, 1)
    assert_waits(waits, outcome.error, 0)


@every_way
@every_llmock_format
def test_an_answer_that_is_slow_and_in_time_is_an_answer(
    llmock: Llmock, waits: list[float], host: MockHost, ask: Way
) -> None:
    llmock.plan(REPLY, {"type": "delay", "seconds": 0.05}, {"type": "slow_first_token", "seconds": 0.05})
    outcome = ask(host.model, **host.options(llmock.mock), retries=0, timeout=Timeout())
    assert (outcome.response.error, outcome.response.text, waits) == (None, "4", [])


@every_stream
@pytest.mark.parametrize("tries", [1, 2])
@every_llmock_format
def test_a_first_token_that_does_not_come_in_time_is_a_timeout(
    llmock: Llmock, waits: list[float], host: MockHost, tries: int, ask: Way
) -> None:
    llmock.plan(REPLY, {"type": "slow_first_token", "seconds": FOR_EVER, "times": None})
    outcome = ask(host.model, **host.options(llmock.mock), retries=tries - 1, timeout=Timeout(first_event=0.5))
    assert outcome.told == ("timeout", None, "read_timeout", True, tries)
    assert (outcome.events, outcome.response.content) == ([], [])
    assert_waits(waits, outcome.error, tries - 1)
