"""A user of Gemini: whole answers and streams through the client, blocking and awaited, over a real socket."""

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

MODEL = "gemini-3-flash-preview"
OWN = Issuer("gemini_generate", "gemini")
CALL = {"functionCall": {"name": "add", "args": {"a": 2, "b": 3}, "id": "x1"}, "thoughtSignature": "c2ln"}
PARTS = [{"text": "hm", "thought": True}, {"text": "Let me add."}, CALL]
COUNTS = {"promptTokenCount": 12, "candidatesTokenCount": 5, "thoughtsTokenCount": 2, "totalTokenCount": 19}
TOP = {"usageMetadata": COUNTS, "modelVersion": "gemini-3-flash-preview", "responseId": "r1"}


def said(*parts: Any, **more: Any) -> dict[str, Any]:
    """Return a piece of an answer with these parts."""
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}]}


WHOLE = {**said(*PARTS, finishReason="STOP"), **TOP}
CHUNKS = [
    said(PARTS[0]),
    said({"text": "Let "}),
    said({"text": "me add."}),
    said(CALL),
    {**said({"text": ""}, finishReason="STOP"), **TOP},
]
ITEMS: list[ContentItem] = [
    Reasoning("hm", issuer=OWN),
    Message("assistant", "Let me add."),
    ToolCall(
        "x1",
        "add",
        {"a": 2, "b": 3},
        provider_data={"functionCall": {"id": "x1"}, "thoughtSignature": "c2ln"},
        issuer=OWN,
    ),
]
ADD = BaseTool("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}})
QUESTION = LlmRequest("Be brief.", "What is 2 + 3?", tools=[ADD])
SENT = {
    "contents": [{"role": "user", "parts": [{"text": "What is 2 + 3?"}]}],
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "tools": [
        {
            "functionDeclarations": [
                {"name": "add", "description": "Adds.", "parametersJsonSchema": ADD.parameters},
            ]
        }
    ],
}


def events_of(*chunks: Any) -> Reply:
    """Return a reply of server-sent events, cut in the middle of each."""
    return cut("text/event-stream", b"".join(b"data: " + json.dumps(chunk).encode() + b"\r\n\r\n" for chunk in chunks))


def array_of(*chunks: Any) -> Reply:
    """Return a reply of one array, as the API sends without `alt=sse`."""
    return cut("application/json", json.dumps(list(chunks), indent=2).encode())


def cut(kind: str, body: bytes) -> Reply:
    """Return a reply whose body comes in pieces."""
    return Reply(headers={"Content-Type": kind}, body=[body[at : at + 50] for at in range(0, len(body), 50)])


def stream_blocking(server: ScriptedServer) -> tuple[list[StreamEvent], LlmResponse]:
    options: Any = {"base_url": server.url + "/v1beta", "api_key": "K", "retries": 0}
    with LlmClient(MODEL, **options) as client, client.stream(QUESTION) as stream:
        return list(stream), stream.response


def stream_awaiting(server: ScriptedServer) -> tuple[list[StreamEvent], LlmResponse]:
    async def read() -> tuple[list[StreamEvent], LlmResponse]:
        client = aio.LlmClient(MODEL, base_url=server.url + "/v1beta", api_key="K", retries=0)
        async with client, client.stream(QUESTION) as stream:
            events = [event async for event in stream]
            return events, await stream.collect()

    return asyncio.run(read())


both_streams = pytest.mark.parametrize("read", [stream_blocking, stream_awaiting], ids=["sync", "async"])


@both_ways
def test_an_answer_and_the_turn_after_it(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the model alone says whose it is; either variable may hold the key."""
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.setenv("GOOGLE_API_KEY", "K")
    answer = {**said({"text": "5"}, finishReason="STOP"), **TOP}
    with serve(in_turn(Reply.of_json(WHOLE), Reply.of_json(answer))) as server:
        url = server.url + "/v1beta"
        first = ask(MODEL, QUESTION, base_url=url, retries=0, temperature=0, max_tokens=64)
        history = [Message("user", "What is 2 + 3?"), *first.content, ToolResult("x1", content=[5])]
        second = ask(MODEL, LlmRequest(contents=history), base_url=url, retries=0, reasoning="low")
        [one, two] = server.requests
    assert first.content == ITEMS
    assert (first.finish_reason, first.usage, first.provider) == ("tool_calls", Usage(12, 7, 0, 0, 2), "gemini")
    assert (second.text, second.notices, second.error) == ("5", (), None)
    assert (one.path, one.headers["x-goog-api-key"]) == (f"/v1beta/models/{MODEL}:generateContent", "K")
    assert "authorization" not in one.headers
    assert one.json() == {**SENT, "generationConfig": {"temperature": 0, "maxOutputTokens": 64}}
    result = {"functionResponse": {"id": "x1", "name": "add", "response": {"output": 5}}}
    assert two.json() == {
        "contents": [*SENT["contents"], {"role": "model", "parts": PARTS}, {"role": "user", "parts": [result]}],
        "generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": "low"}},
    }


@both_streams
@pytest.mark.parametrize("reply", [events_of(*CHUNKS), array_of(*CHUNKS)], ids=["events", "array"])
def test_a_stream_is_the_answer_piece_by_piece(read: Any, reply: Reply) -> None:
    with serve(reply) as server:
        events, response = read(server)
        sent = server.requests[0]
    assert events == [
        ReasoningDelta("hm"),
        TextDelta("Let "),
        TextDelta("me add."),
        ToolCallDelta("x1", "add", '{"a":2,"b":3}'),
        *map(ItemDone, ITEMS),
    ]
    with serve(Reply.of_json(WHOLE)) as server:
        url = server.url + "/v1beta"
        assert response == LlmClient(MODEL, base_url=url, api_key="K").generate(QUESTION)
    assert sent.path == f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"
    assert sent.json() == SENT


@both_streams
@pytest.mark.parametrize("form", [events_of, array_of])
def test_an_error_in_a_stream_keeps_what_came_before(read: Any, form: Any) -> None:
    failure = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    with serve(form(*CHUNKS[:3], failure)) as server:
        events, response = read(server)
    assert events == [ReasoningDelta("hm"), TextDelta("Let "), TextDelta("me add."), ItemDone(ITEMS[0])]
    assert (response.error.kind, response.error_message) == ("overloaded", "The model is overloaded.")
    assert (response.content, response.error.partial) == (ITEMS[:1], (ITEMS[1],))


@both_streams
@pytest.mark.parametrize("chunks", [[], CHUNKS[:4]], ids=["empty", "cut"])
def test_a_stream_without_a_finish_reason_is_interrupted(read: Any, chunks: list[Any]) -> None:
    """B115: an empty stream is no empty answer."""
    with serve(events_of(*chunks)) as server:
        _, response = read(server)
    assert response.error.kind == "stream_interrupted"
    assert response.content == (ITEMS if chunks else [])


@both_streams
def test_a_stream_that_was_refused_says_why(read: Any) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    body = {"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT", "details": details}}
    with serve(Reply.of_json([body], 400)) as server:
        events, response = read(server)
    assert (events, response.error.kind, response.error_message) == ([], "authentication", "API key not valid.")


@both_streams
def test_a_whole_answer_in_place_of_a_stream_is_read(read: Any) -> None:
    with serve(Reply.of_json(WHOLE)) as server:
        _, response = read(server)
    assert (response.content, response.error) == (ITEMS, None)
