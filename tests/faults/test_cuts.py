"""Streams that break off: whole items are kept, the rest is in the error, and nothing passes for a finished answer."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.scripts import CHAT, INVOKE, MESSAGES, SCRIPTS, Script
from tests.faults.watch import Watch, assert_broken_off, both_ways, every_script, watched
from tests.servers.script import Reply
from triptych import LlmResponse
from triptych.events import StreamEvent

STAGES = [stage for stage in CHAT.stages if stage not in ("finished", "counted")]
# How a body ends without more bytes, the code by which that is told, and the connections that are left then.
CUTS: dict[str, tuple[str | None, int, dict[str, Any]]] = {
    "between chunks": ("incomplete_response", 0, {"cut_after": True}),
    "by its end": (None, 1, {}),
    "by its end, unframed": (None, 0, {"framing": "close"}),
    "short of its length": (
        "incomplete_response",
        0,
        {"framing": "length", "content_length": 1_000_000, "close": True},
    ),
}


def cut(script: Script, pieces: list[bytes], how: str) -> Reply:
    """Return a reply that ends after these pieces."""
    options = {**CUTS[how][2]}
    if "cut_after" in options:
        options["cut_after"] = sum(map(len, pieces))
        pieces = [*pieces, b"\n"]
    return script.reply(pieces, **options)


def code_of_cut(script: Script, how: str, *, torn: bool = False) -> str | None:
    """Return the code by which a cut is told; bytes that end where their framing cannot have one of their own."""
    broken = script.wire.ends == "once closed" or (torn and script.wire.ends == "between events")
    return CUTS[how][0] or ("bad_framing" if broken else None)


@pytest.mark.parametrize("how", CUTS)
@pytest.mark.parametrize("stage", STAGES)
@every_script
def test_a_cut_stream_keeps_what_is_whole_and_tells_what_is_not(
    script: Script, stage: str, how: str, watch: Watch
) -> None:
    """B168, B169."""
    seen = watched(watch, script.host, cut(script, script.sent(stage), how))
    assert seen.told == ("stream_interrupted", None, code_of_cut(script, how), True, 1)
    assert_broken_off(seen, script, stage, kept=CUTS[how][1])


@pytest.mark.parametrize("how", CUTS)
@every_script
def test_a_cut_before_the_first_event_leaves_nothing(script: Script, how: str, watch: Watch) -> None:
    seen = watched(watch, script.host, cut(script, [], how))
    assert seen.told == ("stream_interrupted", None, CUTS[how][0], True, 1)
    assert (seen.events, seen.response.content, seen.partial, seen.response.usage) == ([], [], [], None)
    assert seen.kept == CUTS[how][1]


# The events that hold "東京" and the city, and a place inside: after the first byte of a character, inside a value.
INSIDE = {"a character": ("東".encode(), 1, "speaking"), "a value": (b"Paris", 2, "calling")}


@pytest.mark.parametrize("what", INSIDE)
@pytest.mark.parametrize("how", CUTS)
@every_script
def test_half_an_event_counts_for_nothing(script: Script, how: str, what: str, watch: Watch) -> None:
    mark, offset, stage = INSIDE[what]
    pieces = script.sent(stage)
    torn = script.steps[len(pieces)].sent
    place = torn.find(mark) + offset if mark in torn else len(torn) // 2  # InvokeModel's events are in base64
    seen = watched(watch, script.host, cut(script, [*pieces, torn[:place]], how))
    assert seen.told == ("stream_interrupted", None, code_of_cut(script, how, torn=True), True, 1)
    assert_broken_off(seen, script, stage, kept=CUTS[how][1])


@pytest.mark.parametrize("stage", STAGES)
@every_script
def test_a_reset_in_the_middle_is_a_cut(script: Script, stage: str, watch: Watch) -> None:
    steps = script.steps[: script.stages[stage].steps]
    sent = b"".join(step.sent for step in steps)
    awaited, arrived = sum(len(step.yields) for step in steps), threading.Semaphore(0)

    def pieces() -> Iterator[bytes]:
        yield sent
        for _ in range(awaited):  # a reset may overtake what was sent just before it
            assert arrived.acquire(timeout=10)
        yield b"\n"

    def note(_: StreamEvent) -> None:
        arrived.release()

    seen = watched(watch, script.host, script.reply(pieces(), cut_after=len(sent) + 1, reset=True), each=note)
    assert (seen.error.kind, seen.error.retryable, seen.error.attempts) == ("stream_interrupted", True, 1)
    assert_broken_off(seen, script, stage)


WHOLE = [(script, stage) for script in SCRIPTS for stage in script.whole_at]
OPEN = [script for script in SCRIPTS if "finished" not in script.whole_at]
HAVE_A_REASON = (MESSAGES, INVOKE)  # before their last event


@both_ways
@pytest.mark.parametrize("how", CUTS)
@pytest.mark.parametrize(("script", "stage"), WHOLE, ids=lambda case: getattr(case, "name", case))
def test_an_answer_that_has_told_why_it_ended_is_whole(script: Script, stage: str, how: str, watch: Watch) -> None:
    seen = watched(watch, script.host, cut(script, script.sent(stage), how))
    whole = script.response(script.whole_at[stage])
    assert (seen.response, seen.events) == (whole, script.yields())


@both_ways
@pytest.mark.parametrize("how", CUTS)
@pytest.mark.parametrize("script", OPEN, ids=lambda script: script.name)
def test_an_answer_without_its_last_event_is_cut_though_all_its_items_are_there(
    script: Script, how: str, watch: Watch
) -> None:
    seen = watched(watch, script.host, cut(script, script.sent("finished"), how))
    assert seen.told == ("stream_interrupted", None, code_of_cut(script, how), True, 1)
    told = script in HAVE_A_REASON
    assert seen.response == LlmResponse(
        content=list(script.content),
        error=seen.error,
        usage=script.usage if told else script.opening_usage,
        finish_reason="tool_calls" if told else "unknown",
        raw_finish_reason=script.raw_finish_reason if told else None,
        model=script.model,
        id=script.id,
        provider=script.provider,
    )
    assert (seen.events, seen.partial, seen.kept) == (script.yields(), [], CUTS[how][1])


@every_script
def test_broken_chunks_are_a_cut(script: Script, watch: Watch) -> None:
    text = b"".join(script.sent("speaking"))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    seen = watched(watch, script.host, Reply(raw=b"%b%x\r\n%b\r\nno size\r\n" % (head, len(text), text)))
    assert seen.told == ("stream_interrupted", None, "incomplete_response", True, 1)
    assert_broken_off(seen, script, "speaking")
