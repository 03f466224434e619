"""Streams under a cassette: recorded as they come, and played with the same events and the same response."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat_hosts import KEY
from tests.faults.scripts import CHAT, GEMINI_ARRAY, SCRIPTS, Script, all_scripts
from tests.faults.slow import endless
from tests.faults.sockets import connections_to
from tests.faults.watch import QUESTION
from tests.servers.script import ScriptedServer, in_turn, serve
from triptych import LlmClient, LlmResponse, Timeout, aio
from triptych.events import StreamEvent
from triptych.replay import Tape, cassette


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the cassette of a test goes."""
    return tmp_path / "stream.yaml"


def record(script: Script, server: ScriptedServer, path: Path) -> None:
    """Record the whole answer."""
    tape = Tape(path, "once")
    with script.host.client(server, cassette=tape) as client, client.stream(QUESTION) as stream:
        assert list(stream) == script.yields()
        assert stream.response == script.response()
    tape.close()
    assert KEY not in path.read_text()


def play(script: Script, url: str, path: Path) -> tuple[list[StreamEvent], LlmResponse]:
    """Return what a client without a key makes of a recording."""
    with LlmClient(script.host.model, base_url=url, cassette=path, retries=0) as client:
        stream = client.stream(QUESTION)
        return list(stream), stream.response


@all_scripts
def test_a_recorded_stream_plays_as_it_came(script: Script, path: Path) -> None:
    with serve(script.reply()) as server:
        url = script.host.base_url(server)
        record(script, server, path)
    assert play(script, url, path) == (script.yields(), script.response())


@all_scripts
def test_a_recorded_stream_plays_for_asyncio(script: Script, path: Path) -> None:
    async def run() -> tuple[list[StreamEvent], LlmResponse]:
        async with aio.LlmClient(script.host.model, base_url=url, cassette=path) as client:
            stream = client.stream(QUESTION)
            events = [event async for event in stream]
            return events, stream.response

    with serve(script.reply()) as server:
        url = script.host.base_url(server)
        record(script, server, path)
    assert asyncio.run(run()) == (script.yields(), script.response())


@pytest.mark.parametrize("script", [each for each in SCRIPTS if each is not GEMINI_ARRAY], ids=lambda each: each.name)
def test_a_stream_left_early_is_recorded_as_far_as_it_was_read(script: Script, path: Path) -> None:
    sent = script.sent("speaking")
    tape = Tape(path, "once")
    with serve(script.reply([*sent, b"\n"], stall_after=sum(map(len, sent)))) as server:
        url = script.host.base_url(server)
        with script.host.client(server, cassette=tape) as client:
            with client.stream(QUESTION) as stream:
                next(stream)
            assert connections_to(server.port) == 0
            assert server.wait_until_closed()
    tape.close()
    events, response = play(script, url, path)
    place = script.stages["thinking"]  # each chunk is read by itself, and the first delta was the last that was read
    assert response.error is not None
    assert (response.error.kind, list(response.error.partial)) == ("stream_interrupted", list(place.partial))
    assert (events, response.content) == (script.yields("thinking"), list(place.content))


@all_scripts
def test_a_recorded_stream_that_is_left_early_when_played_leaves_the_next_to_be_played(
    script: Script, path: Path
) -> None:
    with serve(script.reply()) as server:
        url = script.host.base_url(server)
        with cassette(path, "once"), script.host.client(server) as client:
            assert [client.stream(QUESTION).collect() for _ in range(2)] == [script.response()] * 2
    with LlmClient(script.host.model, base_url=url, cassette=path) as client:
        with client.stream(QUESTION) as stream:
            next(stream)
        assert client.stream(QUESTION).collect() == script.response()


@all_scripts
def test_a_stream_is_recorded_at_the_pace_of_the_host(script: Script, path: Path) -> None:
    arrived = threading.Semaphore(0)

    def pieces() -> Iterator[bytes]:
        for step in script.steps:
            yield step.sent
            for _ in step.yields:
                assert arrived.acquire(timeout=10), "an event was held back"

    with serve(script.reply(pieces())) as server, script.host.client(server, cassette=Tape(path, "once")) as client:
        for _ in client.stream(QUESTION):
            arrived.release()


@pytest.mark.parametrize("timeout", [Timeout(idle=0.1), Timeout(total=0.2)], ids=["idle", "total"])
@all_scripts
def test_the_clocks_hold_while_a_stream_is_recorded(script: Script, timeout: Timeout, path: Path) -> None:
    lead = b"".join(script.sent("speaking"))
    code = "idle_timeout" if timeout.total is None else "total_timeout"
    stall = script.reply([lead, b"\n"], stall_after=len(lead))
    for reply in (script.reply(endless(script, lead)), stall):
        with serve(reply) as server:
            tape = Tape(path, "all")
            with script.host.client(server, cassette=tape, timeout=timeout) as client:
                error = client.stream(QUESTION).collect().error
                assert error is not None
                assert (error.kind, error.code) == ("timeout", code)
                assert connections_to(server.port) == 0


@all_scripts
def test_a_recording_that_has_no_such_stream_says_so(script: Script, path: Path) -> None:
    with serve(script.reply()) as server:
        url = script.host.base_url(server)
        record(script, server, path)
    with LlmClient(script.host.model, base_url=url, cassette=path) as client:
        client.stream(QUESTION).collect()
        error = client.stream(QUESTION).collect().error
    assert error is not None
    assert (error.kind, error.code, error.attempts) == ("replay_miss", "miss", 1)


def test_a_recorded_failure_and_its_second_try_play_in_order(path: Path, waits: list[float]) -> None:
    answers = in_turn(CHAT.reply([]), CHAT.reply())
    tape = Tape(path, "once")
    with serve(answers) as server:
        url = CHAT.host.base_url(server)
        with CHAT.host.client(server, cassette=tape, retries=1) as client:
            assert client.stream(QUESTION).collect() == CHAT.response()
    tape.close()
    with LlmClient(CHAT.host.model, base_url=url, cassette=path, retries=1) as client:
        assert client.stream(QUESTION).collect() == CHAT.response()
    assert len(waits) == 1
