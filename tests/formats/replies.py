"""Answers in one line, as the provider of each wire format sends them: words, and calls with their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

# A call: its id, its name, and its arguments as the provider puts them.
WireCall = tuple[Any, str, Any]


def openai_answer(message: Mapping[str, Any], finish: Any = "stop", **top: Any) -> dict[str, Any]:
    """Return an answer of OpenAI Chat Completions, and of Mistral."""
    whole = {"role": "assistant", "content": None, **message}
    choice = {"index": 0, "message": whole, "finish_reason": finish}
    return {"id": "r1", "object": "chat.completion", "model": "m", "choices": [choice], **top}


def anthropic_answer(content: Sequence[Any], stop: Any = "end_turn", **top: Any) -> dict[str, Any]:
    """Return an answer of Anthropic Messages."""
    whole = {"id": "r1", "type": "message", "role": "assistant", "model": "m", "content": list(content)}
    return {**whole, "stop_reason": stop, "usage": {"input_tokens": 1, "output_tokens": 2}, **top}


def _chat(text: str | None, calls: Sequence[WireCall], **top: Any) -> dict[str, Any]:
    return openai_answer({"content": text, **_functions(calls)}, **top)


def _functions(calls: Sequence[WireCall]) -> dict[str, Any]:
    wires = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls]
    return {"tool_calls": wires} if wires else {}


def _responses(text: str | None, calls: Sequence[WireCall], **top: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    message = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [said]}
    output: list[Any] = [] if text is None else [message]
    output += [{"type": "function_call", "call_id": i, "name": n, "arguments": a} for i, n, a in calls]
    return {"id": "r1", "object": "response", "model": "m", "status": "completed", "output": output, **top}


def _messages(text: str | None, calls: Sequence[WireCall], **top: Any) -> dict[str, Any]:
    blocks: list[Any] = [] if text is None else [{"type": "text", "text": text}]
    blocks += [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]
    return anthropic_answer(blocks, **top)


def _ollama(text: str | None, calls: Sequence[WireCall], **top: Any) -> dict[str, Any]:
    wires = [{"id": i, "function": {"name": n, "arguments": a}} for i, n, a in calls]
    message = {"role": "assistant", "content": text or "", **({"tool_calls": wires} if wires else {})}
    top.pop("id", None)  # the API gives its answers none
    return {"model": "m", "created_at": "t", "message": message, "done": True, "done_reason": "stop", **top}


def _gemini(text: str | None, calls: Sequence[WireCall], **top: Any) -> dict[str, Any]:
    parts: list[Any] = [] if text is None else [{"text": text}]
    parts += [{"functionCall": {"id": i, "name": n, "args": a}} for i, n, a in calls]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "modelVersion": "m", "responseId": top.pop("id", "r1"), **top}


def _cohere(text: str | None, calls: Sequence[WireCall], **top: Any) -> dict[str, Any]:
    content = {} if text is None else {"content": [{"type": "text", "text": text}]}
    message = {"role": "assistant", **content, **_functions(calls)}
    return {"id": "r1", "message": message, "finish_reason": "COMPLETE", **top}


def _bedrock(text: str | None, calls: Sequence[WireCall], **top: Any) -> dict[str, Any]:
    blocks: list[Any] = [] if text is None else [{"text": text}]
    blocks += [{"toolUse": {"toolUseId": i, "name": n, "input": a}} for i, n, a in calls]
    top.pop("id", None)  # as above
    return {"output": {"message": {"role": "assistant", "content": blocks}}, "stopReason": "end_turn", **top}


REPLIES: Mapping[str, Callable[..., dict[str, Any]]] = {
    "openai_chat": _chat,
    "openai_responses": _responses,
    "anthropic_messages": _messages,
    "mistral_chat": _chat,
    "ollama_chat": _ollama,
    "gemini_generate": _gemini,
    "cohere_chat": _cohere,
    "bedrock_converse": _bedrock,
}
