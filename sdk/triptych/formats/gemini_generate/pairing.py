"""Tool calls and their results: the API demands that the turn after calls answers each of them, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, field

from triptych.content import ContentItem, Message, ToolCall, ToolResult
from triptych.formats.turns import WaitingCalls

UNANSWERED = "No result: this call was not answered."


@define
class Pairs:
    """Which result of a conversation answers which call, by their places in it.

    Args:
        results: By place of a call: place of its result, and the result.
        answering: Places of the results that answer a call.
    """

    results: dict[int, tuple[int, ToolResult]] = field(factory=dict)
    answering: set[int] = field(factory=set)


def paired(items: Iterable[tuple[int, ContentItem]]) -> Pairs:
    """Return the pairs of a conversation; of calls with one id, see `WaitingCalls`."""
    pairs = Pairs()
    waiting: WaitingCalls[int] = WaitingCalls()
    for place, item in items:
        if isinstance(item, ToolCall):
            waiting.called(item.tool_call_id, place)
        elif isinstance(item, Message) and item.role == "user":
            waiting.spoken()
        elif isinstance(item, ToolResult) and (called := waiting.answered(item.tool_call_id)) is not None:
            pairs.results[called] = (place, item)
            pairs.answering.add(place)
    return pairs


def run_end(items: Sequence[tuple[int, ContentItem]], start: int) -> int:
    """Return the place of the first item from `start` on that is no tool result.

    Args:
        items: The items with their places.
        start: Where in `items` to begin.
    """
    for place, item in items[start:]:
        if not isinstance(item, ToolResult):
            return place
    return items[-1][0] + 1 if items else 0
