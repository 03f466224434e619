"""Streams one after the other, tried again, read in several ways: one connection serves them all."""

import asyncio
from typing import Any

import pytest

from tests.faults.scripts import CHAT, Script, all_scripts
from tests.faults.sockets import connections_to
from tests.faults.watch import QUESTION, Watch, both_ways, every_script, watched
from tests.servers.script import Reply, in_turn, serve
from triptych import LlmResponse, aio

FRAMINGS: dict[str, dict[str, Any]] = {"chunked": {}, "with a length": {"framing": "length"}}


@pytest.mark.parametrize("framing", FRAMINGS.values(), ids=FRAMINGS)
@all_scripts
def test_twenty_streams_in_a_row_share_one_connection(script: Script, framing: dict[str, Any]) -> None:
    with serve(script.reply(**framing)) as server, script.host.client(server) as client:
        for _ in range(20):
            with client.stream(QUESTION) as stream:
                assert list(stream) == script.yields()
            assert stream.response == script.response()
        assert (server.accepted, len(server.requests), connections_to(server.port)) == (1, 20, 1)


@all_scripts
def test_twenty_awaited_streams_in_a_row_share_one_connection(script: Script) -> None:
    async def run() -> list[LlmResponse]:
        async with aio.LlmClient(script.host.model, **script.host.options(server)) as client:
            return [await client.stream(QUESTION).collect() for _ in range(20)]

    with serve(script.reply()) as server:
        assert asyncio.run(run()) == [script.response()] * 20
        assert (server.accepted, len(server.requests)) == (1, 20)
        assert server.wait_until_closed()


@all_scripts
def test_eight_awaited_streams_at_once_each_get_their_own_answer(script: Script) -> None:
    async def run() -> list[LlmResponse]:
        async with aio.LlmClient(script.host.model, **script.host.options(server)) as client:
            return await asyncio.gather(*(client.stream(QUESTION).collect() for _ in range(8)))

    with serve(script.reply()) as server:
        assert asyncio.run(run()) == [script.response()] * 8
        assert server.wait_until_closed()


@all_scripts
def test_a_stream_and_a_plain_call_share_a_connection(script: Script) -> None:
    answers = in_turn(script.host.reply("one"), script.reply(), script.host.reply("two"))
    with serve(answers) as server, script.host.client(server) as client:
        assert client.generate(QUESTION).text == "one"
        assert client.stream(QUESTION).collect() == script.response()
        assert client.generate(QUESTION).text == "two"
        assert server.accepted == (2 if script.host.urls_apart else 1)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
FAULTS: dict[str, Any] = {
    "a hang-up": lambda script: Reply(hang_up=True),
    "a busy host": lambda script: Reply.of_json(script.host.error("busy", "made_up"), 503),
    "an empty stream": lambda script: script.reply([]),
    "a cut before the first delta": lambda script: Reply(raw=HEAD + b"".join(script.sent("opened"))),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@every_script
def test_a_failure_before_the_first_delta_is_tried_again(
    script: Script, fault: Any, watch: Watch, waits: list[float]
) -> None:
    answers = in_turn(fault(script), fault(script), script.reply())
    seen = watched(watch, script.host, answers, retries=2)
    assert (seen.response, seen.events) == (script.response(), script.yields())
    assert (seen.requests, len(waits), seen.kept) == (3, 2, 1)


@every_script
def test_a_cut_after_the_first_delta_is_not_tried_again(script: Script, watch: Watch) -> None:
    answers = in_turn(script.reply(script.sent("thinking")), script.reply())
    seen = watched(watch, script.host, answers, retries=2)
    assert (seen.error.kind, seen.error.attempts, seen.requests) == ("stream_interrupted", 1, 1)


@all_scripts
def test_the_words_alone_can_be_read(script: Script) -> None:
    with serve(script.reply()) as server, script.host.client(server) as client:
        assert list(client.stream(QUESTION).text) == ["Grüße ", "aus 東京 🗼"]


@all_scripts
def test_a_response_that_is_asked_for_early_leaves_the_events_to_be_read(script: Script) -> None:
    with serve(script.reply()) as server, script.host.client(server) as client:
        stream = client.stream(QUESTION)
        first = next(stream)
        assert stream.response == script.response()
        assert [first, *stream] == script.yields()
        assert list(stream) == []


@all_scripts
def test_awaited_words_alone_can_be_read(script: Script) -> None:
    async def run() -> tuple[list[str], LlmResponse]:
        async with aio.LlmClient(script.host.model, **script.host.options(server)) as client:
            stream = client.stream(QUESTION)
            with pytest.raises(RuntimeError, match="await"):
                _ = stream.response
            words = [text async for text in stream.text]
            return words, stream.response

    with serve(script.reply()) as server:
        assert asyncio.run(run()) == (["Grüße ", "aus 東京 🗼"], script.response())


@both_ways
def test_a_call_that_cannot_be_sent_ends_before_it_begins(watch: Watch) -> None:
    seen = watched(watch, CHAT.host, CHAT.reply(), api_key=None)
    assert seen.told == ("authentication", None, "missing_key", False, 0)
    assert (seen.events, seen.requests, seen.kept) == ([], 0, 0)
