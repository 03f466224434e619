"""A user of Ollama: whole answers and streams through the client, blocking and awaited, over a real socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.chat_hosts import Ask, both_ways
from tests.servers.script import Reply, ScriptedServer, in_turn, serve
from triptych import LlmClient, LlmRequest, LlmResponse, aio
from triptych.content import ContentItem, Message, Reasoning, ToolCall, ToolResult
from triptych.events import ItemDone, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.parts import Issuer
from triptych.tools import BaseTool
from triptych.usage import Usage

MODEL = "ollama/qwen3:4b"
OWN = Issuer("ollama_chat", "ollama")
CALL = {"id": "call_a", "function": {"index": 0, "name": "add", "arguments": {"a": 2, "b": 3}}}
COUNTS = {"done": True, "done_reason": "stop", "prompt_eval_count": 12, "eval_count": 7}
LINES = [
    {"model": "qwen3:4b", "message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": False},
    {"model": "qwen3:4b", "message": {"role": "assistant", "content": "Let "}, "done": False},
    {"model": "qwen3:4b", "message": {"role": "assistant", "content": "me add."}, "done": False},
    {"model": "qwen3:4b", "message": {"role": "assistant", "content": "", "tool_calls": [CALL]}, "done": False},
    {"model": "qwen3:4b", "message": {"role": "assistant", "content": ""}, **COUNTS},
]
WHOLE: dict[str, Any] = {
    "model": "qwen3:4b",
    "message": {"role": "assistant", "content": "Let me add.", "thinking": "hm", "tool_calls": [CALL]},
    **COUNTS,
}
ITEMS: list[ContentItem] = [
    Reasoning("hm", issuer=OWN),
    Message("assistant", "Let me add."),
    ToolCall("call_a", "add", {"a": 2, "b": 3}),
]
ADD = BaseTool("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}})
QUESTION = LlmRequest("Be brief.", "What is 2 + 3?", tools=[ADD])


def streamed(*lines: Any) -> Reply:
    """Return a reply of these lines, cut in the middle of each."""
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    pieces = [body[start : start + 50] for start in range(0, len(body), 50)]
    return Reply(headers={"Content-Type": "application/x-ndjson"}, body=pieces)


def stream_blocking(server: ScriptedServer, **options: Any) -> tuple[list[StreamEvent], LlmResponse]:
    with LlmClient(MODEL, base_url=server.url, retries=0, **options) as client, client.stream(QUESTION) as stream:
        return list(stream), stream.response


def stream_awaiting(server: ScriptedServer, **options: Any) -> tuple[list[StreamEvent], LlmResponse]:
    async def read() -> tuple[list[StreamEvent], LlmResponse]:
        client = aio.LlmClient(MODEL, base_url=server.url, retries=0, **options)
        async with client, client.stream(QUESTION) as stream:
            events = [event async for event in stream]
            return events, await stream.collect()

    return asyncio.run(read())


both_streams = pytest.mark.parametrize("read", [stream_blocking, stream_awaiting], ids=["sync", "async"])


@both_ways
def test_an_answer_and_the_turn_after_it(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key is needed."""
    monkeypatch.delenv("OLLAMA_API_KEY", raising=False)
    with serve(in_turn(Reply.of_json(WHOLE), Reply.of_json({**WHOLE, "message": {"content": "5"}}))) as server:
        first = ask(MODEL, QUESTION, base_url=server.url, retries=0, temperature=0, max_tokens=64)
        history = [Message("user", "What is 2 + 3?"), *first.content, ToolResult("call_a", content=[5])]
        second = ask(MODEL, LlmRequest(contents=history), base_url=server.url, retries=0, reasoning="none")
        [one, two] = server.requests
    assert first.content == ITEMS
    assert (first.finish_reason, first.usage, first.provider) == ("tool_calls", Usage(12, 7), "ollama")
    assert (second.text, second.notices, second.error) == ("5", (), None)
    assert (one.path, "authorization" in one.headers) == ("/api/chat", False)
    assert one.json() == {
        "model": "qwen3:4b",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is 2 + 3?"}],
        "tools": [
            {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": ADD.parameters}}
        ],
        "options": {"temperature": 0, "num_predict": 64},
        "stream": False,
    }
    function = {"name": "add", "arguments": {"a": 2, "b": 3}}
    assert two.json() == {
        "model": "qwen3:4b",
        "messages": [
            {"role": "user", "content": "What is 2 + 3?"},
            {"role": "assistant", "content": "Let me add.", "thinking": "hm", "tool_calls": [{"function": function}]},
            {"role": "tool", "content": "5", "tool_name": "add"},
        ],
        "think": False,
        "stream": False,
    }


@both_streams
def test_a_stream_is_the_answer_piece_by_piece(read: Any) -> None:
    with serve(streamed(*LINES)) as server:
        events, response = read(server, api_key="K")
        sent = server.requests[0]
    assert events == [
        ReasoningDelta("hm"),
        TextDelta("Let "),
        TextDelta("me add."),
        ToolCallDelta("call_a", "add", '{"a":2,"b":3}'),
        *map(ItemDone, ITEMS),
    ]
    with serve(Reply.of_json(WHOLE)) as server:
        assert response == LlmClient(MODEL, base_url=server.url).generate(QUESTION)
    assert (sent.path, sent.headers["authorization"], sent.json()["stream"]) == ("/api/chat", "Bearer K", True)


@both_streams
def test_an_error_in_a_stream_keeps_what_came_before(read: Any) -> None:
    with serve(streamed(*LINES[:3], {"error": "an error was encountered"})) as server:
        events, response = read(server)
    assert events == [ReasoningDelta("hm"), TextDelta("Let "), TextDelta("me add."), ItemDone(ITEMS[0])]
    assert (response.error.kind, response.error_message) == ("server", "an error was encountered")
    assert (response.content, response.error.partial) == (ITEMS[:1], (ITEMS[1],))


@both_streams
@pytest.mark.parametrize("lines", [[], LINES[:4]], ids=["empty", "cut"])
def test_a_stream_without_its_last_line_is_interrupted(read: Any, lines: list[Any]) -> None:
    """B115: an empty stream is no empty answer."""
    with serve(streamed(*lines)) as server:
        _, response = read(server)
    assert response.error.kind == "stream_interrupted"
    assert response.content == (ITEMS if lines else [])


@both_ways
def test_a_model_that_is_not_there_is_not_found(ask: Ask) -> None:
    with serve(Reply.of_json({"error": "model 'qwen3:4b' not found"}, 404)) as server:
        response = ask(MODEL, QUESTION, base_url=server.url, retries=0)
    assert response.error is not None
    assert (response.error.kind, response.error.status) == ("not_found", 404)
    assert response.error_message == "model 'qwen3:4b' not found"


@both_streams
def test_a_stream_that_was_refused_says_why(read: Any) -> None:
    with serve(Reply.of_json({"error": "unauthorized", "signin_url": "https://ollama.com/connect"}, 401)) as server:
        events, response = read(server)
    assert (events, response.error.kind, response.error_message) == ([], "authentication", "unauthorized")
