"""What of a conversation the model is shown: functions from items to items, which compose by being taken in order.

Each makes a step out of its settings, and leaves the items that it is given as they are. A call and its result are kept
or left out together.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from attrs import evolve

from triptych.content import ContentItem, Message, Reasoning, ToolCall, ToolResult
from triptych.request import LlmRequest

if TYPE_CHECKING:
    from triptych.agent.prepare import Selection
    from triptych.client import LlmClient

_log = logging.getLogger("triptych")

CLEARED = "(an older result, left out)"
_SUMMARISE = (
    "Summarise the conversation for the one who has to go on with it: what is wanted, what was found out, what was "
    "decided, what is still to do. Keep names, numbers and file paths. Write nothing else."
)
_SUMMARY = "Summary of the conversation so far:\n"


def clear_tool_results(keep: int = 3, *, text: str = CLEARED) -> Selection:
    """Return a step that takes the content out of all tool results but the latest.

    Args:
        keep: How many results stay whole.
        text: What the model reads in place of the others.
    """

    def step(items: list[ContentItem]) -> list[ContentItem]:
        places = [place for place, item in enumerate(items) if isinstance(item, ToolResult)]
        cleared = set(places[: max(0, len(places) - keep)])
        return [_emptied(item, text) if place in cleared else item for place, item in enumerate(items)]

    return step


def _emptied(item: ContentItem, text: str) -> ContentItem:
    if not isinstance(item, ToolResult):
        return item
    return evolve(item, content=[text], payload=None, raw_response=None, provider_data=None, issuer=None)


def keep_turns(number: int) -> Selection:
    """Return a step that keeps the last turns: each a user's message with all that followed it. System text stays.

    Args:
        number: How many.
    """

    def step(items: list[ContentItem]) -> list[ContentItem]:
        start = _turn_start(items, number)
        return [item for item in items[:start] if _is_system(item)] + items[start:]

    return step


def _turn_start(items: list[ContentItem], number: int) -> int:
    """Return the place where the last `number` turns begin; 0 where there are no more than those."""
    starts = [place for place in range(len(items)) if _begins_turn(items, place)]
    return starts[-number] if 0 < number < len(starts) else 0 if number else len(items)


def _begins_turn(items: list[ContentItem], place: int) -> bool:
    """Return whether a user's turn begins at a place, and not just goes on."""
    return _is_user(items[place]) and (place == 0 or not _is_user(items[place - 1]))


def _is_user(item: ContentItem) -> bool:
    return getattr(item, "role", None) == "user"


def _is_system(item: ContentItem) -> bool:
    return getattr(item, "role", None) in ("system", "developer")


def inject(items: Iterable[ContentItem], *, where: Literal["start", "last_turn", "end"] = "end") -> Selection:
    """Return a step that adds items: at the start, before the last user's turn, or at the end.

    Args:
        items: What to add.
        where: The place.
    """
    added = list(items)

    def step(given: list[ContentItem]) -> list[ContentItem]:
        place = {"start": 0, "end": len(given)}.get(where, _turn_start(given, 1))
        return [*given[:place], *added, *given[place:]]

    return step


def summarise(client: LlmClient, *, keep: int = 2, above: int = 20, instructions: str = _SUMMARISE) -> Selection:
    """Return a step that puts a summary, made by a model, in place of all but the last turns.

    A summary is used again while the conversation grows, and taken into the next one. When the model does not answer,
    the items stay as they are, and a warning is logged. System text stays.

    Args:
        client: The model that is asked.
        keep: How many turns stay as they are.
        above: How many items are left before any are summarised.
        instructions: What the model is told.
    """
    summarised: list[ContentItem] = []  # what the last summary stands for
    summary: list[ContentItem] = []

    def step(items: list[ContentItem]) -> list[ContentItem]:
        start = _turn_start(items, keep)
        system = [item for item in items[:start] if _is_system(item)]
        head = [item for item in items[:start] if not _is_system(item)]
        before = summary if summarised and head[: len(summarised)] == summarised else []
        new = head[len(summarised) :] if before else head
        if len(new) > above:
            text = _asked(client, instructions, [*before, *new])
            if text is None:
                return items
            summarised[:], summary[:] = head, [Message("user", f"{_SUMMARY}{text}")]
            before, new = summary, []
        return [*system, *before, *new, *items[start:]]

    return step


def _asked(client: LlmClient, instructions: str, items: list[ContentItem]) -> str | None:
    response = client.generate(LlmRequest(instructions=[instructions], contents=[Message("user", _told(items))]))
    if response.error is None and response.text:
        return response.text
    _log.warning("a conversation was not summarised: %s", response.error_message or "the answer is empty")
    return None


def _told(items: list[ContentItem]) -> str:
    """Return a conversation as one text, for a model that reads it and does not take part."""
    lines = []
    for item in items:
        if isinstance(item, Message):
            lines.append(f"{item.role}: {item.text}")
        elif isinstance(item, ToolCall):
            lines.append(f"assistant calls {item.name} with {item.arguments}")
        elif isinstance(item, ToolResult):
            lines.append(f"{item.name or 'tool'} answers ({item.status}): {item.text}")
        elif not isinstance(item, Reasoning):
            lines.append(type(item).__name__)
    return "\n".join(lines)
