"""aimock's cuts in mid-stream, in each provider's events and frames: what came is kept, and what did not is told."""

from typing import Any

import pytest

from tests.mocks.control import Aimock
from tests.mocks.expected import assert_waits
from tests.mocks.hosts import AIMOCK_HOSTS, MockHost, every_aimock_host
from tests.mocks.ways import Way, every_stream
from triptych import Timeout

# aimock cuts its answers into pieces of so many letters.
LETTERS = 4
PIECES = ("one ", "two ", "thre", "e")
RETRIES = 2
FOR_EVER_MS = 60_000
OPENROUTER = next(host for host in AIMOCK_HOSTS if host.provider == "openrouter")
CUT = ("stream_interrupted", None, "incomplete_response", True)


def answer(**faults: Any) -> dict[str, Any]:
    """Return the fixture of an answer, in pieces."""
    return {"response": {"content": "".join(PIECES)}, "chunkSize": LETTERS, **faults}


def truncated(events: int) -> dict[str, Any]:
    """Return the fixture of an answer that is torn off after so many events.

    aimock counts the event that it has just written, which is still in its hands when it tears the connection down;
    the others are out, as long as there is some time between one and the next.
    """
    return answer(truncateAfterChunks=events + 1, latency=2)


def held(events: int) -> dict[str, Any]:
    """Return the fixture of an answer of which so many events come at once, and the next one never."""
    pauses = [0] * (events - 1) + [FOR_EVER_MS] if events else []
    timings = {"ttftMs": 0 if events else FOR_EVER_MS, "interChunkDelaysMs": pauses, "totalDurationMs": FOR_EVER_MS}
    return answer(recordedTimings=timings)


def disconnected(events: int) -> dict[str, Any]:
    """Return the fixture of an answer whose connection is closed while its next event is waited for."""
    return {**held(events), "disconnectAfterMs": 50}


CUTS = {"truncateAfterChunks": truncated, "disconnectAfterMs": disconnected}
CUTS_AFTER_WORDS = [(how, said) for how in CUTS for said in (1, 2, len(PIECES))]


@every_stream
@pytest.mark.parametrize("cut", CUTS_AFTER_WORDS, ids=lambda cut: "{}-{}".format(*cut))
@every_aimock_host
def test_a_stream_cut_after_its_first_words_is_not_tried_again_and_keeps_them(
    aimock: Aimock, waits: list[float], host: MockHost, cut: tuple[str, int], ask: Way
) -> None:
    how, said = cut
    # Gemini's last words come with the end of the answer: before them is as far as it can be cut.
    said = min(said, len(PIECES) - 1) if host.envelope == "gemini" else said
    aimock.plan(CUTS[how](host.lead + said))
    outcome = ask(host.model, **host.options(aimock.mock), retries=RETRIES)
    assert outcome.told == (*CUT, 1)
    assert outcome.words == list(PIECES[:said])
    assert (outcome.response.content, outcome.partial) == ([], ["".join(PIECES[:said])])
    assert outcome.response.finish_reason == "unknown"
    assert aimock.served == 1
    assert_waits(waits, outcome.error, 0)


@every_stream
@pytest.mark.parametrize("how", CUTS)
@every_aimock_host
def test_a_stream_cut_before_its_first_words_is_tried_again(
    aimock: Aimock, waits: list[float], host: MockHost, how: str, ask: Way
) -> None:
    aimock.plan(CUTS[how](host.lead))
    outcome = ask(host.model, **host.options(aimock.mock), retries=RETRIES)
    # Where the first event has words, nothing at all came: not even the headers, which wait for it.
    told = CUT if host.lead else ("connection", *CUT[1:])
    assert outcome.told == (*told, 1 + RETRIES)
    assert (outcome.words, outcome.response.content) == ([], [])
    assert aimock.served == 1 + RETRIES
    assert_waits(waits, outcome.error, RETRIES)


@every_stream
@pytest.mark.parametrize("how", CUTS)
@every_aimock_host
def test_a_connection_closed_before_the_first_event_is_tried_again_and_the_answer_comes(
    aimock: Aimock, waits: list[float], host: MockHost, how: str, ask: Way
) -> None:
    aimock.plan({**CUTS[how](0), "match": {"sequenceIndex": 0}}, answer())
    outcome = ask(host.model, **host.options(aimock.mock), retries=RETRIES)
    assert outcome.whole == (None, ["".join(PIECES)])
    assert outcome.words == list(PIECES)
    assert aimock.served == 2
    assert_waits(waits, None, 1)


@every_stream
@every_aimock_host
def test_a_stream_that_comes_to_a_standstill_is_given_up_and_its_words_are_kept(
    aimock: Aimock, waits: list[float], host: MockHost, ask: Way
) -> None:
    aimock.plan(held(host.lead + 2))
    timeout = Timeout(first_event=10, idle=0.3)
    outcome = ask(host.model, **host.options(aimock.mock), retries=RETRIES, timeout=timeout)
    assert outcome.told == ("timeout", None, "idle_timeout", True, 1)
    assert (outcome.words, outcome.partial) == (["one ", "two "], ["one two "])
    assert_waits(waits, outcome.error, 0)


def keeping_alive(fixture: dict[str, Any]) -> dict[str, Any]:
    """Return a fixture with the comment before its events that OpenRouter sends while a model is waited for."""
    return {**fixture, "openRouterProcessing": True}


@every_stream
def test_comments_that_keep_a_connection_alive_are_no_events(aimock: Aimock, waits: list[float], ask: Way) -> None:
    aimock.plan(keeping_alive(answer()))
    outcome = ask(OPENROUTER.model, **OPENROUTER.options(aimock.mock), retries=0)
    assert (outcome.whole, outcome.words, waits) == ((None, ["".join(PIECES)]), list(PIECES), [])


@every_stream
def test_a_first_event_is_waited_for_only_so_long_whatever_keeps_the_connection_alive(
    aimock: Aimock, waits: list[float], ask: Way
) -> None:
    aimock.plan(keeping_alive(held(0)))
    timeout = Timeout(first_event=0.3)
    outcome = ask(OPENROUTER.model, **OPENROUTER.options(aimock.mock), retries=1, timeout=timeout)
    assert outcome.told == ("timeout", None, "read_timeout", True, 2)
    assert (outcome.events, outcome.response.content) == ([], [])
    assert_waits(waits, outcome.error, 1)
