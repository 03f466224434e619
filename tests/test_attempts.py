"""What a program sees of the tries of a call: `on_attempt`, counts, idempotency keys, waits that end when told."""

import asyncio
import threading
import time
from typing import Any

import pytest

from tests.chat_hosts import (
    KEY,
    OPENAI,
    Ask,
    ChatHost,
    all_formats,
    ask_blocking,
    ask_streaming,
    ask_streaming_awaiting,
    both_formats,
    both_ways,
)
from tests.faults.script import Script
from tests.faults.scripts import SCRIPTS
from tests.servers.script import Reply, Request, in_turn, serve
from triptych import Attempt, LlmClient, LlmRequest, Retries, Timeout, aio, register_provider
from triptych.replay import Tape

QUESTION = LlmRequest(contents="q")
ASKED = {"Retry-After": "7"}


def refusal(host: ChatHost, status: int = 503, headers: dict[str, str] | None = None) -> Reply:
    """Return a reply that refuses in the words of the host."""
    return Reply.of_json(host.error("not now", "some_code"), status, headers)


four_ways = pytest.mark.parametrize(
    "ask",
    [ask_blocking, ask_streaming, ask_streaming_awaiting],
    ids=["generate", "stream", "awaited-stream"],
)


def seen(attempts: list[Attempt]) -> list[tuple[Any, ...]]:
    """Return what was told of each try, but for the time that it took."""
    assert [attempt.seconds >= 0 for attempt in attempts] == [True] * len(attempts)
    told = []
    for each in attempts:
        kind, count = (each.error.kind, each.error.attempts) if each.error is not None else (None, None)
        told.append((each.number, kind, count, each.wait))
    return told


@all_formats
@both_ways
def test_each_try_is_told_with_its_error_and_the_wait_after_it(host: ChatHost, ask: Ask, waits: list[float]) -> None:
    told: list[Attempt] = []
    replies = in_turn(refusal(host, 429, ASKED), refusal(host, 503, {"retry-after-ms": "250"}), host.reply("at last"))
    with serve(replies) as server:
        response = ask(host.model, QUESTION, **host.options(server) | {"retries": 2, "on_attempt": told.append})
    assert response.text == "at last"
    assert seen(told) == [(1, "rate_limit", 1, 7.0), (2, "overloaded", 2, 0.25), (3, None, None, None)]
    assert waits == [7.0, 0.25]


@four_ways
def test_a_call_that_fails_at_once_or_at_last_is_told_once_each_try(ask: Ask, waits: list[float]) -> None:
    told: list[Attempt] = []
    with serve(refusal(OPENAI, 400)) as server:
        ask(OPENAI.model, QUESTION, **OPENAI.options(server) | {"retries": 2, "on_attempt": told.append})
    assert seen(told) == [(1, "invalid_request", 1, None)]
    told.clear()
    with serve(refusal(OPENAI, 503, ASKED)) as server:
        ask(OPENAI.model, QUESTION, **OPENAI.options(server) | {"retries": 1, "on_attempt": told.append})
    assert seen(told) == [(1, "overloaded", 1, 7.0), (2, "overloaded", 2, None)]


def test_what_is_never_sent_is_no_try() -> None:
    told: list[Attempt] = []
    with LlmClient(OPENAI.model, api_key=KEY, on_attempt=told.append) as client:
        client.generate(LlmRequest())
    assert told == []


@pytest.mark.parametrize("fault", [ValueError("enough"), TimeoutError("enough"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("ask", [ask_blocking, ask_streaming], ids=["generate", "stream"])
def test_what_on_attempt_raises_ends_the_call_and_reaches_the_caller(
    ask: Ask, fault: BaseException, waits: list[float]
) -> None:
    def enough(_: Attempt) -> None:
        raise fault

    with serve(refusal(OPENAI, 503)) as server:
        with pytest.raises(type(fault)) as raised:
            ask(OPENAI.model, QUESTION, **OPENAI.options(server) | {"retries": 5, "on_attempt": enough})
        assert len(server.requests) == 1
        assert server.wait_until_closed()
    assert (raised.value is fault, waits) == (True, [])


def test_a_replayed_try_is_told_too_and_nobody_waits(tmp_path: Any, waits: list[float]) -> None:
    tape = Tape(tmp_path / "t.yaml", "all")
    replies = in_turn(refusal(OPENAI, 503, ASKED), OPENAI.reply("4"), refusal(OPENAI, 503, ASKED))
    with serve(replies) as server:
        for _ in range(3):
            ask_blocking(OPENAI.model, QUESTION, **OPENAI.options(server), cassette=tape)
    tape.close()
    told: list[Attempt] = []
    with OPENAI.client(server, retries=2, cassette=tmp_path / "t.yaml", on_attempt=told.append) as client:
        client.generate(QUESTION)
        client.generate(QUESTION)
    assert seen(told) == [(1, "overloaded", 1, 7.0), (2, None, None, None), (1, "overloaded", 1, 7.0)]
    assert waits == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_usage_says_how_often_the_request_was_sent(script: Script, waits: list[float]) -> None:
    host = script.host
    for ask in (ask_streaming, ask_streaming_awaiting):
        with serve(in_turn(refusal(host), refusal(host), script.reply())) as server:
            response = ask(host.model, QUESTION, **host.options(server) | {"retries": 2})
        assert response.usage is not None
        assert (response.error, response.usage.attempts) == (None, 3)
        assert (response.usage + response.usage).attempts == 6


@all_formats
@both_ways
def test_usage_of_a_whole_answer_says_it_too(host: ChatHost, ask: Ask, waits: list[float]) -> None:
    with serve(in_turn(refusal(host), host.reply("4"))) as server:
        response = ask(host.model, QUESTION, **host.options(server) | {"retries": 2})
    assert response.usage is None or response.usage.attempts == 2


def test_retries_say_how_long_to_wait(waits: list[float]) -> None:
    with serve(refusal(OPENAI, 429, {"Retry-After": "90"})) as server:
        with OPENAI.client(server, retries=Retries(1, longest_wait=100)) as client:
            client.generate(QUESTION)
        with OPENAI.client(server, retries=Retries(1, longest_wait=89.9)) as client:
            error = client.generate(QUESTION).error
    assert waits == [90.0]
    assert error is not None
    assert (error.attempts, error.retry_after, error.retryable) == (1, 90.0, True)


def test_retries_say_the_window_of_the_first_wait(waits: list[float]) -> None:
    with serve(refusal(OPENAI)) as server, OPENAI.client(server, retries=Retries(3, first_wait=0)) as client:
        client.generate(QUESTION)
    assert waits == [0.0] * 3


WRONG_RETRIES: dict[str, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "negative": ((-1,), {}, "Retries.most: expected a number from 0, got -1"),
    "text": (("2",), {}, r"Retries.most: expected int, got '2' \(str\)"),
    "wait": ((), {"longest_wait": -1}, "Retries.longest_wait: expected seconds from 0, got -1"),
    "nan": ((), {"first_wait": float("nan")}, "Retries.first_wait: expected seconds from 0, got nan"),
}


@pytest.mark.parametrize(("given", "named", "words"), WRONG_RETRIES.values(), ids=WRONG_RETRIES)
def test_retries_that_cannot_be_meant_are_raised(given: Any, named: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        Retries(*given, **named)


@pytest.fixture
def house() -> str:
    """A provider that takes a key of idempotency."""
    register_provider("keyed-house", base_url="http://h", like="vllm", idempotency_header="Idempotency-Key")
    return "keyed-house/m"


@pytest.mark.parametrize("ask", [ask_blocking, ask_streaming], ids=["generate", "stream"])
def test_each_try_of_a_call_bears_the_same_idempotency_key_and_no_other_call_does(
    house: str, ask: Ask, waits: list[float]
) -> None:
    with serve(refusal(OPENAI)) as server:
        for _ in range(2):
            ask(house, QUESTION, base_url=server.url, retries=2)
        keys = [request.headers["idempotency-key"] for request in server.requests]
    assert len(keys) == 6
    assert (len(set(keys[:3])), len(set(keys[3:])), len(set(keys))) == (1, 1, 2)


@both_formats
def test_a_provider_that_takes_no_idempotency_key_gets_none(host: ChatHost) -> None:
    with serve(host.reply("4")) as server, host.client(server) as client:
        client.generate(QUESTION)
        assert "idempotency-key" not in server.requests[0].headers


def test_closing_a_stream_ends_the_wait_between_two_tries() -> None:
    with serve(refusal(OPENAI, 503, {"Retry-After": "50"})) as server:
        with OPENAI.client(server, retries=1) as client:
            stream = client.stream(QUESTION)
            reading = threading.Thread(target=stream.collect)
            reading.start()
            assert server.wait_for_requests(1)
            stream.close()
            reading.join(20)
            assert not reading.is_alive()
            error = stream.response.error
        assert len(server.requests) == 1
    assert error is not None
    assert (error.kind, error.attempts) == ("cancelled", 1)


def test_cancelling_an_awaited_call_ends_the_wait_between_two_tries_and_its_thread() -> None:
    before = set(threading.enumerate())

    async def ask(client: aio.LlmClient) -> None:
        task = asyncio.create_task(client.generate(QUESTION))
        assert await asyncio.to_thread(server.wait_for_requests, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with serve(refusal(OPENAI, 503, {"Retry-After": "50"})) as server:
        with aio.LlmClient(OPENAI.model, **OPENAI.options(server) | {"retries": 1}) as client:
            asyncio.run(ask(client))
        for thread in set(threading.enumerate()) - before:
            if thread.name.startswith("triptych"):
                thread.join(20)
                assert not thread.is_alive()
        assert len(server.requests) == 1


@all_formats
def test_cancelling_an_awaited_call_frees_its_connection_at_once(host: ChatHost) -> None:
    async def ask() -> None:
        async with aio.LlmClient(host.model, **host.options(server), timeout=Timeout(idle=60)) as client:
            task = asyncio.create_task(client.generate(QUESTION))
            assert await asyncio.to_thread(server.wait_for_requests, 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(server.wait_until_closed)

    with serve(Reply(body=b"{}", stall_after=1)) as server:
        asyncio.run(ask())
        assert len(server.requests) == 1


def test_a_call_that_is_ended_while_it_is_read_says_so_and_is_not_tried_again(waits: list[float]) -> None:
    from triptych.abort import Abort

    abort = Abort("call")

    def answer(_: Request) -> Reply:
        threading.Thread(target=abort).start()
        return Reply(body=b"{}", stall_after=1)

    with serve(answer) as server, OPENAI.client(server, retries=5, timeout=Timeout(idle=60)) as client:
        error = client._ended(QUESTION, {}, abort).error
        assert len(server.requests) == 1
    assert error is not None
    assert (error.kind, error.message, error.attempts, waits) == (
        "cancelled",
        "the call was closed before its end",
        1,
        [],
    )


def test_the_time_that_a_try_took_is_told() -> None:
    told: list[Attempt] = []
    begun = time.monotonic()
    with serve(OPENAI.reply("4")) as server, OPENAI.client(server, on_attempt=told.append) as client:
        client.generate(QUESTION)
    assert 0 < told[0].seconds <= time.monotonic() - begun
