"""A user of Cohere: whole answers and streams through the client, blocking and awaited, over a real socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.chat_hosts import Ask, both_ways
from tests.formats.cohere_chat.test_stream import START, STOP, TEXT, arguments, called, end, event, plan, words
from tests.servers.script import Reply, ScriptedServer, in_turn, serve
from triptych import LlmClient, LlmRequest, LlmResponse, aio
from triptych.content import ContentItem, Message, Reasoning, ToolCall, ToolResult
from triptych.events import ItemDone, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.parts import Issuer
from triptych.tools import BaseTool
from triptych.usage import Usage

MODEL = "command-a-03-2025"
OWN = Issuer("cohere_chat", "cohere")
CALL = {"id": "add_1", "type": "function", "function": {"name": "add", "arguments": '{"a":2,"b":3}'}}
COUNTS = {"billed_units": {"input_tokens": 2, "output_tokens": 7}, "tokens": {"input_tokens": 12, "output_tokens": 7}}
EVENTS = [
    START,
    TEXT,
    words("Let "),
    words("me."),
    STOP,
    plan("I add."),
    called("add_1", "add"),
    arguments('{"a":2,'),
    arguments('"b":3}'),
    event("tool-call-end", 0),
    end("TOOL_CALL", usage=COUNTS),
]
WHOLE: dict[str, Any] = {
    "id": "r1",
    "message": {
        "role": "assistant",
        "content": [{"type": "text", "text": "Let me."}],
        "tool_plan": "I add.",
        "tool_calls": [CALL],
    },
    "finish_reason": "TOOL_CALL",
    "usage": COUNTS,
}
PLAN = Reasoning("I add.", provider_data={"tool_plan": "I add."}, issuer=OWN)
ITEMS: list[ContentItem] = [
    Message("assistant", "Let me."),
    PLAN,
    ToolCall("add_1", "add", {"a": 2, "b": 3}),
]
ADD = BaseTool("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}})
QUESTION = LlmRequest("Be brief.", "What is 2 + 3?", tools=[ADD])


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the key under the second of the names that the provider's pages have for it."""
    monkeypatch.delenv("CO_API_KEY", raising=False)
    monkeypatch.setenv("COHERE_API_KEY", "K")


def streamed(*events: Any) -> Reply:
    """Return a reply of these events as server-sent events, cut every 50 bytes, with the marker at the end."""
    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    body = (text + "data: [DONE]\n\n" * (bool(events) and events[-1]["type"] == "message-end")).encode()
    pieces = [body[start : start + 50] for start in range(0, len(body), 50)]
    return Reply(headers={"Content-Type": "text/event-stream"}, body=pieces)


def stream_blocking(server: ScriptedServer) -> tuple[list[StreamEvent], LlmResponse]:
    with LlmClient(MODEL, base_url=server.url, retries=0) as client, client.stream(QUESTION) as stream:
        return list(stream), stream.response


def stream_awaiting(server: ScriptedServer) -> tuple[list[StreamEvent], LlmResponse]:
    async def read() -> tuple[list[StreamEvent], LlmResponse]:
        client = aio.LlmClient(MODEL, base_url=server.url, retries=0)
        async with client, client.stream(QUESTION) as stream:
            events = [event async for event in stream]
            return events, await stream.collect()

    return asyncio.run(read())


both_streams = pytest.mark.parametrize("read", [stream_blocking, stream_awaiting], ids=["sync", "async"])


@both_ways
def test_an_answer_and_the_turn_after_it(ask: Ask) -> None:
    second_answer = {"id": "r2", "message": {"content": [{"type": "text", "text": "5"}]}, "finish_reason": "COMPLETE"}
    with serve(in_turn(Reply.of_json(WHOLE), Reply.of_json(second_answer))) as server:
        first = ask(MODEL, QUESTION, base_url=server.url, retries=0, temperature=0, max_tokens=64)
        history = [Message("user", "What is 2 + 3?"), *first.content, ToolResult("add_1", content=[5])]
        second = ask(MODEL, LlmRequest(contents=history), base_url=server.url, retries=0, reasoning="none")
        [one, two] = server.requests
    assert first.content == ITEMS
    assert (first.finish_reason, first.usage, first.provider) == ("tool_calls", Usage(12, 7), "cohere")
    assert (second.text, second.notices, second.error) == ("5", (), None)
    assert (one.path, one.headers["authorization"]) == ("/v2/chat", "Bearer K")
    function = {"name": "add", "description": "Adds.", "parameters": ADD.parameters}
    assert one.json() == {
        "model": MODEL,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is 2 + 3?"}],
        "tools": [{"type": "function", "function": function}],
        "temperature": 0,
        "max_tokens": 64,
    }
    assert two.json() == {
        "model": MODEL,
        "messages": [
            {"role": "user", "content": "What is 2 + 3?"},
            {"role": "assistant", "content": "Let me.", "tool_plan": "I add.", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "add_1", "content": "5"},
        ],
        "thinking": {"type": "disabled"},
    }


@both_streams
def test_a_stream_is_the_answer_piece_by_piece(read: Any) -> None:
    with serve(streamed(*EVENTS)) as server:
        events, response = read(server)
        sent = server.requests[0]
    assert events == [
        TextDelta("Let "),
        TextDelta("me."),
        ReasoningDelta("I add."),
        ToolCallDelta("add_1", "add", ""),
        ToolCallDelta("add_1", "add", '{"a":2,'),
        ToolCallDelta("add_1", "add", '"b":3}'),
        *map(ItemDone, ITEMS),
    ]
    with serve(Reply.of_json(WHOLE)) as server:
        assert response == LlmClient(MODEL, base_url=server.url).generate(QUESTION)
    assert (sent.path, sent.json()["stream"]) == ("/v2/chat", True)


@both_streams
def test_an_answer_that_fails_in_a_stream_keeps_what_came_before(read: Any) -> None:
    failed = end("ERROR", error="invalid tool generation", error_type="INVALID_TOOL_GENERATION", usage={})
    with serve(streamed(START, plan("I add."), failed)) as server:
        events, response = read(server)
    assert events == [ReasoningDelta("I add."), ItemDone(PLAN)]
    assert (response.error.kind, response.error_message) == ("invalid_request", "invalid tool generation")
    assert (response.content, response.error.partial) == ([PLAN], ())


@both_streams
@pytest.mark.parametrize(("count", "items"), [(0, []), (9, ITEMS[:2]), (10, ITEMS)], ids=["empty", "call", "end"])
def test_a_stream_without_its_last_event_is_interrupted(read: Any, count: int, items: list[Any]) -> None:
    """B115: an empty stream is no empty answer."""
    with serve(streamed(*EVENTS[:count])) as server:
        _, response = read(server)
    assert (response.error.kind, response.content) == ("stream_interrupted", items)


@both_ways
def test_a_model_that_is_not_there_is_not_found(ask: Ask) -> None:
    refusal = {"id": "e", "message": "model 'command-a-03-2025' not found, make sure the correct model ID was used"}
    reply = Reply(404, {"Content-Type": "application/json", "x-debug-trace-id": "t1"}, json.dumps(refusal).encode())
    with serve(reply) as server:
        response = ask(MODEL, QUESTION, base_url=server.url, retries=0)
    assert response.error is not None
    assert (response.error.kind, response.error.status, response.error.request_id) == ("not_found", 404, "t1")
    assert response.error_message == refusal["message"]


@both_streams
def test_a_stream_that_was_refused_says_why(read: Any) -> None:
    with serve(Reply.of_json({"id": "e", "message": "invalid api token"}, 401)) as server:
        events, response = read(server)
    assert (events, response.error.kind, response.error_message) == ([], "authentication", "invalid api token")
