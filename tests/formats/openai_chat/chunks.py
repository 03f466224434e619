"""Chunks and streams of OpenAI Chat Completions in one line."""

from __future__ import annotations

from typing import Any

from tests.formats.bodies import OPENAI
from tests.formats.streams import DONE, Played, played


def chunk(delta: Any = None, finish: Any = None, index: int = 0, **top: Any) -> dict[str, Any]:
    """Return a chunk with one delta."""
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"id": "r1", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **top}


def stream(*deltas: Any, finish: Any = "stop") -> Played:
    """Return what a whole stream of deltas comes to."""
    return played(OPENAI, [*map(chunk, deltas), chunk({}, finish), DONE])


def piece(arguments: str | None = None, **rest: Any) -> dict[str, Any]:
    """Return a piece of a call; what is None is left out."""
    name = rest.pop("name", None)
    said = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {**rest, "function": said}
