"""What has happened in one run of an agent: its events in order, and the state that its steps share."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from attrs import define, field, frozen

from triptych.checks import is_a, list_of, shown
from triptych.content import ITEM_TYPES, ContentItem, Message


def _items(value: object) -> object:
    if isinstance(value, str):
        return [Message("user", value)]
    if isinstance(value, ITEM_TYPES):
        return [value]
    return list(value) if isinstance(value, (list, tuple)) else value


def _now() -> datetime:
    return datetime.now(UTC)


def _check_aware(instance: object, attribute: object, value: object) -> None:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise TypeError(f"Event.timestamp: expected a datetime with a time zone, got {shown(value)}")


@frozen
class Event:
    """Something that was said or done, by somebody, at one moment.

    Args:
        author: Who: "user", the agent's name, a tool's.
        content: The items; one item is taken as a list of one, and a str is a message of the user's.
        timestamp: When, with a time zone; now by default.
    """

    author: str = field(validator=is_a(str))
    content: list[ContentItem] = field(converter=_items, validator=list_of(*ITEM_TYPES))
    timestamp: datetime = field(factory=_now, validator=_check_aware)


@define
class ExecutionContext:
    """One run of an agent.

    Args:
        events: What has happened, in order.
        state: What the steps share; the model never sees it.
        current_step: How many times the model has been asked.
        final_result: What the run came to, once it has.
    """

    events: list[Event] = field(factory=list, validator=list_of(Event))
    state: dict[str, Any] = field(factory=dict, validator=is_a(dict))
    current_step: int = field(default=0, validator=is_a(int))
    final_result: Any = None

    def add(self, author: str, content: str | ContentItem | Iterable[ContentItem]) -> Event:
        """Append an event that happens now, and return it.

        Args:
            author: Who.
            content: The items; a str is a message of the user's.
        """
        event = Event(author, content if isinstance(content, (str, *ITEM_TYPES)) else list(content))
        self.events.append(event)
        return event

    @property
    def contents(self) -> list[ContentItem]:
        """The items of all events, in order: a conversation."""
        return [item for event in self.events for item in event.content]
