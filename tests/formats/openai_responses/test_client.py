"""A user of the Responses API: whole answers and streams through the client, blocking and awaited, over a socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.chat_hosts import Ask, both_ways
from tests.formats.openai_responses.wire import added, answer, call, done, event, message, state, thought, words
from tests.servers.script import Reply, ScriptedServer, in_turn, serve
from triptych import LlmClient, LlmRequest, LlmResponse, aio
from triptych.content import ContentItem, Message, Reasoning, ToolCall, ToolResult
from triptych.events import ItemDone, StreamEvent, TextDelta, ToolCallDelta
from triptych.parts import Issuer
from triptych.tools import BaseTool
from triptych.usage import Usage

MODEL = "openai-responses/gpt-5-mini"
KEY = "sk-planted-0123456789abcdef"
OWN = Issuer("openai_responses", "openai-responses")
THOUGHT = thought(encrypted_content="seal")
SAID = message("Let me add.")
CALL = call('{"a":2,"b":3}', "call_a", "add")
WHOLE = answer(THOUGHT, SAID, CALL)
EVENTS = [
    state("created", answer(status="in_progress", usage=None)),
    added(THOUGHT),
    done(THOUGHT),
    added(SAID, 1),
    *words(["Let ", "me add."], 1),
    done(SAID, 1),
    added(CALL, 2),
    event("function_call_arguments.delta", 2, delta='{"a":2,"b":3}'),
    done(CALL, 2),
    state("completed", WHOLE),
]
ITEMS: list[ContentItem] = [
    Reasoning(encrypted="seal", provider_data={"id": "rs_1"}, issuer=OWN),
    Message(
        "assistant",
        "Let me add.",
        provider_data={"type": "message", "id": "msg_1", "status": "completed"},
        issuer=OWN,
    ),
    ToolCall("call_a", "add", {"a": 2, "b": 3}, provider_data={"id": "fc_call_a", "status": "completed"}, issuer=OWN),
]
ADD = BaseTool("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}})
QUESTION = LlmRequest("Be brief.", "What is 2 + 3?", tools=[ADD])
STATELESS = {"store": False, "include": ["reasoning.encrypted_content"]}


def streamed(*events: Any) -> Reply:
    """Return a reply of these events, cut in the middle of each."""
    body = b"".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events)
    pieces = [body[start : start + 60] for start in range(0, len(body), 60)]
    return Reply(headers={"Content-Type": "text/event-stream"}, body=pieces)


def stream_blocking(server: ScriptedServer) -> tuple[list[StreamEvent], LlmResponse]:
    options: dict[str, Any] = {"base_url": f"{server.url}/v1", "api_key": KEY, "retries": 0}
    with LlmClient(MODEL, **options) as client, client.stream(QUESTION) as stream:
        return list(stream), stream.response


def stream_awaiting(server: ScriptedServer) -> tuple[list[StreamEvent], LlmResponse]:
    async def read() -> tuple[list[StreamEvent], LlmResponse]:
        client = aio.LlmClient(MODEL, base_url=f"{server.url}/v1", api_key=KEY, retries=0)
        async with client, client.stream(QUESTION) as stream:
            events = [event async for event in stream]
            return events, await stream.collect()

    return asyncio.run(read())


both_streams = pytest.mark.parametrize("read", [stream_blocking, stream_awaiting], ids=["sync", "async"])


@both_ways
def test_an_answer_and_the_turn_after_it(ask: Ask) -> None:
    """The history goes back whole, the thought with its seal, so that nothing need be stored."""
    with serve(in_turn(Reply.of_json(WHOLE), Reply.of_json(answer(message("5"))))) as server:
        options: dict[str, Any] = {"base_url": f"{server.url}/v1", "api_key": KEY, "retries": 0}
        first = ask(MODEL, QUESTION, **options, reasoning="low", max_tokens=64, extra_body=STATELESS)
        history = [Message("user", "What is 2 + 3?"), *first.content, ToolResult("call_a", content=[5])]
        second = ask(MODEL, LlmRequest(contents=history), **options, extra_body=STATELESS)
        [one, two] = server.requests
    assert first.content == ITEMS
    assert (first.finish_reason, first.usage, first.provider) == ("tool_calls", Usage(12, 7, 4, 2, 3), OWN.provider)
    assert (second.text, second.notices, second.error) == ("5", (), None)
    assert (one.path, one.headers["authorization"]) == ("/v1/responses", f"Bearer {KEY}")
    assert one.json() == {
        "model": "gpt-5-mini",
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": "What is 2 + 3?"}],
        "tools": [
            {"type": "function", "name": "add", "description": "Adds.", "parameters": ADD.parameters, "strict": False}
        ],
        "max_output_tokens": 64,
        "reasoning": {"effort": "low"},
        **STATELESS,
    }
    assert two.json() == {
        "model": "gpt-5-mini",
        "input": [
            {"role": "user", "content": "What is 2 + 3?"},
            THOUGHT,
            SAID,
            CALL,
            {"type": "function_call_output", "call_id": "call_a", "output": "5"},
        ],
        **STATELESS,
    }


@both_streams
def test_a_stream_is_the_answer_piece_by_piece(read: Any) -> None:
    with serve(streamed(*EVENTS)) as server:
        events, response = read(server)
        sent = server.requests[0]
    assert events == [
        ItemDone(ITEMS[0]),
        TextDelta("Let "),
        TextDelta("me add."),
        ItemDone(ITEMS[1]),
        ToolCallDelta("call_a", "add", "", 0),
        ToolCallDelta("call_a", "add", '{"a":2,"b":3}', 0),
        ItemDone(ITEMS[2]),
    ]
    with serve(Reply.of_json(WHOLE)) as server:
        assert response == LlmClient(MODEL, base_url=f"{server.url}/v1", api_key=KEY).generate(QUESTION)
    assert (sent.path, sent.json()["stream"]) == ("/v1/responses", True)


@both_streams
@pytest.mark.parametrize("events", [[], EVENTS[:6]], ids=["empty", "cut"])
def test_a_stream_without_its_last_event_is_interrupted(read: Any, events: list[Any]) -> None:
    """B115, B123: an empty stream is no empty answer."""
    with serve(streamed(*events)) as server:
        _, response = read(server)
    assert response.error.kind == "stream_interrupted"
    assert response.content == (ITEMS[:1] if events else [])
    assert [item.text for item in response.error.partial] == (["Let me add."] if events else [])


@both_streams
def test_a_failure_in_a_stream_keeps_what_came_before(read: Any) -> None:
    """B124."""
    failed = answer(status="failed", error={"code": "server_error", "message": "It broke."}, usage=None)
    with serve(streamed(*EVENTS[:3], state("failed", failed))) as server:
        events, response = read(server)
    assert events == [ItemDone(ITEMS[0])]
    assert (response.error.kind, response.error.code, response.error_message) == ("server", "server_error", "It broke.")
    assert response.content == ITEMS[:1]


@both_ways
def test_a_model_that_is_not_there_is_not_found(ask: Ask) -> None:
    said = {"error": {"message": "no such model", "type": "invalid_request_error", "code": "model_not_found"}}
    with serve(Reply.of_json(said, 400)) as server:
        response = ask(MODEL, QUESTION, base_url=f"{server.url}/v1", api_key=KEY, retries=0)
    assert response.error is not None
    assert (response.error.kind, response.error.status) == ("not_found", 400)
