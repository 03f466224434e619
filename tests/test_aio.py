"""The asyncio client: the blocking one, awaited."""

import asyncio
import gc
import inspect
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.chat_hosts import KEY, OPENAI, ChatHost, both_formats
from tests.servers.echo import answer_to, echo
from tests.servers.script import Reply, Request, serve
from triptych import LlmRequest, LlmResponse, Timeout
from triptych.aio import LlmClient
from triptych.replay import cassette

QUESTION = LlmRequest(contents="q")


@both_formats
def test_generate_is_awaited(host: ChatHost) -> None:
    async def ask() -> LlmResponse:
        async with LlmClient(host.model, **host.options(server)) as client:
            awaitable = client.generate(QUESTION, temperature=0.5)
            assert inspect.isawaitable(awaitable)
            return await awaitable

    with serve(echo()) as server:
        assert asyncio.run(ask()).text == answer_to("q")
        assert server.requests[0].json()["temperature"] == 0.5
        assert server.wait_until_closed()


@both_formats
def test_twenty_calls_run_at_once_and_each_gets_its_own_answer(host: ChatHost) -> None:
    all_there = threading.Barrier(20, timeout=20)
    answer = echo()

    def answer_when_all_are_there(request: Request) -> Reply:
        all_there.wait()
        return answer(request)

    async def ask() -> list[LlmResponse]:
        async with LlmClient(host.model, **host.options(server)) as client:
            return await asyncio.gather(*(client.generate(LlmRequest(contents=f"q{n}")) for n in range(20)))

    with serve(answer_when_all_are_there) as server:
        responses = asyncio.run(ask())
        assert server.wait_until_closed()
    assert [response.text for response in responses] == [answer_to(f"q{number}") for number in range(20)]


def test_the_loop_runs_on_while_an_answer_is_awaited() -> None:
    released = threading.Event()
    answer = echo()

    def answer_when_released(request: Request) -> Reply:
        assert released.wait(20)
        return answer(request)

    async def ask() -> LlmResponse:
        async with LlmClient(OPENAI.model, **OPENAI.options(server)) as client:
            task = asyncio.create_task(client.generate(QUESTION))
            assert await asyncio.to_thread(server.wait_for_requests, 1)
            released.set()  # only a loop that is free gets here
            return await task

    with serve(answer_when_released) as server:
        assert asyncio.run(ask()).text == answer_to("q")


@both_formats
def test_a_cancelled_call_is_given_up_at_once_and_the_client_goes_on(host: ChatHost) -> None:
    silent = Reply(body=b"{}", stall_after=1)
    answer = echo()

    def silent_at_first(request: Request) -> Reply:
        return silent if len(server.requests) == 1 else answer(request)

    async def ask() -> LlmResponse:
        async with LlmClient(host.model, **host.options(server), timeout=Timeout(idle=60)) as client:
            task = asyncio.create_task(client.generate(QUESTION))
            assert await asyncio.to_thread(server.wait_for_requests, 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            response = await client.generate(QUESTION)
            server.drop_connections()  # lets the thread of the cancelled call end
            return response

    with serve(silent_at_first) as server:
        assert asyncio.run(ask()).text == answer_to("q")
        assert len(server.requests) == 2


def test_one_client_serves_several_loops_one_after_the_other() -> None:
    with serve(echo()) as server, LlmClient(OPENAI.model, **OPENAI.options(server)) as client:
        texts = [asyncio.run(client.generate(LlmRequest(contents=f"q{number}"))).text for number in range(3)]
        assert server.accepted == 1
    assert texts == [answer_to(f"q{number}") for number in range(3)]


def test_a_closed_client_can_be_used_again() -> None:
    async def ask_and_close() -> str:
        async with client:
            return (await client.generate(QUESTION)).text

    with serve(echo()) as server:
        client = LlmClient(OPENAI.model, **OPENAI.options(server))
        assert [asyncio.run(ask_and_close()) for _ in range(2)] == [answer_to("q")] * 2
        assert server.wait_until_closed()


def test_closing_ends_the_threads_of_the_client() -> None:
    before = set(threading.enumerate())
    with serve(echo()) as server, LlmClient(OPENAI.model, **OPENAI.options(server)) as client:
        asyncio.run(client.generate(QUESTION))
        mine = [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("triptych")]
    for thread in mine:
        thread.join(20)
    assert [thread.is_alive() for thread in mine] == [False]


@both_formats
def test_failures_are_values_and_mistakes_are_raised(host: ChatHost) -> None:
    async def ask() -> LlmResponse:
        async with LlmClient(host.model, **host.options(server)) as client:
            with pytest.raises(TypeError, match="expected an LlmRequest, got 'q'"):
                await client.generate("q")  # type: ignore[arg-type]  # the mistake of a caller
            with pytest.raises(TypeError, match="did you mean 'temperature'"):
                await client.generate(QUESTION, temprature=1)
            return await client.generate(QUESTION)

    with serve(Reply.of_json(host.error("broken", "server_error"), 500)) as server:
        response = asyncio.run(ask())
        assert len(server.requests) == 1
    assert response.error is not None
    assert (response.error.kind, response.error.status, response.error_message) == ("server", 500, "broken")
    assert response.error.__traceback__ is None


def test_a_cassette_block_holds_for_the_task_that_opened_it(tmp_path: Path) -> None:
    async def ask(client: LlmClient, name: str, record: Any) -> tuple[str, int]:
        with cassette(tmp_path / f"{name}.yaml", record) as tape:
            both_inside.append(name)
            while len(both_inside) < 2:
                await asyncio.sleep(0)
            text = (await client.generate(LlmRequest(contents=name))).text
            return text, len(tape.recorded) + len(tape.played)

    async def ask_both(record: Any) -> tuple[tuple[str, int], tuple[str, int]]:
        both_inside.clear()
        async with LlmClient(OPENAI.model, **OPENAI.options(server)) as client:
            one, two = await asyncio.gather(ask(client, "one", record), ask(client, "two", record))
            return one, two

    both_inside: list[str] = []
    with serve(echo()) as server:
        recorded = asyncio.run(ask_both("once"))
        assert asyncio.run(ask_both("none")) == recorded == ((answer_to("one"), 1), (answer_to("two"), 1))
        assert len(server.requests) == 2


def test_a_call_that_is_never_awaited_sends_nothing() -> None:
    with serve(echo()) as server:
        coroutine = LlmClient(OPENAI.model, **OPENAI.options(server)).generate(QUESTION)
        coroutine.close()
        gc.collect()
        assert server.accepted == 0


def test_the_arguments_are_those_of_the_blocking_client() -> None:
    client = LlmClient(model="gpt-4.1", api_key=KEY, temperature=0.2, max_tokens=100, timeout=3, retries=0)
    assert (client.provider, client.settings.temperature, client.timeout) == ("openai", 0.2, Timeout(total=3))
    assert repr(client) == "LlmClient('gpt-4.1', provider='openai')"
