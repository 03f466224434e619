"""A user of Bedrock with a bearer key: whole answers and streams through the client, over a real socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.chat_hosts import Ask, both_ways
from tests.framing.aws_frames import frame
from tests.servers.script import Reply, ScriptedServer, in_turn, serve
from triptych import LlmClient, LlmRequest, LlmResponse, aio
from triptych.content import ContentItem, Message, Reasoning, ToolCall, ToolResult
from triptych.events import ItemDone, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.parts import Issuer
from triptych.tools import BaseTool
from triptych.usage import Usage

NAME = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
MODEL = f"bedrock/{NAME}"
PATH = "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0"
OWN = Issuer("bedrock_converse", "bedrock")
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "seal"}}}
USE = {"toolUse": {"toolUseId": "tooluse_a", "name": "add", "input": {"a": 2, "b": 3}}}
COUNTS = {"inputTokens": 12, "outputTokens": 7, "totalTokens": 19}
WHOLE: dict[str, Any] = {
    "output": {"message": {"role": "assistant", "content": [THOUGHT, {"text": "Let me add."}, USE]}},
    "stopReason": "tool_use",
    "usage": COUNTS,
    "metrics": {"latencyMs": 5},
}
ITEMS: list[ContentItem] = [
    Reasoning("hm", signature="seal", issuer=OWN),
    Message("assistant", "Let me add."),
    ToolCall("tooluse_a", "add", {"a": 2, "b": 3}),
]
ADD = BaseTool("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}})
QUESTION = LlmRequest("Be brief.", "What is 2 + 3?", tools=[ADD])


def event(name: str, kind: str = "event", **payload: Any) -> bytes:
    """Return a frame of the stream."""
    headers = {f":{kind}-type": name, ":content-type": "application/json", ":message-type": kind}
    return frame(headers, json.dumps(payload).encode())


def delta(index: int, **said: Any) -> bytes:
    return event("contentBlockDelta", contentBlockIndex=index, delta=said, p="abcdef")


FRAMES = [
    event("messageStart", role="assistant", p="ab"),
    delta(0, reasoningContent={"text": "hm"}),
    delta(0, reasoningContent={"signature": "seal"}),
    event("contentBlockStop", contentBlockIndex=0),
    delta(1, text="Let "),
    delta(1, text="me add."),
    event("contentBlockStop", contentBlockIndex=1),
    event("contentBlockStart", contentBlockIndex=2, start={"toolUse": {"toolUseId": "tooluse_a", "name": "add"}}),
    delta(2, toolUse={"input": '{"a": 2, '}),
    delta(2, toolUse={"input": '"b": 3}'}),
    event("contentBlockStop", contentBlockIndex=2),
    event("messageStop", stopReason="tool_use"),
    event("metadata", usage=COUNTS, metrics={"latencyMs": 5}),
]


def streamed(*frames: bytes) -> Reply:
    """Return a reply of these frames, cut anywhere."""
    body = b"".join(frames)
    pieces = [body[start : start + 50] for start in range(0, len(body), 50)]
    return Reply(headers={"Content-Type": "application/vnd.amazon.eventstream"}, body=pieces)


def stream_blocking(server: ScriptedServer, **options: Any) -> tuple[list[StreamEvent], LlmResponse]:
    client = LlmClient(MODEL, base_url=server.url, api_key="K", retries=0, **options)
    with client, client.stream(QUESTION) as stream:
        return list(stream), stream.response


def stream_awaiting(server: ScriptedServer, **options: Any) -> tuple[list[StreamEvent], LlmResponse]:
    async def read() -> tuple[list[StreamEvent], LlmResponse]:
        client = aio.LlmClient(MODEL, base_url=server.url, api_key="K", retries=0, **options)
        async with client, client.stream(QUESTION) as stream:
            events = [event async for event in stream]
            return events, await stream.collect()

    return asyncio.run(read())


both_streams = pytest.mark.parametrize("read", [stream_blocking, stream_awaiting], ids=["sync", "async"])


@both_ways
def test_an_answer_and_the_turn_after_it(ask: Ask) -> None:
    last = {**WHOLE, "output": {"message": {"role": "assistant", "content": [{"text": "5"}]}}, "stopReason": "end_turn"}
    options: dict[str, Any] = {"api_key": "K", "retries": 0}
    with serve(in_turn(Reply.of_json(WHOLE), Reply.of_json(last))) as server:
        first = ask(MODEL, QUESTION, base_url=server.url, temperature=0, max_tokens=64, **options)
        history = [Message("user", "What is 2 + 3?"), *first.content, ToolResult("tooluse_a", content=[5])]
        second = ask(MODEL, LlmRequest(contents=history, tools=[ADD]), base_url=server.url, **options)
        [one, two] = server.requests
    assert first.content == ITEMS
    assert (first.finish_reason, first.usage, first.provider) == ("tool_calls", Usage(12, 7), "bedrock")
    assert (second.text, second.notices, second.error) == ("5", (), None)
    assert (one.path, one.headers["authorization"]) == (f"{PATH}/converse", "Bearer K")
    tools = [{"toolSpec": {"name": "add", "description": "Adds.", "inputSchema": {"json": ADD.parameters}}}]
    assert one.json() == {
        "messages": [{"role": "user", "content": [{"text": "What is 2 + 3?"}]}],
        "system": [{"text": "Be brief."}],
        "inferenceConfig": {"maxTokens": 64, "temperature": 0},
        "toolConfig": {"tools": tools},
    }
    assert two.json() == {
        "messages": [
            {"role": "user", "content": [{"text": "What is 2 + 3?"}]},
            {"role": "assistant", "content": [THOUGHT, {"text": "Let me add."}, USE]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "tooluse_a", "content": [{"text": "5"}]}}]},
        ],
        "toolConfig": {"tools": tools},
    }


@both_streams
def test_a_stream_is_the_answer_piece_by_piece(read: Any) -> None:
    with serve(streamed(*FRAMES)) as server:
        events, response = read(server)
        sent = server.requests[0]
    assert events == [
        ReasoningDelta("hm"),
        ItemDone(ITEMS[0]),
        TextDelta("Let "),
        TextDelta("me add."),
        ToolCallDelta("tooluse_a", "add", ""),
        ToolCallDelta("tooluse_a", "add", '{"a": 2, '),
        ToolCallDelta("tooluse_a", "add", '"b": 3}'),
        *map(ItemDone, ITEMS[1:]),
    ]
    with serve(Reply.of_json(WHOLE)) as server:
        assert response == LlmClient(MODEL, base_url=server.url, api_key="K").generate(QUESTION)
    assert (sent.path, sent.headers["authorization"]) == (f"{PATH}/converse-stream", "Bearer K")


@both_streams
@pytest.mark.parametrize("end", [0, 6, 10], ids=["nothing", "words", "a call"])
def test_a_stream_that_ends_too_early_is_interrupted(read: Any, end: int) -> None:
    """B115, B123."""
    with serve(streamed(*FRAMES[:end])) as server:
        _, response = read(server)
    assert response.error.kind == "stream_interrupted"
    assert response.tool_calls == []


@both_streams
def test_a_stream_that_is_cut_inside_a_frame_is_interrupted_and_says_where(read: Any) -> None:
    with serve(streamed(*FRAMES[:6], FRAMES[6][:-9])) as server:
        _, response = read(server)
    assert (response.error.kind, response.error.code) == ("stream_interrupted", "bad_framing")
    assert "ends inside the frame at byte" in response.error_message
    assert (response.content, response.error.partial) == (ITEMS[:1], (ITEMS[1],))


@both_streams
def test_broken_frames_are_an_interruption_and_what_came_before_them_is_kept(read: Any) -> None:
    broken = FRAMES[6][:-2] + b"??"
    with serve(streamed(*FRAMES[:6], broken, *FRAMES[7:])) as server:
        _, response = read(server)
    assert (response.error.kind, response.error.code) == ("stream_interrupted", "bad_framing")
    assert (response.content, response.error.partial) == (ITEMS[:1], (ITEMS[1],))


@both_streams
def test_an_answer_whose_words_are_whole_is_whole_though_its_costs_are_cut_off(read: Any) -> None:
    with serve(streamed(*FRAMES[:-1], FRAMES[-1][:-9])) as server:
        _, response = read(server)
    assert (response.content, response.error, response.usage) == (ITEMS, None, None)


@both_streams
def test_an_exception_in_a_stream_is_its_error_and_keeps_what_came_before(read: Any) -> None:
    """B129."""
    fault = event("throttlingException", "exception", message="Too many requests")
    with serve(streamed(*FRAMES[:6], fault)) as server:
        _, response = read(server)
    assert (response.error.kind, response.error_message) == ("rate_limit", "Too many requests")
    assert (response.content, response.error.partial) == (ITEMS[:1], (ITEMS[1],))


@both_streams
def test_a_stream_that_was_refused_says_why(read: Any) -> None:
    headers = {"x-amzn-errortype": "AccessDeniedException:http://internal.amazon.com/", "x-amzn-requestid": "r"}
    with serve(Reply.of_json({"message": "no access to the model"}, 403, headers)) as server:
        events, response = read(server)
    assert (events, response.error.kind, response.error.request_id) == ([], "permission", "r")


@both_ways
def test_a_conversation_that_cannot_be_said_is_not_sent_and_not_tried_again(ask: Ask) -> None:
    """B004."""
    with serve(Reply.of_json(WHOLE)) as server:
        response = ask(MODEL, LlmRequest(contents=[Message("user", " ")]), base_url=server.url, api_key="K", retries=2)
        assert server.requests == []
    assert response.error is not None
    assert (response.error.kind, response.error.retryable) == ("invalid_request", False)
