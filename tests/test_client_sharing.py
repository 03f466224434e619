"""One client in many hands: threads, a forked child, a process that is sent a pickle of it, a copy."""

import asyncio
import copy
import json
import multiprocessing
import os
import pickle
import signal
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.chat_hosts import KEY, OPENAI, ChatHost, both_formats
from tests.servers.echo import answer_to, echo, question_of
from tests.servers.script import ScriptedServer, serve
from triptych import LlmClient, LlmRequest, LlmResponse, Message, aio
from triptych.replay import Tape, cassette

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def carriers(server: ScriptedServer, start: str) -> set[int]:
    """Return the numbers of the connections that carried the questions with this start."""
    return {request.connection for request in server.requests if question_of(request.json()).startswith(start)}


@both_formats
def test_each_of_32_threads_gets_its_own_answers(host: ChatHost) -> None:
    """B194."""

    def fifty(thread: int) -> list[LlmResponse]:
        return [client.generate(LlmRequest(contents=f"q{thread}.{call}")) for call in range(50)]

    with serve(echo()) as server:
        with host.client(server) as client, ThreadPoolExecutor(32) as pool:
            answers = [response for responses in pool.map(fifty, range(32)) for response in responses]
        assert server.wait_until_closed()
        assert (len(server.requests), server.accepted <= 32) == (1600, True)
        assert all("cookie" not in request.headers for request in server.requests)
    expected = [answer_to(f"q{thread}.{call}") for thread in range(32) for call in range(50)]
    assert [response.text for response in answers] == expected
    assert len({response.id for response in answers}) == 1600


def test_threads_that_come_first_all_at_once_share_one_pool() -> None:
    with serve(echo()) as server:
        with OPENAI.client(server) as client, ThreadPoolExecutor(16) as pool:
            texts = list(pool.map(lambda n: client.generate(LlmRequest(contents=f"q{n}")).text, range(16)))
        assert server.wait_until_closed()
    assert texts == [answer_to(f"q{number}") for number in range(16)]


def test_closing_while_others_call_breaks_no_call() -> None:
    with serve(echo()) as server:
        client = OPENAI.client(server, retries=5)

        def call_and_close(number: int) -> str:
            text = client.generate(LlmRequest(contents=f"q{number}")).text
            client.close()
            return text

        with ThreadPoolExecutor(8) as pool:
            texts = list(pool.map(call_and_close, range(64)))
        client.close()
        assert server.wait_until_closed()
    assert texts == [answer_to(f"q{number}") for number in range(64)]


def in_child(work: Callable[[], list[str]]) -> tuple[int, int]:
    """Fork a child that does the work and writes its result, as JSON, to a pipe; return its id and the pipe's end."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # The server's threads stay in the parent, and the child has no use for them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    signal.alarm(30)  # a child that hangs ends, and fails its test, instead of holding up the run
    try:
        os.write(writing, json.dumps(work()).encode())
    finally:
        os._exit(0)


def result_of(child: int, reading: int) -> list[str]:
    """Return what a child has written, after its end."""
    with os.fdopen(reading, "rb") as pipe:
        written = pipe.read()
    os.waitpid(child, 0)
    texts: list[str] = json.loads(written)
    return texts


@forks
@both_formats
def test_a_forked_child_uses_connections_of_its_own(host: ChatHost) -> None:
    """B193."""

    def ask(start: str) -> list[str]:
        return [client.generate(LlmRequest(contents=f"{start}{number}")).text for number in range(20)]

    with serve(echo()) as server, host.client(server, timeout=20) as client:
        before = ask("parent")
        child = in_child(lambda: ask("child"))
        after = ask("parent")
        assert result_of(*child) == [answer_to(f"child{number}") for number in range(20)]
        assert before == after == [answer_to(f"parent{number}") for number in range(20)]
        assert ask("parent") == after  # the child's end closed nothing of the parent's
        assert carriers(server, "child") & carriers(server, "parent") == set()
        assert len(carriers(server, "parent")) == 1


@forks
def test_a_forked_child_may_close_what_it_never_used() -> None:
    with serve(echo()) as server, OPENAI.client(server, timeout=20) as client:
        assert client.generate(LlmRequest(contents="one")).text == answer_to("one")

        def close_and_ask() -> list[str]:
            client.close()
            return [client.generate(LlmRequest(contents="child")).text]

        assert result_of(*in_child(close_and_ask)) == [answer_to("child")]
        assert client.generate(LlmRequest(contents="two")).text == answer_to("two")
        assert len(carriers(server, "two") | carriers(server, "one")) == 1


@forks
def test_an_asyncio_client_works_in_a_forked_child() -> None:
    with serve(echo()) as server, aio.LlmClient(OPENAI.model, **OPENAI.options(server), timeout=20) as client:

        async def ask(question: str, times: int) -> list[str]:
            calls = (client.generate(LlmRequest(contents=question)) for _ in range(times))
            return [response.text for response in await asyncio.gather(*calls)]

        # After twenty calls there are idle threads in the parent at the fork: the child must not wait for one of them.
        assert asyncio.run(ask("parent", 20)) == [answer_to("parent")] * 20
        assert result_of(*in_child(lambda: asyncio.run(ask("child", 1)))) == [answer_to("child")]
        assert asyncio.run(ask("parent", 20)) == [answer_to("parent")] * 20


@both_formats
def test_a_process_of_a_pool_can_be_sent_the_client_and_the_request(
    host: ChatHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(host.key_variable, KEY)
    request = LlmRequest(instructions="short", contents=[Message("user", "q")])
    with serve(echo()) as server, host.client(server, api_key=None, temperature=0.5, timeout=20) as client:
        here = client.generate(request)
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            there = pool.submit(client.generate, request).result(60)
        assert len({received.body for received in server.requests}) == 1
    assert (there.text, there.content, there.usage) == (answer_to("q"), here.content, here.usage)


def pickled(client: LlmClient) -> LlmClient:
    """Return the client as it arrives in another process."""
    copied: LlmClient = pickle.loads(pickle.dumps(client))
    return copied


copies = pytest.mark.parametrize("copied", [pickled, copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"])


@copies
@pytest.mark.parametrize("used", [False, True], ids=["unused", "used"])
@both_formats
def test_a_copy_reads_the_key_of_the_environment(
    host: ChatHost, used: bool, copied: Callable[[LlmClient], LlmClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """B191."""
    monkeypatch.setenv(host.key_variable, KEY)
    with serve(echo()) as server, host.client(server, api_key=None, temperature=0.5) as client:
        if used:
            client.generate(LlmRequest(contents="before"))
        with copied(client) as other:
            assert other.generate(LlmRequest(contents="q")).text == answer_to("q")
            assert client.generate(LlmRequest(contents="q")).text == answer_to("q")
            assert server.requests[-1].body == server.requests[-2].body
            assert (repr(other), other.settings, other.timeout) == (repr(client), client.settings, client.timeout)
            assert server.accepted == 2
        assert client.generate(LlmRequest(contents="after the copy is closed")).error is None


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy])
@both_formats
def test_a_copy_in_the_same_process_keeps_a_key_that_was_an_argument(
    host: ChatHost, copied: Callable[[LlmClient], LlmClient]
) -> None:
    with serve(echo()) as server, host.client(server) as client, copied(client) as other:
        assert other.generate(LlmRequest(contents="q")).text == answer_to("q")
        assert client.generate(LlmRequest(contents="q")).text == answer_to("q")
        assert server.requests[0].headers == server.requests[1].headers


def test_a_secret_header_is_not_in_a_pickle_and_others_are() -> None:
    headers = {"X-Gateway-Key": KEY, "X-Team": "blue"}
    with serve(echo()) as server, OPENAI.client(server, headers=headers) as client:
        client.generate(LlmRequest(contents="q"))
        assert KEY.encode() not in pickle.dumps(client)
        with OPENAI.client(server) as keyed, pytest.MonkeyPatch.context() as patch:
            patch.setenv(OPENAI.key_variable, "another-key-0123456789")
            assert keyed.generate(LlmRequest(contents="q")).error is None
            pickled(client).generate(LlmRequest(contents="q"))
        first, last = server.requests[0].headers, server.requests[-1].headers
    assert (first["x-gateway-key"], first["x-team"]) == (KEY, "blue")
    assert ("x-gateway-key" in last, last["x-team"]) == (False, "blue")


@both_formats
def test_a_key_that_was_an_argument_is_not_in_a_pickle_and_the_error_says_how_to_set_it(host: ChatHost) -> None:
    with serve(echo()) as server, host.client(server) as client:
        client.generate(LlmRequest(contents="q"))
        assert KEY.encode() not in pickle.dumps(client)
        error = pickled(client).generate(LlmRequest(contents="q")).error
        assert len(server.requests) == 1
    assert error is not None
    assert (error.kind, error.code) == ("authentication", "missing_key")
    assert f"set the environment variable {host.key_variable}, or give api_key=" in error.message


def test_answers_and_errors_survive_pickling() -> None:
    with serve(echo()) as server, OPENAI.client(server) as client:
        answer = client.generate(LlmRequest(contents="q"))
    failure = client.generate(LlmRequest(contents="q"))
    assert (answer.error, failure.error is None) == (None, False)
    for response in (answer, failure):
        assert pickle.loads(pickle.dumps(response)) == response
        assert copy.deepcopy(response) == response


def test_a_client_with_a_cassette_is_pickled_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    with serve(echo()) as server, OPENAI.client(server) as client, cassette(path, "once"):
        client.generate(LlmRequest(contents="q"))
    offline = LlmClient(OPENAI.model, base_url=OPENAI.base_url(server), cassette=path)
    assert pickled(offline).generate(LlmRequest(contents="q")).text == answer_to("q")
    recording = LlmClient(OPENAI.model, cassette=Tape(tmp_path / "new.yaml", "all"))
    with pytest.raises(TypeError, match="records, and two processes must not record into one file"):
        pickle.dumps(recording)
