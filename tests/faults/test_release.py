"""Streams that their reader leaves: the connection is freed at once, and what came by then is in the response."""

import asyncio
import gc
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.faults.scripts import Script, all_scripts
from tests.faults.slow import endless
from tests.faults.sockets import connections_to
from tests.faults.watch import QUESTION
from tests.servers.script import Reply, ScriptedServer, serve
from triptych import LlmResponse, LlmStream, aio
from triptych.events import StreamEvent


def silent_after(script: Script, stage: str) -> Reply:
    """Return a reply that sends the stream until a stage, and then nothing until its peer hangs up."""
    sent = b"".join(script.sent(stage))
    return script.reply([sent, b"\n"], stall_after=len(sent))


def assert_cancelled(response: LlmResponse, script: Script, stage: str) -> None:
    """Fail unless the response is that of a stream that its reader closed at a stage."""
    place = script.stages[stage]
    assert response.error is not None
    told = response.error.kind, response.error.retryable, response.error.attempts, list(response.error.partial)
    assert told == ("cancelled", False, 1, list(place.partial))
    assert response.content == list(place.content)


def arriving(script: Script, stage: str) -> int:
    """Return how many events come before a stage without an end of the stream."""
    return sum(len(step.yields) for step in script.steps[: script.stages[stage].steps])


@pytest.mark.parametrize("stage", ["thinking", "speaking", "calling"])
@all_scripts
def test_leaving_the_block_frees_the_connection(script: Script, stage: str) -> None:
    with serve(silent_after(script, stage)) as server, script.host.client(server) as client:
        with client.stream(QUESTION) as stream:
            for _ in range(arriving(script, stage)):
                next(stream)
            assert connections_to(server.port) == 1
        assert connections_to(server.port) == 0
        assert_cancelled(stream.response, script, stage)
        assert server.wait_until_closed()


@all_scripts
def test_an_error_in_the_block_passes_and_frees_the_connection(script: Script) -> None:
    def fail(stream: LlmStream) -> None:
        with stream:
            next(stream)
            raise ZeroDivisionError("the caller's own")

    with serve(silent_after(script, "speaking")) as server, script.host.client(server) as client:
        with pytest.raises(ZeroDivisionError):
            fail(client.stream(QUESTION))
        assert connections_to(server.port) == 0
        assert server.wait_until_closed()


@all_scripts
def test_dropping_a_stream_frees_the_connection(script: Script) -> None:
    with serve(silent_after(script, "speaking")) as server, script.host.client(server) as client:
        stream = client.stream(QUESTION)
        next(stream)
        del stream
        gc.collect()
        assert connections_to(server.port) == 0
        assert server.wait_until_closed()


@all_scripts
def test_leaving_a_loop_over_the_words_frees_the_connection(script: Script) -> None:
    with serve(silent_after(script, "speaking")) as server, script.host.client(server) as client:
        for text in client.stream(QUESTION).text:
            assert text == "Grüße "
            break
        gc.collect()
        assert connections_to(server.port) == 0
        assert server.wait_until_closed()


@pytest.mark.parametrize("stage", ["opened", "thinking", "speaking", "calling"])
@all_scripts
def test_closing_from_another_thread_ends_a_read_that_waits(script: Script, stage: str) -> None:
    with serve(silent_after(script, stage)) as server, script.host.client(server) as client:
        stream = client.stream(QUESTION)
        reading = _reading(stream, server, arriving(script, stage))
        stream.close()
        reading.join(10)
        assert not reading.is_alive()
        assert connections_to(server.port) == 0
        assert_cancelled(stream.response, script, stage)
        assert server.wait_until_closed()


@all_scripts
def test_closing_from_another_thread_ends_the_wait_for_an_answer(script: Script) -> None:
    held = threading.Event()

    def pieces() -> Iterator[bytes]:
        held.wait(10)
        yield b""

    with serve(Reply(body=pieces(), framing="length")) as server, script.host.client(server) as client:
        stream = client.stream(QUESTION)
        reading = _reading(stream, server, 0)
        stream.close()
        reading.join(5)
        still_waiting = reading.is_alive()
        held.set()
        reading.join(10)
        assert not still_waiting
        assert connections_to(server.port) == 0
        assert stream.response.error is not None
        assert (stream.response.error.kind, stream.response.content) == ("cancelled", [])


def _reading(stream: LlmStream, server: ScriptedServer, events: int) -> threading.Thread:
    """Return a thread that reads the stream, once it has got so many events and waits for the next."""
    arrived = threading.Semaphore(0)

    def read() -> None:
        for _ in stream:
            arrived.release()

    thread = threading.Thread(target=read)
    thread.start()
    assert server.wait_for_requests(1)
    for _ in range(events):
        assert arrived.acquire(timeout=10)
    return thread


@all_scripts
def test_a_stream_that_nobody_asked_sends_nothing(script: Script) -> None:
    with serve(script.reply()) as server, script.host.client(server) as client:
        stream = client.stream(QUESTION)
        with client.stream(QUESTION) as other:
            pass
        stream.close()
        for unasked in (stream, other):
            assert unasked.response.error is not None
            assert (unasked.response.error.kind, unasked.response.error.attempts) == ("cancelled", 0)
            assert (list(unasked), unasked.response.content) == ([], [])
        assert (server.accepted, server.requests) == (0, [])


@all_scripts
def test_closing_a_stream_that_has_ended_changes_nothing(script: Script) -> None:
    with serve(script.reply()) as server, script.host.client(server) as client:
        stream = client.stream(QUESTION)
        assert stream.collect() == script.response()
        stream.close()
        stream.close()
        assert (stream.response, list(stream)) == (script.response(), script.yields())
        assert connections_to(server.port) == 1


@all_scripts
def test_closing_twice_is_closing_once(script: Script) -> None:
    with serve(silent_after(script, "speaking")) as server, script.host.client(server) as client:
        stream = client.stream(QUESTION)
        next(stream)
        stream.close()
        stream.close()
        assert_cancelled(stream.response, script, "speaking")


@all_scripts
def test_the_interrupt_key_passes_and_frees_the_connection(script: Script) -> None:
    sent = script.sent("speaking")

    def pieces() -> Iterator[bytes]:
        yield b"".join(sent)
        assert arrived.acquire(timeout=10)
        os.kill(os.getpid(), signal.SIGINT)
        yield from endless(script)  # until the client has gone

    def read(stream: LlmStream) -> None:
        with stream:
            for _ in range(arriving(script, "speaking")):
                next(stream)
            arrived.release()
            next(stream)

    arrived = threading.Semaphore(0)
    with serve(script.reply(pieces())) as server, script.host.client(server) as client:
        with pytest.raises(KeyboardInterrupt):
            read(client.stream(QUESTION))
        assert connections_to(server.port) == 0
        assert server.wait_until_closed()


@all_scripts
def test_the_interrupt_key_passes_before_the_first_event(script: Script) -> None:
    def pieces() -> Iterator[bytes]:
        yield (script.wire.opening + script.wire.begun)[:1]
        os.kill(os.getpid(), signal.SIGINT)
        yield from endless(script)

    with serve(script.reply(pieces())) as server, script.host.client(server) as client:
        stream = client.stream(QUESTION)
        with pytest.raises(KeyboardInterrupt):
            stream.collect()
        assert connections_to(server.port) == 0
        assert stream.response.error is not None
        assert (stream.response.error.kind, stream.response.content) == ("cancelled", [])
        assert server.wait_until_closed()


@all_scripts
def test_a_stream_cannot_be_pickled_but_its_response_can(script: Script) -> None:
    with serve(script.reply()) as server, script.host.client(server) as client:
        stream = client.stream(QUESTION)
        with pytest.raises(TypeError, match="its response can"):
            pickle.dumps(stream)
        assert pickle.loads(pickle.dumps(stream.response)) == script.response()


@all_scripts
def test_a_client_closed_in_the_middle_of_a_stream_lets_it_go_on(script: Script) -> None:
    with serve(script.reply()) as server:
        client = script.host.client(server)
        stream = client.stream(QUESTION)
        first = next(stream)
        client.close()
        assert [first, *stream] == script.yields()
        assert stream.response == script.response()
        client.close()
        assert server.wait_until_closed()


Leave = Callable[[aio.LlmStream], Any]


def awaited(script: Script, stage: str, leave: Leave) -> LlmResponse:
    """Return what a stream came to that an asyncio program left at a stage in this way."""

    async def run() -> LlmResponse:
        async with aio.LlmClient(script.host.model, **script.host.options(server)) as client:
            stream = client.stream(QUESTION)
            await leave(stream)
            assert connections_to(server.port) == 0
            return await stream.collect()

    with serve(silent_after(script, stage)) as server:
        response = asyncio.run(run())
        assert server.wait_until_closed()
    return response


@pytest.mark.parametrize("stage", ["thinking", "speaking", "calling"])
@all_scripts
def test_leaving_an_awaited_block_frees_the_connection(script: Script, stage: str) -> None:
    async def leave(stream: aio.LlmStream) -> None:
        async with stream:
            for _ in range(arriving(script, stage)):
                await anext(stream)

    assert_cancelled(awaited(script, stage, leave), script, stage)


@pytest.mark.parametrize("stage", ["thinking", "speaking", "calling"])
@all_scripts
def test_a_cancelled_task_frees_the_connection(script: Script, stage: str) -> None:
    async def leave(stream: aio.LlmStream) -> None:
        task, arrived = _awaiting(stream)
        for _ in range(arriving(script, stage)):
            await asyncio.wait_for(arrived.get(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert_cancelled(awaited(script, stage, leave), script, stage)


@all_scripts
def test_closing_an_awaited_stream_ends_a_read_that_waits(script: Script) -> None:
    async def leave(stream: aio.LlmStream) -> None:
        task, arrived = _awaiting(stream)
        for _ in range(arriving(script, "speaking")):
            await asyncio.wait_for(arrived.get(), 10)
        stream.close()
        await asyncio.wait_for(task, 10)

    assert_cancelled(awaited(script, "speaking", leave), script, "speaking")


@all_scripts
def test_a_timeout_of_the_callers_own_frees_the_connection(script: Script) -> None:
    async def read(stream: aio.LlmStream) -> None:
        async with asyncio.timeout(None) as limit:
            for _ in range(arriving(script, "speaking")):
                await anext(stream)
            limit.reschedule(0)  # long past: it is over as soon as the next event is waited for
            await stream.collect()

    async def leave(stream: aio.LlmStream) -> None:
        with pytest.raises(TimeoutError):
            await read(stream)

    assert_cancelled(awaited(script, "speaking", leave), script, "speaking")


def _awaiting(stream: aio.LlmStream) -> tuple["asyncio.Task[None]", "asyncio.Queue[StreamEvent]"]:
    """Return a task that reads the stream, and where it puts the events."""
    arrived: asyncio.Queue[StreamEvent] = asyncio.Queue()

    async def read() -> None:
        async for event in stream:
            arrived.put_nowait(event)

    return asyncio.create_task(read()), arrived
