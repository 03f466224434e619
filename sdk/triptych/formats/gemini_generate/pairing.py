"""Tool calls and their results: the API demands that the turn after calls answers each of them, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, field

from triptych.content import ContentItem, ToolCall, ToolResult

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
    """Return the pairs of a conversation: a result answers the first call of its id before it that waits for one."""
    pairs = Pairs()
    waiting: dict[str, list[int]] = {}
    for place, item in items:
        if isinstance(item, ToolCall):
            waiting.setdefault(item.tool_call_id, []).append(place)
        elif isinstance(item, ToolResult) and waiting.get(item.tool_call_id):
            pairs.results[waiting[item.tool_call_id].pop(0)] = (place, item)
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
