"""Streams of one text, thought or call in as many pieces as a test gives, in every wire format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from tests.formats.openai_responses.wire import event, state
from tests.formats.streams import DONE, Wire
from triptych import formats

KINDS = ("text", "thought", "arguments")
# Calls come whole, but for Vertex AI where it is asked for their arguments in pieces.
_WHOLE_CALLS = ("ollama_chat", "gemini_generate")
# Each wire format with each kind of item that it sends in pieces.
STREAMED = [
    (name, kind)
    for name, kind in product(formats.names(), KINDS)
    if (name, kind) not in product(_WHOLE_CALLS, KINDS[2:])
]


def long_stream(name: str, kind: str, pieces: list[str]) -> list[Wire]:
    """Return a whole stream of one item.

    Args:
        name: The wire format.
        kind: What the item is, one of `KINDS`.
        pieces: What it says, of a call the text of its arguments.
    """
    return _STREAMS[name](kind, pieces)


def _chat(kind: str, pieces: list[str]) -> list[Wire]:
    return _chunks(kind, [{"reasoning_content": piece} for piece in pieces] if kind == "thought" else [], pieces)


def _mistral(kind: str, pieces: list[str]) -> list[Wire]:
    blocks = [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]} for piece in pieces]
    return _chunks(kind, [{"content": [block]} for block in blocks] if kind == "thought" else [], pieces)


def _chunks(kind: str, thoughts: list[Any], pieces: list[str]) -> list[Wire]:
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
    deltas: list[Any] = thoughts
    if kind == "text":
        deltas = [{"content": piece} for piece in pieces]
    elif kind == "arguments":
        grown = [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces]
        deltas = [{"tool_calls": [call]}, *grown]
    chunks = [{"id": "r1", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return [*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, DONE]


def _messages(kind: str, pieces: list[str]) -> list[Wire]:
    block, delta, said = {
        "text": ({"type": "text", "text": ""}, "text_delta", "text"),
        "thought": ({"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking"),
        "arguments": ({"type": "tool_use", "id": "c", "name": "f", "input": {}}, "input_json_delta", "partial_json"),
    }[kind]
    grown = [{"type": "content_block_delta", "index": 0, "delta": {"type": delta, said: piece}} for piece in pieces]
    return [
        {"type": "message_start", "message": {"id": "r1", "model": "m", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *grown,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]


def _responses(kind: str, pieces: list[str]) -> list[Wire]:
    whole = "".join(pieces)
    part: dict[str, Any]
    if kind == "arguments":
        item: dict[str, Any] = {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": whole}
        begun = {**item, "arguments": ""}
        grown = [event("function_call_arguments.delta", 0, delta=piece) for piece in pieces]
        grown.append(event("function_call_arguments.done", 0, arguments=whole))
    else:
        form, part = "output_text", {"type": "output_text", "text": whole, "annotations": [], "logprobs": []}
        item = {"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": [part]}
        if kind == "thought":
            form, part = "reasoning_text", {"type": "reasoning_text", "text": whole}
            item = {"type": "reasoning", "id": "i", "summary": [], "content": [part]}
        begun = {**item, "content": []}
        grown = [event("content_part.added", 0, content_index=0, part={**part, "text": ""})]
        grown += [event(f"{form}.delta", 0, content_index=0, delta=piece) for piece in pieces]
        grown.append(event(f"{form}.done", 0, content_index=0, text=whole))
    last = {
        "id": "r1",
        "model": "m",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "output": [item],
    }
    return [
        state("created", {**last, "status": "in_progress", "output": []}),
        event("output_item.added", 0, item=begun),
        *grown,
        event("output_item.done", 0, item=item),
        state("completed", last),
    ]


def _lines(kind: str, pieces: list[str]) -> list[Wire]:
    field = "thinking" if kind == "thought" else "content"
    said = [{"role": "assistant", "content": "", field: piece} for piece in pieces]
    lines = [{"model": "m", "message": message, "done": False} for message in said]
    return [
        *lines,
        {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"},
    ]


def _candidates(kind: str, pieces: list[str]) -> list[Wire]:
    mark = {"thought": True} if kind == "thought" else {}
    contents = [{"role": "model", "parts": [{"text": piece, **mark}]} for piece in pieces]
    top = {"responseId": "r1", "modelVersion": "m"}
    chunks = [{"candidates": [{"content": content, "index": 0}], **top} for content in contents]
    return [*chunks, {"candidates": [{"content": {"role": "model"}, "index": 0, "finishReason": "STOP"}], **top}]


def _cohere(kind: str, pieces: list[str]) -> list[Wire]:
    def told(step: str, **message: Any) -> Wire:
        return {"type": step, "index": 0, "delta": {"message": message}}

    if kind == "arguments":
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
        grown = [told("tool-call-delta", tool_calls={"function": {"arguments": piece}}) for piece in pieces]
        said = [told("tool-call-start", tool_calls=call), *grown, {"type": "tool-call-end", "index": 0}]
    else:
        field = "thinking" if kind == "thought" else "text"
        grown = [told("content-delta", content={field: piece}) for piece in pieces]
        start = told("content-start", content={"type": field, field: ""})
        said = [start, *grown, {"type": "content-end", "index": 0}]
    return [
        {"type": "message-start", "id": "r1", "delta": {"message": {"role": "assistant"}}},
        *said,
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
    ]


def _bedrock(kind: str, pieces: list[str]) -> list[Wire]:
    made: Callable[[str], Any] = {
        "text": lambda piece: {"text": piece},
        "thought": lambda piece: {"reasoningContent": {"text": piece}},
        "arguments": lambda piece: {"toolUse": {"input": piece}},
    }[kind]
    start = {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "c", "name": "f"}}}
    return [
        {"messageStart": {"role": "assistant"}},
        *([{"contentBlockStart": start}] if kind == "arguments" else []),
        *({"contentBlockDelta": {"contentBlockIndex": 0, "delta": made(piece)}} for piece in pieces),
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"messageStop": {"stopReason": "end_turn"}},
        {"metadata": {"usage": {"inputTokens": 1, "outputTokens": 1}}},
    ]


_STREAMS: Mapping[str, Callable[[str, list[str]], list[Wire]]] = {
    "openai_chat": _chat,
    "openai_responses": _responses,
    "anthropic_messages": _messages,
    "mistral_chat": _mistral,
    "ollama_chat": _lines,
    "gemini_generate": _candidates,
    "cohere_chat": _cohere,
    "bedrock_converse": _bedrock,
}
