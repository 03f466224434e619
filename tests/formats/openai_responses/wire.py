"""Answers and events of the Responses API, in one line each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Event = dict[str, Any]

COUNTS = {
    "input_tokens": 12,
    "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 3},
    "total_tokens": 19,
}


def answer(*output: Any, status: str = "completed", **top: Any) -> dict[str, Any]:
    """Return a response object with these items."""
    whole = {"id": "resp_1", "object": "response", "model": "m", "status": status, "output": list(output)}
    return {**whole, "error": None, "incomplete_details": None, "usage": COUNTS, **top}


def text(words: str) -> dict[str, Any]:
    """Return a part with words of the model."""
    return {"type": "output_text", "text": words, "annotations": [], "logprobs": []}


def message(*parts: Any, item_id: str = "msg_1", status: str = "completed") -> dict[str, Any]:
    """Return a message of the model with these parts; a str is a text."""
    content = [text(part) if isinstance(part, str) else part for part in parts]
    return {"type": "message", "id": item_id, "role": "assistant", "status": status, "content": content}


def call(arguments: str = "{}", call_id: str = "call_1", name: str = "f", **rest: Any) -> dict[str, Any]:
    """Return a call of a function."""
    whole = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name}
    return {**whole, "arguments": arguments, "status": "completed", **rest}


def thought(*summary: str, **rest: Any) -> dict[str, Any]:
    """Return a thought with a summary."""
    paragraphs = [{"type": "summary_text", "text": words} for words in summary]
    return {"type": "reasoning", "id": "rs_1", "summary": paragraphs, **rest}


def event(name: str, index: int = 0, **fields: Any) -> Event:
    """Return an event about an item."""
    return {"type": f"response.{name}", "output_index": index, "item_id": f"item_{index}", **fields}


def state(name: str, response: dict[str, Any]) -> Event:
    """Return an event that holds the response."""
    return {"type": f"response.{name}", "response": response}


def added(item: dict[str, Any], index: int = 0) -> Event:
    """Return the event that an item has begun, before anything of it has come."""
    empty: dict[str, Any] = {"content": [], "summary": [], "arguments": "", "input": ""}
    begun = {**item, **{name: value for name, value in empty.items() if name in item}, "status": "in_progress"}
    return event("output_item.added", index, item=begun)


def done(item: dict[str, Any], index: int = 0) -> Event:
    """Return the event that an item is whole."""
    return event("output_item.done", index, item=item)


def words(pieces: Iterable[str], index: int = 0, part: int = 0) -> list[Event]:
    """Return the events of the pieces of a text."""
    return [event("output_text.delta", index, content_index=part, delta=piece, logprobs=[]) for piece in pieces]
