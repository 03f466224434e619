"""llmock's faults in mid-stream, in each provider's events: what came is kept, and what did not is told."""

from typing import Any

import pytest

from tests.mocks.control import Llmock
from tests.mocks.expected import assert_waits
from tests.mocks.hosts import MockHost, every_llmock_format, every_llmock_host
from tests.mocks.ways import Way, every_stream
from triptych import Timeout

WORDS = ("one ", "two ", "three")
REPLY = {"type": "reply", "text": "".join(WORDS), "times": None}
RETRIES = 2
# A stall lasts longer than any test waits.
FOR_EVER = 30.0
IMPATIENT = Timeout(first_event=0.5, idle=0.5)

# What each fault is told as: kind, code, and whether the call may be tried again.
FAULTS: dict[str, tuple[str, str | None, bool]] = {
    "disconnect": ("stream_interrupted", "incomplete_response", True),
    "truncate": ("stream_interrupted", None, True),
    "malformed": ("malformed_response", "bad_event", False),
}
FAULTS_AFTER_WORDS = [(kind, said) for kind in FAULTS for said in (1, len(WORDS))]


def fault(kind: str, after: int, **more: Any) -> dict[str, Any]:
    """Return the plan of a fault after so many events."""
    return {"type": "stream_fault", "kind": kind, "after_chunks": after, "stall_seconds": FOR_EVER, **more}


@every_stream
@pytest.mark.parametrize("failure", FAULTS_AFTER_WORDS, ids=lambda failure: "{}-{}".format(*failure))
@every_llmock_host
def test_a_stream_that_fails_after_its_first_words_is_not_tried_again_and_keeps_them(
    llmock: Llmock, waits: list[float], host: MockHost, failure: tuple[str, int], ask: Way
) -> None:
    kind, said = failure
    # Gemini's last words come with the end of the answer: before them is as far as it can fail.
    said = min(said, len(WORDS) - 1) if host.lead == 0 else said
    llmock.plan(REPLY, fault(kind, host.lead + said))
    outcome = ask(host.model, **host.options(llmock.mock), retries=RETRIES)
    told, code, retryable = FAULTS[kind]
    assert outcome.told == (told, None, code, retryable, 1)
    assert outcome.words == list(WORDS[:said])
    assert (outcome.response.content, outcome.partial) == ([], ["".join(WORDS[:said])])
    assert outcome.response.finish_reason == "unknown"
    assert llmock.served == 1
    assert_waits(waits, outcome.error, 0)


@every_stream
@every_llmock_format
def test_a_stream_that_comes_to_a_standstill_is_given_up_and_its_words_are_kept(
    llmock: Llmock, waits: list[float], host: MockHost, ask: Way
) -> None:
    llmock.plan(REPLY, fault("stall", host.lead + 2))
    outcome = ask(host.model, **host.options(llmock.mock), retries=RETRIES, timeout=IMPATIENT)
    assert outcome.told == ("timeout", None, "idle_timeout", True, 1)
    assert (outcome.words, outcome.partial) == (["one ", "two "], ["one two "])
    assert_waits(waits, outcome.error, 0)


@every_stream
@pytest.mark.parametrize("kind", ["disconnect", "truncate"])
@every_llmock_format
def test_a_stream_cut_before_its_first_words_is_tried_again(
    llmock: Llmock, waits: list[float], host: MockHost, kind: str, ask: Way
) -> None:
    llmock.plan(REPLY, fault(kind, host.lead, times=None))
    outcome = ask(host.model, **host.options(llmock.mock), retries=RETRIES)
    told, code, _ = FAULTS[kind]
    assert outcome.told == (told, None, code, True, 1 + RETRIES)
    assert (outcome.words, outcome.response.content) == ([], [])
    assert llmock.served == 1 + RETRIES
    assert_waits(waits, outcome.error, RETRIES)


@every_stream
@pytest.mark.parametrize("kind", ["disconnect", "truncate"])
@every_llmock_format
def test_a_stream_cut_before_its_first_words_is_whole_at_the_next_try(
    llmock: Llmock, waits: list[float], host: MockHost, kind: str, ask: Way
) -> None:
    llmock.plan(REPLY, fault(kind, 0))
    outcome = ask(host.model, **host.options(llmock.mock), retries=RETRIES)
    assert outcome.whole == (None, ["".join(WORDS)])
    assert outcome.words == list(WORDS)
    assert llmock.served == 2
    assert_waits(waits, None, 1)


@every_stream
@every_llmock_format
def test_a_first_event_that_is_no_json_is_not_tried_again(
    llmock: Llmock, waits: list[float], host: MockHost, ask: Way
) -> None:
    llmock.plan(REPLY, fault("malformed", 0, times=None))
    outcome = ask(host.model, **host.options(llmock.mock), retries=RETRIES)
    assert outcome.told == ("malformed_response", None, "bad_event", False, 1)
    assert (outcome.events, outcome.response.content, outcome.partial) == ([], [], [])
    assert llmock.served == 1
    assert_waits(waits, outcome.error, 0)


@every_stream
@every_llmock_format
def test_a_stream_that_stalls_before_its_first_event_is_tried_again(
    llmock: Llmock, waits: list[float], host: MockHost, ask: Way
) -> None:
    llmock.plan(REPLY, fault("stall", 0))
    outcome = ask(host.model, **host.options(llmock.mock), retries=RETRIES, timeout=IMPATIENT)
    assert (outcome.whole, outcome.words) == ((None, ["".join(WORDS)]), list(WORDS))
    assert_waits(waits, None, 1)
