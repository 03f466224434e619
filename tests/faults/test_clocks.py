"""Hosts that hold still, or only seem to move: a stream is given up at the limit that it was given."""

import threading
from collections.abc import Callable, Iterator

import pytest

from tests.faults.scripts import CHAT, MESSAGES, SCRIPTS, Script
from tests.faults.slow import for_ever
from tests.faults.watch import (
    Watch,
    assert_broken_off,
    both_ways,
    every_script,
    watch_awaiting,
    watch_blocking,
    watched,
)
from tests.servers.script import Reply, in_turn
from triptych import Timeout
from triptych.events import TextDelta

SHORT = 0.05  # where the server holds still
LONG = 30.0
OUTPUT = [stage for stage in CHAT.stages if stage not in ("opened", "finished", "counted")]
PING = b'event: ping\ndata: {"type": "ping"}\n\n'
any_keep_alive = pytest.mark.parametrize(
    ("script", "sign", "watch"),
    [
        pytest.param(MESSAGES, PING, watch_blocking, id="anthropic-ping-sync"),
        pytest.param(MESSAGES, PING, watch_awaiting, id="anthropic-ping-async"),
        *(
            pytest.param(script, sign, watch_blocking, id=f"{script.name}-{name}-sync")
            for script in SCRIPTS
            for name, sign in script.wire.keep_alives.items()
        ),
    ],
)


@pytest.mark.parametrize("stage", OUTPUT)
@every_script
def test_silence_in_the_middle_is_an_idle_timeout_and_is_not_tried_again(
    script: Script, stage: str, watch: Watch
) -> None:
    """B170."""
    sent = script.sent(stage)
    silent = script.reply([*sent, b"\n"], stall_after=sum(map(len, sent)))
    seen = watched(watch, script.host, silent, retries=2, timeout=Timeout(idle=SHORT))
    assert seen.told == ("timeout", None, "idle_timeout", True, 1)
    assert seen.requests == 1
    assert_broken_off(seen, script, stage)


@both_ways
def test_a_stream_that_keeps_speaking_may_last_longer_than_any_pause_in_it(watch: Watch) -> None:
    """B171."""
    words = CHAT.sent("speaking")
    pause = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield from words
        for _ in range(30):
            yield words[-1]
            pause.wait(0.04)
        yield from CHAT.sent()[len(words) :]

    seen = watched(watch, CHAT.host, CHAT.reply(pieces()), timeout=Timeout(first_event=0.8, idle=0.8))
    said = [event.text for event in seen.events if isinstance(event, TextDelta)]
    assert (seen.response.error, said, seen.requests) == (None, ["Grüße "] * 31 + ["aus 東京 🗼"], 1)


@every_script
def test_silence_until_the_time_for_the_whole_call_is_over(script: Script, watch: Watch) -> None:
    sent = script.sent("speaking")
    silent = script.reply([*sent, b"\n"], stall_after=sum(map(len, sent)))
    seen = watched(watch, script.host, silent, retries=2, timeout=Timeout(total=0.2))
    assert seen.told == ("timeout", None, "total_timeout", True, 1)
    assert_broken_off(seen, script, "speaking")


@every_script
def test_silence_before_the_first_delta_is_tried_again(script: Script, watch: Watch, waits: list[float]) -> None:
    sent = script.sent("opened")
    silent = [script.reply([b"x"], stall_after=0), script.reply([*sent, b"\n"], stall_after=sum(map(len, sent)))]
    timeout = Timeout(first_event=SHORT, idle=SHORT)
    seen = watched(watch, script.host, in_turn(*silent, script.reply()), retries=2, timeout=timeout)
    assert (seen.response, seen.events, seen.requests, len(waits)) == (script.response(), script.yields(), 3, 2)


@any_keep_alive
def test_keep_alives_do_not_count_as_the_first_event(script: Script, sign: bytes, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply(for_ever(sign)), timeout=Timeout(first_event=0.1))
    assert seen.told == ("timeout", None, "read_timeout", True, 1)
    assert (seen.events, seen.response.content, seen.partial, seen.kept) == ([], [], [], 0)


@any_keep_alive
def test_keep_alives_for_ever_are_an_idle_stream(script: Script, sign: bytes, watch: Watch) -> None:
    lead = b"".join(script.sent("speaking"))
    seen = watched(watch, script.host, script.reply(for_ever(sign, lead)), timeout=Timeout(idle=0.1), retries=2)
    assert seen.told == ("timeout", None, "idle_timeout", True, 1)
    assert_broken_off(seen, script, "speaking")


@any_keep_alive
@pytest.mark.parametrize("stage", ["opened", "speaking"])
def test_keep_alives_for_ever_end_with_the_time_for_the_whole_call(
    script: Script, stage: str, sign: bytes, watch: Watch
) -> None:
    lead = b"".join(script.sent(stage))
    seen = watched(watch, script.host, script.reply(for_ever(sign, lead)), timeout=Timeout(total=0.2), retries=2)
    assert seen.told == ("timeout", None, "total_timeout", True, 1)
    assert_broken_off(seen, script, stage)


TRICKLES: dict[str, Callable[[Script, bytes], Reply]] = {
    "of an event": lambda script, lead: script.reply(for_ever(b"x", lead + script.wire.begun)),
    "of an unframed event": lambda script, lead: script.reply(
        for_ever(b"x", lead + script.wire.begun), framing="close"
    ),
    "of a chunk's own line": lambda script, lead: Reply(
        headers={**script.wire.headers, "Transfer-Encoding": "chunked"},
        body=for_ever(b"x", b"%x\r\n%b\r\n5;" % (len(lead), lead)),
        framing="close",
    ),
}


@pytest.mark.parametrize("trickle", TRICKLES.values(), ids=TRICKLES)
@every_script
def test_a_trickle_that_never_makes_an_event_is_an_idle_stream(
    script: Script, trickle: Callable[[Script, bytes], Reply], watch: Watch
) -> None:
    reply = trickle(script, b"".join(script.sent("speaking")))
    seen = watched(watch, script.host, reply, timeout=Timeout(idle=0.1))
    assert seen.told == ("timeout", None, "idle_timeout", True, 1)
    assert_broken_off(seen, script, "speaking")
