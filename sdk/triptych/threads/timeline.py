"""What the rules of compression look at: a thread's turns, and its tool exchanges with their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attrs import field, frozen

from triptych.content import ContentItem, ToolCall, ToolResult
from triptych.threads.thread import Thread
from triptych.threads.turn import Turn

# The index of a turn in the thread, and of an item in the turn's original.
Place: TypeAlias = tuple[int, int]


@frozen(eq=False)
class Exchange:
    """A tool call with what it came to; two are the same when they are one object.

    Args:
        call: The call.
        results: Its result, and any that repeats it.
        places: Where they are, the call first.
    """

    call: ToolCall
    results: tuple[ToolResult, ...]
    places: tuple[Place, ...]

    @property
    def succeeded(self) -> bool:
        """Whether the tool did what it was asked to."""
        return all(result.status == "success" for result in self.results)

    @property
    def end(self) -> Place:
        """The place of the last result."""
        return self.places[-1]


@frozen(eq=False)
class Timeline:
    """A thread as it was said, with what compression has to know of it.

    Args:
        turns: The turns.
        exchanges: The calls that have a result, in order. A call whose id is that of another one which was waiting at
            the same time is not among them: which result is whose is not known.
        tasks: For each turn, how many user turns there were up to it, itself included.
    """

    turns: tuple[Turn, ...] = field()
    exchanges: tuple[Exchange, ...] = field()
    tasks: tuple[int, ...] = field()

    @classmethod
    def of(cls, thread: Thread) -> Timeline:
        """Return the timeline of a thread."""
        tasks: list[int] = []
        for turn in thread.turns:
            tasks.append((tasks[-1] if tasks else 0) + (turn.role == "user"))
        return cls(thread.turns, tuple(_exchanges(thread)), tuple(tasks))

    def item(self, place: Place) -> ContentItem:
        """Return the item at a place."""
        return self.turns[place[0]].original[place[1]]

    def items(self) -> Iterator[tuple[Place, ContentItem]]:
        """Yield every item with its place."""
        return _placed(self.turns)


def _placed(turns: tuple[Turn, ...]) -> Iterator[tuple[Place, ContentItem]]:
    for number, turn in enumerate(turns):
        for index, item in enumerate(turn.original):
            yield (number, index), item


def _exchanges(thread: Thread) -> list[Exchange]:
    calls: list[tuple[ToolCall, list[Place]]] = []
    latest: dict[str, list[Place]] = {}  # the places of the latest call of an id, and of its results
    unclear: set[str] = set()
    for place, item in _placed(thread.turns):
        if isinstance(item, ToolCall):
            if len(latest.get(item.tool_call_id, ())) == 1:  # still waiting for its result
                unclear.add(item.tool_call_id)
            latest[item.tool_call_id] = [place]
            calls.append((item, latest[item.tool_call_id]))
        elif isinstance(item, ToolResult) and item.tool_call_id in latest:
            latest[item.tool_call_id].append(place)
    return [
        Exchange(call, tuple(_results(thread, places)), tuple(places))
        for call, places in calls
        if len(places) > 1 and call.tool_call_id not in unclear
    ]


def _results(thread: Thread, places: list[Place]) -> Iterator[ToolResult]:
    for turn, index in places[1:]:
        item = thread.turns[turn].original[index]
        if isinstance(item, ToolResult):
            yield item
