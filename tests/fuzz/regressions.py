"""Inputs that once brought out what they should not: each with its target, and what it was."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from tests.fuzz.wire_formats import AS_IT_IS

_AS_IT_IS = bytes([AS_IT_IS])


class Found(NamedTuple):
    """One of them.

    Args:
        what: What was wrong.
        target: The name of its target.
        data: The input.
    """

    what: str
    target: str
    data: bytes


def _answer(name: str, answer: Any, what: str) -> Found:
    return Found(what, f"answer-{name}", b"\0" + _AS_IT_IS + json.dumps(answer).encode())


def _stream(name: str, events: list[Any], what: str) -> Found:
    return Found(what, f"stream-{name}", b"\0\0" + _AS_IT_IS + json.dumps(events).encode())


def _cut_stream(name: str, events: list[Any], what: str) -> Found:
    return Found(what, f"stream-{name}", b"\1\0" + _AS_IT_IS + json.dumps(events).encode())


def _request(name: str, target: int, body: Any, what: str) -> Found:
    return Found(what, f"request-{name}", bytes([target]) + _AS_IT_IS + json.dumps(body).encode())


def _error(name: str, body: Any, what: str) -> Found:
    return Found(what, f"error-{name}", b"\2\0" + _AS_IT_IS + json.dumps(body).encode())


def _headers(headers: str, what: str) -> Found:
    return Found(what, "headers", b"\0" + _AS_IT_IS + headers.encode())


def _chunk(**choice: Any) -> dict[str, Any]:
    return {"id": "r", "choices": [choice]}


def _parts(*parts: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}}]}


def _piece(path: Any, **value: Any) -> dict[str, Any]:
    return _parts({"functionCall": {"name": "f", "partialArgs": [{"jsonPath": path, **value}], "willContinue": True}})


def _block(start: Any, *deltas: Any) -> list[Any]:
    opened = {"type": "content_block_start", "index": 0, "content_block": start}
    return [opened, *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas)]


def _said(**delta: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}}


def _converse(output: Any) -> dict[str, Any]:
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    return {"output": output, "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 5}}


_HUGE = 10**9
_THOUGHT = {"role": "assistant", "content": [{"reasoningContent": {"a": 1}}]}
_COUNTS = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
_TOP = {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "usage": _COUNTS}
_UNSAID = {**_TOP, "choices": [{"index": 0, "finish_reason": "stop"}]}
_CALL = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}
_WORDS = {"type": "response.output_text.delta", "item_id": "m", "delta": "a"}

REGRESSIONS: tuple[Found, ...] = (
    _stream("openai_chat", [_chunk(index=0, delta={}), _chunk(index="1", delta={})], "choices out of order"),
    _stream(
        "openai_chat",
        [_chunk(delta={"tool_calls": [_CALL]}), _chunk(delta={"tool_calls": [{**_CALL, "index": {}}]})],
        "calls out of order",
    ),
    _stream("openai_chat", [_chunk(delta={"tool_calls": [{**_CALL, "id": 5}]})], "an id that is none"),
    _stream("mistral_chat", [_chunk(delta={"content": [[]]})], "a block that is none"),
    _stream(
        "mistral_chat", [_chunk(delta={"content": [{"type": "thinking", "thinking": [[]]}]})], "a part that is none"
    ),
    _stream("anthropic_messages", [{"type": "message_start", "message": "ab"}], "a message that is a text"),
    _stream(
        "anthropic_messages", _block({"type": "text"}, {"type": "text_delta", "text": {"a": 1}}), "words that are none"
    ),
    _cut_stream(
        "anthropic_messages", _block({"type": "text", "text": 5}, {"type": "text_delta", "text": "a"}), "a start of 5"
    ),
    _stream("gemini_generate", [_parts({"text": "a"}), {"candidates": [{"index": "1"}]}], "candidates out of order"),
    _stream("gemini_generate", [_piece(5, stringValue="a")], "a path that is none"),
    _stream("gemini_generate", [_piece("$.a", stringValue={})], "a piece that is none"),
    _cut_stream(
        "gemini_generate", [_piece("$.a[0]", numberValue=1), _piece("$.a.b", stringValue="a")], "a path into a list"
    ),
    _stream("gemini_generate", [_piece(f"$.a[{_HUGE}]", numberValue=1)], "a list of 8 GB"),
    _stream("gemini_generate", [_parts({"functionCall": {"willContinue": True}})], "a call without a name"),
    _stream("openai_responses", [{**_WORDS, "content_index": _HUGE}], "a message of a billion parts"),
    _stream("openai_responses", [{**_WORDS, "content_index": -5}], "the part before the first"),
    _cut_stream(
        "cohere_chat", [{"type": "content-delta", "delta": {"message": {"content": {"type": [1]}}}}], "no type"
    ),
    _stream("cohere_chat", [{"type": "message-start", "delta": {"message": "ab"}}], "a message that is a text"),
    _stream("bedrock_converse", [_said(text="a"), _said(text={"b": 1})], "words that are none"),
    _stream(
        "bedrock_converse", [_said(reasoningContent={"text": "a"}), _said(reasoningContent={"text": [1]})], "no thought"
    ),
    _cut_stream("bedrock_converse", [_said(reasoningContent={"redactedContent": [1]})] * 2, "data that is none"),
    _answer("bedrock_converse", _converse({"message": _THOUGHT}), "a thought of a new form"),
    _answer("bedrock_converse", _converse({"other": {}}), "an output of a new form"),
    _answer("cohere_chat", {"message": {"role": "assistant", "tool_calls": [{"id": "c"}]}}, "a call of nothing"),
    _answer("mistral_chat", _UNSAID, "a choice without a message"),
    _answer("gemini_generate", _parts({"functionCall": {}}), "a call without a name"),
    _error("gemini_generate", {"error": {"details": [{"reason": []}]}}, "a reason that is none"),
    _request("openai_chat", 5, {"model": [], "messages": [{"role": "user", "content": "a"}]}, "a model that is none"),
    _headers("retry-after: a\ndate: Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "a year beyond a C integer"),
    _headers("retry-after: Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "a year beyond a C integer"),
    _headers("x-ratelimit-reset: 2026-10-21T07:28:00Z\ndate: Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "and so"),
    _headers(f"x-ratelimit-reset: {'9' * 400}", "no end of a wait"),
)
