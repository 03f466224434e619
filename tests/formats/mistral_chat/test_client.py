"""A user's calls of Mistral through the clients, blocking and for asyncio, against a scripted server."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.chat_hosts import KEY, Ask, both_ways
from tests.servers.script import Reply, ScriptedServer, in_turn, serve
from triptych import LlmClient, LlmRequest, LlmResponse, Message, Reasoning, ToolCall, ToolResult, Usage, aio
from triptych.events import ReasoningDelta, StreamEvent, TextDelta
from triptych.parts import Issuer, Text
from triptych.tools import BaseTool

MODEL = "mistral/magistral-medium-latest"
OURS = Issuer("mistral_chat", "mistral")
COUNTS = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}
CALL = {"id": "f4XiJcsFO", "type": "function", "function": {"name": "add", "arguments": '{"x": 2}'}, "index": 0}


def thinking(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [{"type": "text", "text": words}], **more}


def reply(content: Any, calls: Any = None, finish: str = "stop") -> Reply:
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return Reply.of_json(
        {
            "id": "r1",
            "object": "chat.completion",
            "created": 1764460800,
            "model": "magistral-medium-2509",
            "choices": [choice],
            "usage": COUNTS,
        }
    )


def events(*deltas: Any) -> Reply:
    frame = {"id": "r1", "object": "chat.completion.chunk", "created": 1764460800, "model": "magistral-medium-2509"}
    chunks = [{**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    end = {**frame, "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}], "usage": COUNTS}
    data = [*(json.dumps(chunk) for chunk in (*chunks, end)), "[DONE]"]
    return Reply(200, {"Content-Type": "text/event-stream"}, [f"data: {said}\n\n".encode() for said in data])


STREAM = events(
    {"role": "assistant", "content": ""},
    {"content": [thinking("Let me")]},
    {"content": [thinking(" see.", closed=True)]},
    {"content": "4"},
)
WHOLE = LlmResponse(
    content=[
        Reasoning("Let me see.", provider_data={"closed": True}, issuer=OURS),
        Message("assistant", [Text("4")]),
    ],
    usage=Usage(5, 7),
    finish_reason="stop",
    raw_finish_reason="stop",
    model="magistral-medium-2509",
    id="r1",
    provider="mistral",
)


def options(server: ScriptedServer) -> dict[str, Any]:
    return {"base_url": f"{server.url}/v1", "api_key": KEY, "retries": 0}


@both_ways
def test_generate_gives_the_answer(ask: Ask) -> None:
    content = [thinking("Let me see.", closed=True), {"type": "text", "text": "4"}]
    with serve(in_turn(reply(content))) as server:
        request = LlmRequest(instructions="Be brief.", contents="2 + 2?")
        assert ask(MODEL, request, seed=7, max_tokens=9, **options(server)) == WHOLE
        [sent] = server.requests
        assert (sent.path, sent.headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
        assert sent.json() == {
            "model": "magistral-medium-latest",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2 + 2?"}],
            "random_seed": 7,
            "max_tokens": 9,
        }


def test_a_stream_gives_the_events_and_the_same_response() -> None:
    with serve(in_turn(STREAM)) as server, LlmClient(MODEL, **options(server)) as client:
        with client.stream(LlmRequest(contents="2 + 2?")) as stream:
            told = [event for event in stream if isinstance(event, TextDelta | ReasoningDelta)]
        assert told == [ReasoningDelta("Let me"), ReasoningDelta(" see."), TextDelta("4")]
        assert stream.response == WHOLE
        assert server.requests[0].json()["stream"] is True


def test_a_stream_for_asyncio_gives_the_same() -> None:
    async def ask(url: dict[str, Any]) -> tuple[list[StreamEvent], LlmResponse]:
        async with aio.LlmClient(MODEL, **url) as client, client.stream(LlmRequest(contents="2 + 2?")) as stream:
            return [event async for event in stream if isinstance(event, TextDelta)], await stream.collect()

    with serve(in_turn(STREAM)) as server:
        assert asyncio.run(ask(options(server))) == ([TextDelta("4")], WHOLE)


@both_ways
def test_a_tool_turn_goes_back_with_thought_and_call_as_they_came(ask: Ask) -> None:
    content = [thinking("Add.", closed=True)]
    with serve(in_turn(reply(content, [CALL], "tool_calls"), reply("4"))) as server:
        tools = [BaseTool("add", parameters={"type": "object", "properties": {"x": {"type": "integer"}}})]
        request = LlmRequest(contents="2 + 2?", tools=tools, tool_choice="required")
        first = ask(MODEL, request, **options(server))
        assert first.tool_calls == [ToolCall("f4XiJcsFO", "add", {"x": 2})]
        result = ToolResult("f4XiJcsFO", "add", content=["4"])
        history = [*request.contents, *first.content, result]
        assert ask(MODEL, LlmRequest(contents=history, tools=tools), **options(server)).text == "4"
        assert server.requests[0].json()["tool_choice"] == "any"
        call = {key: value for key, value in CALL.items() if key != "index"}
        assert server.requests[1].json()["messages"][1:] == [
            {"role": "assistant", "content": content, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "f4XiJcsFO", "content": "4"},
        ]


def test_streams_that_are_refused_give_their_connections_back_and_say_why() -> None:
    """B172."""
    refused = Reply.of_json({"object": "error", "message": "slow", "type": "rate_limited", "code": "1300"}, 429)
    with serve(lambda _: refused) as server, LlmClient(MODEL, **options(server)) as client:
        for _ in range(50):
            error = client.stream(LlmRequest(contents="hi")).collect().error
            assert error is not None
            assert (error.kind, error.message, error.status) == ("rate_limit", "slow", 429)
        assert (len(server.requests), server.accepted) == (50, 1)


def test_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)
    with LlmClient(MODEL) as client:
        assert "MISTRAL_API_KEY" in (client.generate(LlmRequest(contents="hi")).error_message or "")
