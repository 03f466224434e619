"""An assistant's content that is a text or a list of blocks, thoughts among them: items into it, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from triptych.content import Message, Reasoning
from triptych.parts import Part


def say(turn: Any, content: str | list[Any]) -> None:
    """Put words or blocks behind those that an assistant message has.

    Args:
        turn: The wire message.
        content: A text, or blocks.
    """
    had = turn.get("content")
    if had and content:
        turn["content"] = [*_blocks(had), *_blocks(content)]
    elif content:
        turn["content"] = content


def _blocks(content: str | list[Any]) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def read_spoken(
    content: Any, read_part: Callable[[Any], Part], read_thought: Callable[[Any], Reasoning]
) -> list[Message | Reasoning]:
    """Return the items that an assistant's content says: a thought each, and a message for the blocks between them.

    Args:
        content: A text, blocks, or null.
        read_part: Reads a block that is no thought.
        read_thought: Reads a block that is one.
    """
    if content is None or isinstance(content, str):
        return [Message("assistant", content)] if content else []
    items: list[Message | Reasoning] = []
    spoken: list[Part] = []
    for block in content:
        if isinstance(block, dict) and block.get("type") == "thinking":
            if spoken:
                items.append(Message("assistant", spoken))
                spoken = []
            items.append(read_thought(block))
        else:
            spoken.append(read_part(block))
    return [*items, Message("assistant", spoken)] if spoken else items
