"""Hosts that were asked for a stream and answer something else: told from the body, whatever its type claims."""

import json

import pytest

from tests.chat_hosts import OLLAMA, OPENAI, ChatHost
from tests.faults.scripts import CHAT, EVENT_STREAM, MISTRAL, Script, event_scripts
from tests.faults.watch import QUESTION, Watch, both_ways, every_host, watched
from tests.servers.script import Reply, in_turn, serve
from triptych import ToolCall
from triptych.events import ItemDone, TextDelta, ToolCallDelta

TYPES: dict[str, dict[str, str]] = {
    "event stream": EVENT_STREAM,
    "json": {"Content-Type": "application/json"},
    "no type": {},
}
any_type = pytest.mark.parametrize("headers", TYPES.values(), ids=TYPES)
PAGE = b"<!DOCTYPE html>\n<html><head><title>502</title></head>\n<body>data: upstream is gone</body></html>\n"


def spread(body: bytes) -> list[bytes]:
    """Return a body in small pieces."""
    return [body[start : start + 7] for start in range(0, len(body), 7)]


@any_type
@every_host
def test_an_error_status_is_told_as_without_streaming(host: ChatHost, headers: dict[str, str], watch: Watch) -> None:
    reply = Reply(429, headers, spread(json.dumps(host.error("no", "MADE_UP")).encode()))
    seen = watched(watch, host, reply)
    assert seen.told == ("rate_limit", 429, host.code("MADE_UP"), True, 1)
    assert (seen.error.message, seen.events, seen.response.content, seen.partial) == ("no", [], [], [])
    with serve(reply) as server, host.client(server) as client:
        assert client.generate(QUESTION) == seen.response
    assert seen.kept == 1


@any_type
@every_host
def test_an_error_body_of_status_200_is_an_error(host: ChatHost, headers: dict[str, str], watch: Watch) -> None:
    code, kind = host.passing
    body = json.dumps(host.error("no", code), indent=None if host is OLLAMA else 2).encode()  # there, lines are events
    for pieces in ([body], spread(body), [b"\n \n", body]):
        seen = watched(watch, host, Reply(headers=headers, body=pieces))
        assert seen.told == (kind, None if host.lone else 200, host.code(code), True, 1)
        assert (seen.error.message, seen.events, seen.response.content, seen.partial) == ("no", [], [], [])
        assert host.lone or seen.kept == 1  # nobody waits for what may follow an error event


@every_host
def test_a_plain_error_that_may_pass_is_tried_again(host: ChatHost, watch: Watch, waits: list[float]) -> None:
    error = host.error("no", host.passing[0])
    answers = in_turn(Reply.of_json(error, 503), Reply.of_json(error), host.reply("whole"))
    seen = watched(watch, host, answers, retries=2)
    assert (seen.response.error, seen.response.text, seen.requests, len(waits)) == (None, "whole", 3, 2)
    assert seen.events == [TextDelta("whole"), *map(ItemDone, seen.response.content)]


@any_type
@every_host
def test_a_host_that_does_not_stream_gives_its_answer_whole(
    host: ChatHost, headers: dict[str, str], watch: Watch
) -> None:
    body = json.dumps(host.answer("whole")).encode()
    for pieces in ([body], spread(body)):
        seen = watched(watch, host, Reply(headers=headers, body=pieces))
        assert seen.events == [TextDelta("whole"), *map(ItemDone, seen.response.content)]
        with serve(host.reply("whole")) as server, host.client(server) as client:
            assert client.generate(QUESTION) == seen.response
        assert seen.kept == 1


@both_ways
def test_a_whole_answer_yields_its_tool_calls_too(watch: Watch) -> None:
    answer = OPENAI.answer("")
    function = {"name": "get_weather", "arguments": '{"city": "Paris"}'}
    answer["choices"][0]["message"]["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
    seen = watched(watch, OPENAI, Reply.of_json(answer))
    call = ToolCall("call_1", "get_weather", {"city": "Paris"})
    assert seen.events == [ToolCallDelta("call_1", "get_weather", '{"city": "Paris"}'), ItemDone(call)]


@every_host
def test_a_whole_answer_that_is_cut_is_no_answer(host: ChatHost, watch: Watch) -> None:
    body = json.dumps(host.answer("whole")).encode()
    seen = watched(watch, host, Reply(headers=EVENT_STREAM, body=spread(body), cut_after=len(body) // 2))
    kind = "stream_interrupted" if host.lone else "connection"
    assert (seen.error.kind, seen.error.retryable, seen.error.attempts) == (kind, True, 1)
    assert (seen.events, seen.response.content, seen.partial, seen.kept) == ([], [], [], 0)


@any_type
@every_host
def test_a_page_instead_of_events_is_a_malformed_answer(host: ChatHost, headers: dict[str, str], watch: Watch) -> None:
    for pieces in ([PAGE], spread(PAGE)):
        seen = watched(watch, host, Reply(headers=headers, body=pieces), retries=2)
        assert seen.told == ("malformed_response", 200, None, False, 1)
        assert (seen.events, seen.response.content, seen.partial, seen.requests) == ([], [], [], 1)
        assert "upstream is gone" in (seen.error.body or "")


@event_scripts
@both_ways
def test_comments_alone_are_a_cut(script: Script, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply([b": hello\n\n", b":\n\n"]))
    assert (seen.error.kind, seen.error.retryable, seen.error.attempts) == ("stream_interrupted", True, 1)
    assert (seen.events, seen.response.content, seen.partial) == ([], [], [])


@event_scripts
@both_ways
def test_an_end_marker_alone_is_no_answer_where_it_is_no_marker(script: Script, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply([b"data: [DONE]\n\n"]))
    assert (seen.events, seen.response.content) == ([], [])
    if script in (CHAT, MISTRAL):
        assert (seen.response.error, seen.response.finish_reason) == (None, "unknown")
    else:
        assert (seen.error.kind, seen.partial) == ("stream_interrupted", [])
