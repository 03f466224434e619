"""How much of an answer is taken: each limit is an error that names it, and memory stays bounded whatever is sent."""

import gzip
import json
import threading
import tracemalloc
from collections.abc import Iterator
from itertools import count, repeat
from typing import Any

import pytest

from tests.chat_hosts import ANTHROPIC, OPENAI, Ask, ChatHost, all_formats, ask_blocking, ask_streaming, both_ways
from tests.faults.script import Script
from tests.faults.scripts import SCRIPTS
from tests.servers.script import Reply, serve
from triptych import Limits, LlmClient, LlmError, LlmRequest, Timeout, jsontext
from triptych.framing.aws_event_stream import AwsEventStreamDecoder
from triptych.framing.json_array import JsonArrayDecoder
from triptych.framing.ndjson import NdjsonDecoder
from triptych.framing.sse import SseDecoder
from triptych.framing.sse_or_array import SseOrArrayDecoder

QUESTION = LlmRequest(contents="q")
MIB = 1 << 20


def told(error: LlmError | None) -> tuple[Any, ...]:
    """Return what a program decides by."""
    assert error is not None
    return error.kind, error.code, error.status, error.retryable, error.attempts


every_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)


@all_formats
@both_ways
def test_a_body_may_be_as_large_as_the_limit_and_no_larger(host: ChatHost, ask: Ask, waits: list[float]) -> None:
    reply = host.reply("words " * 1000)
    assert isinstance(reply.body, bytes)
    size = len(reply.body)
    with serve(reply) as server:
        options = host.options(server) | {"retries": 2}
        whole = ask(host.model, QUESTION, **options, limits=Limits(response_bytes=size))
        cut = ask(host.model, QUESTION, **options, limits=Limits(response_bytes=size - 1))
        assert len(server.requests) == 2
    assert (whole.error, whole.text) == (None, "words " * 1000)
    assert told(cut.error) == ("malformed_response", "response_too_large", 200, False, 1)
    assert cut.error_message == (
        f"the answer is larger than {size - 1:,} bytes, and no more are taken: Limits.response_bytes"
    )


@all_formats
def test_an_answer_without_end_is_given_up_at_the_limit_and_held_no_longer(host: ChatHost) -> None:
    endless = Reply(headers={"Content-Type": "application/json"}, body=repeat(b" " * (1 << 16)))
    with serve(endless) as server, host.client(server, limits=Limits(response_bytes=8 * MIB)) as client:
        tracemalloc.start()
        response = client.generate(QUESTION)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert server.wait_until_closed()
    assert told(response.error) == ("malformed_response", "response_too_large", 200, False, 1)
    assert peak < 24 * MIB


def test_a_small_body_that_unpacks_to_a_large_one_is_given_up_at_the_limit() -> None:
    bomb = gzip.compress(b" " * (64 * MIB))
    packed = Reply(headers={"Content-Encoding": "gzip"}, body=bomb)
    with serve(packed) as server, OPENAI.client(server, limits=Limits(response_bytes=MIB)) as client:
        tracemalloc.start()
        response = client.generate(QUESTION)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert told(response.error) == ("malformed_response", "response_too_large", 200, False, 1)
    assert peak < 16 * MIB


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
@all_formats
def test_of_an_error_page_without_end_the_beginning_is_enough(host: ChatHost, framing: Any) -> None:
    page = b"<html><title>Bad Gateway</title>" + b"<p>busy</p>" * (MIB // 4)
    reply = Reply(502, {"Content-Type": "text/html"}, page if framing == "length" else [page], framing=framing)
    with serve(reply) as server:
        for ask in (ask_blocking, ask_streaming):
            error = ask(host.model, QUESTION, **host.options(server), limits=Limits(response_bytes=2 * MIB)).error
            assert error is not None
            assert (error.kind, error.status, error.retryable) == ("server", 502, True)
            assert len(error.body or "") < 10_000
        assert server.wait_until_closed()


@every_script
def test_an_event_without_end_is_given_up_and_what_came_before_it_is_kept(script: Script) -> None:
    host, stage = script.host, next(iter(script.stages))
    pieces = [*script.sent(stage), script.wire.begun, *repeat(b"x" * 65_536, 200)]
    with serve(script.reply(pieces)) as server:
        options = host.options(server) | {"retries": 2, "limits": Limits(event_bytes=250_000)}
        response = ask_streaming(host.model, QUESTION, **options)
        assert len(server.requests) == 1
        assert server.wait_until_closed()
    assert told(response.error)[:2] == ("malformed_response", "event_too_large")
    assert response.error_message == (
        "an event of the stream is larger than 250,000 bytes, and no more are taken: Limits.event_bytes"
    )
    whole, partial = script.stages[stage].content, script.stages[stage].partial
    assert response.error is not None
    assert (tuple(response.content), response.error.partial) == (whole, partial)


@every_script
def test_a_stream_may_be_as_large_as_the_limit_and_no_larger(script: Script) -> None:
    host, size = script.host, sum(map(len, script.sent()))
    with serve(script.reply()) as server:
        options = host.options(server)
        whole = ask_streaming(host.model, QUESTION, **options, limits=Limits(response_bytes=size))
        cut = ask_streaming(host.model, QUESTION, **options, limits=Limits(response_bytes=size // 2))
    assert whole == script.response()
    assert told(cut.error) == ("malformed_response", "response_too_large", 200, False, 1)


@every_script
def test_events_may_be_as_large_as_the_limit(script: Script) -> None:
    most = max(map(len, script.sent()))
    with serve(script.reply()) as server:
        options = script.host.options(server)
        whole = ask_streaming(script.host.model, QUESTION, **options, limits=Limits(event_bytes=most))
        smallest = ask_streaming(script.host.model, QUESTION, **options, limits=Limits(event_bytes=10))
    assert whole == script.response()
    assert told(smallest.error)[:2] == ("malformed_response", "event_too_large")


@pytest.mark.parametrize("at_once", [True, False], ids=["in-one-piece", "by-itself"])
def test_events_before_one_that_is_too_large_are_taken(at_once: bool) -> None:
    (script,) = (each for each in SCRIPTS if each.host is OPENAI)
    stage = next(iter(script.stages))
    large = script.wire.raw(b'{"id":"%b"}' % (b"x" * 5000))
    sent = [*script.sent(stage), large]
    with serve(script.reply([b"".join(sent)] if at_once else sent)) as server:
        response = ask_streaming(OPENAI.model, QUESTION, **OPENAI.options(server), limits=Limits(event_bytes=4000))
    assert told(response.error)[:2] == ("malformed_response", "event_too_large")
    assert response.error is not None
    assert (tuple(response.content), response.error.partial) == (
        script.stages[stage].content,
        script.stages[stage].partial,
    )


def test_keep_alives_count_neither_as_an_event_nor_as_a_line() -> None:
    (script,) = (each for each in SCRIPTS if each.host is OPENAI)
    most = max(map(len, script.sent()))
    pieces = [piece for sent in script.sent() for piece in (*[b": alive\n\n"] * 200, sent)]
    with serve(script.reply(pieces)) as server:
        options = OPENAI.options(server)
        assert ask_streaming(OPENAI.model, QUESTION, **options, limits=Limits(event_bytes=most)) == script.response()


def test_white_space_before_the_first_event_is_not_kept_for_ever() -> None:
    body: Iterator[bytes] = repeat(b"\n" * 65_536, 160)
    with serve(Reply(headers={"Content-Type": "text/event-stream"}, body=body)) as server:
        tracemalloc.start()
        response = ask_streaming(OPENAI.model, QUESTION, **OPENAI.options(server))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert response.error is not None
    assert response.error.kind == "stream_interrupted"
    assert peak < 4 * MIB


HELD: dict[str, tuple[Any, bytes, int]] = {
    "sse-line": (SseDecoder(), b"data: one\n\ndata: two", 9),
    "sse-event": (SseDecoder(), b"data: one\ndata: two\n", 6),
    "sse-comment": (SseDecoder(), b": alive\n: alive\n", 0),
    "ndjson": (NdjsonDecoder(), b'{"a":1}\n{"a"', 4),
    "array": (JsonArrayDecoder(), b'[{"a":1},{"a"', 4),
    "sse-or-array-before": (SseOrArrayDecoder(), b"  ", 2),
    "sse-or-array": (SseOrArrayDecoder(), b'[{"a"', 4),
    "frame": (AwsEventStreamDecoder(), b"\0\0", 2),
}


@pytest.mark.parametrize(("decoder", "fed", "held"), HELD.values(), ids=HELD)
def test_a_framing_says_how_much_it_keeps(decoder: Any, fed: bytes, held: int) -> None:
    decoder.feed(fed)
    assert decoder.held == held


def nested(depth: int) -> Any:
    """Return an object in which so many objects, itself counted, are inside one another."""
    value: Any = {}
    for _ in range(depth - 1):
        value = {"a": value}
    return value


@pytest.mark.parametrize("depth", [100, 201, 5000, 100_000])
@all_formats
@both_ways
def test_an_answer_nested_too_deeply_is_told(host: ChatHost, ask: Ask, depth: int, waits: list[float]) -> None:
    deep = b'{"a":' * (depth - 1) + b"{}" + b"}" * (depth - 1)
    body = json.dumps(host.answer("words")).encode()[:-1] + b',"deep":' + deep + b"}"
    with serve(Reply(headers={"Content-Type": "application/json"}, body=body)) as server:
        response = ask(host.model, QUESTION, **host.options(server) | {"retries": 2})
        assert len(server.requests) == 1
    if depth == 100:
        assert (response.error, response.text) == (None, "words")
    else:
        assert response.error is not None
        assert (response.error.kind, response.error.retryable) == ("malformed_response", False)
        assert "nested" in (response.error.cause or "")


@every_script
def test_an_event_nested_too_deeply_is_told(script: Script) -> None:
    event = script.wire.raw(b'{"type":"x","deep":' + b"[" * 5000 + b"]" * 5000 + b"}")
    first, *others = script.sent()
    with serve(script.reply([first, event, *others])) as server:
        response = ask_streaming(script.host.model, QUESTION, **script.host.options(server))
    assert response.error is not None
    assert (response.error.kind, response.error.code) == ("malformed_response", "bad_event")
    assert "nested" in (response.error.cause or "")


@pytest.mark.parametrize("most", [1, 3, 50])
def test_the_depth_is_a_setting_and_counts_levels(most: int) -> None:
    for text in (json.dumps(nested(most)), json.dumps(nested(most)).encode(), f"{'[' * most}{']' * most}"):
        assert jsontext.decode(text, most) == json.loads(text)
    for text in (json.dumps(nested(most + 1)), f"{'[' * (most + 1)}{']' * (most + 1)}"):
        with pytest.raises(ValueError, match=f"JSON is nested more than {most} levels deep"):
            jsontext.decode(text, most)


def test_brackets_in_texts_and_beside_one_another_are_no_depth() -> None:
    wide = {"text": "[{" * 1000, "list": [[{}]] * 1000}
    assert jsontext.decode(json.dumps(wide), 4) == wide


def test_more_items_than_the_limit_are_told_and_the_first_ones_kept() -> None:
    blocks = [{"type": "tool_use", "id": f"t{n}", "name": "f", "input": {}} for n in range(20)]
    reply = Reply.of_json(ANTHROPIC.answer("words") | {"content": blocks})
    with serve(reply) as server:
        whole = ask_blocking(ANTHROPIC.model, QUESTION, **ANTHROPIC.options(server), limits=Limits(items=20))
        cut = ask_blocking(ANTHROPIC.model, QUESTION, **ANTHROPIC.options(server), limits=Limits(items=19))
    assert (whole.error, len(whole.content)) == (None, 20)
    assert told(cut.error)[:2] == ("malformed_response", "too_many_items")
    assert cut.error_message == "the answer has more than 19 items, and no more are taken: Limits.items"
    assert cut.content == whole.content[:19]


def test_a_stream_of_items_without_end_is_given_up() -> None:
    def events() -> Iterator[bytes]:
        yield b'data: {"type":"message_start","message":{"id":"m","model":"m","content":[],"usage":{}}}\n\n'
        for n in count():
            block = {"type": "tool_use", "id": f"t{n}", "name": "f", "input": {}}
            for event in (
                {"type": "content_block_start", "index": n, "content_block": block},
                {"type": "content_block_stop", "index": n},
            ):
                yield b"data: " + json.dumps(event).encode() + b"\n\n"

    with serve(Reply(headers={"Content-Type": "text/event-stream"}, body=events())) as server:
        response = ask_streaming(ANTHROPIC.model, QUESTION, **ANTHROPIC.options(server), limits=Limits(items=50))
        assert server.wait_until_closed()
    assert told(response.error)[:2] == ("malformed_response", "too_many_items")
    assert [item.tool_call_id for item in response.tool_calls] == [f"t{n}" for n in range(50)]


def test_headers_without_end_are_refused() -> None:
    head = b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(1000))
    with serve(Reply(raw=head)) as server, OPENAI.client(server) as client:
        assert told(client.generate(QUESTION).error)[0] == "connection"
    with serve(Reply(raw=b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000)) as server, OPENAI.client(server) as client:
        assert told(client.generate(QUESTION).error)[0] == "connection"


def test_headers_that_trickle_are_given_up_when_the_time_for_the_first_event_is_over() -> None:
    stop = threading.Event()

    def trickle() -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nX: "
        while not stop.wait(0.02):
            yield b"y"

    with serve(Reply(raw=trickle())) as server:
        with OPENAI.client(server, timeout=Timeout(first_event=0.3)) as client:
            error = client.generate(QUESTION).error
        stop.set()
    assert told(error) == ("timeout", "read_timeout", None, True, 1)


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "zero": ({"response_bytes": 0}, ValueError, "Limits.response_bytes: expected a number from 1, got 0"),
    "text": ({"event_bytes": "1"}, TypeError, r"Limits.event_bytes: expected int or None, got '1' \(str\)"),
    "none": ({"depth": None}, TypeError, r"Limits.depth: expected int, got None \(NoneType\)"),
    "bool": ({"items": True}, TypeError, r"Limits.items: expected int, got True \(bool\)"),
}


@pytest.mark.parametrize(("given", "error", "words"), WRONG.values(), ids=WRONG)
def test_limits_that_cannot_be_meant_are_raised(given: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Limits(**given)
    with pytest.raises(TypeError, match=r"LlmClient\.limits: expected Limits or None, got 5"):
        LlmClient(OPENAI.model, limits=5)  # type: ignore[arg-type]  # the mistake of a caller
