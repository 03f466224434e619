"""Tool results on the APIs that take less than a result may be: no word of whether it failed, and no media."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from triptych.content import Message, ToolResult
from triptych.parts import Part, Text

_FAILED = "Error:"


def failure_in_words(item: ToolResult) -> ToolResult:
    """Return a result whose words say that it failed, where it did and they do not begin so by themselves."""
    if item.status != "error":
        return item
    first = item.content[0] if item.content else ""
    text = first.text if isinstance(first, Text) else first
    if not isinstance(text, str):
        return evolve(item, content=[_FAILED, *item.content])
    if text.lstrip().lower().startswith("error"):
        return item
    said = f"{_FAILED} {text}".rstrip()
    return evolve(item, content=[evolve(first, text=said) if isinstance(first, Text) else said, *item.content[1:]])


def announcement(name: str) -> str:
    """Return the words before media that a result cannot hold, in the user's turn after the results.

    Args:
        name: The tool's name, or the id of the call where that is unknown.
    """
    return f"Part of the result of {name}:"


def shown_after(item: ToolResult, media: Sequence[Part]) -> Message:
    """Return a user's message that shows media of a result, for the place after the results."""
    return Message("user", [Text(announcement(item.name or item.tool_call_id)), *media])
