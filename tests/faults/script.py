"""One answer as a stream: its wire events, what each of them yields, and what it has come to by then."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from tests.chat_hosts import ChatHost
from tests.servers.script import Reply
from triptych import Usage
from triptych.content import ContentItem
from triptych.events import ItemDone, StreamEvent
from triptych.response import LlmResponse

EVENT_STREAM = {"Content-Type": "text/event-stream"}


@frozen
class Step:
    """One event on the wire.

    Args:
        sent: Its bytes, with the blank line that ends it.
        yields: The events that it makes of itself alone.
    """

    sent: bytes
    yields: tuple[StreamEvent, ...] = ()


@frozen
class Stage:
    """A place in the middle of the stream.

    Args:
        steps: How many events were sent until here.
        content: The items that are whole here.
        partial: What was unfinished.
    """

    steps: int
    content: tuple[ContentItem, ...] = ()
    partial: tuple[ContentItem, ...] = ()


@frozen(eq=False)
class Script:
    """The answer of one format.

    Args:
        host: Who speaks the format.
        steps: Its events in order.
        stages: The places to break off at, by name.
        content: What the answer says.
        end: The event that says that nothing follows.
        raw_finish_reason: Why the model stopped, in the format's own word.
        usage: What it cost.
        opening_usage: What is known of that from the first event on.
        model: The model that the host names.
        id: The answer's id.
    """

    host: ChatHost
    steps: tuple[Step, ...]
    stages: Mapping[str, Stage]
    content: tuple[ContentItem, ...]
    raw_finish_reason: str
    usage: Usage
    opening_usage: Usage | None
    model: str
    id: str

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self.host.model.partition("/")[0]

    def sent(self, stage: str | None = None) -> list[bytes]:
        """Return the bytes of each event until a stage; until the end without one."""
        return [step.sent for step in self._until(stage)]

    def yields(self, stage: str | None = None) -> list[StreamEvent]:
        """Return the events that a client yields for what was sent until a stage; at the end items that are whole."""
        events = [event for step in self._until(stage) for event in step.yields]
        told = sum(isinstance(event, ItemDone) for event in events)
        content = self.content if stage is None else self.stages[stage].content
        return [*events, *map(ItemDone, content[told:])]

    def reply(self, pieces: Iterable[bytes] | None = None, **options: Any) -> Reply:
        """Return a reply of status 200 that sends these pieces, by default all, one by one."""
        return Reply(headers=EVENT_STREAM, body=self.sent() if pieces is None else pieces, **options)

    def response(self) -> LlmResponse:
        """Return what the whole answer comes to."""
        return LlmResponse(
            content=list(self.content),
            usage=self.usage,
            finish_reason="tool_calls",
            raw_finish_reason=self.raw_finish_reason,
            model=self.model,
            id=self.id,
            provider=self.provider,
        )

    def _until(self, stage: str | None) -> tuple[Step, ...]:
        return self.steps if stage is None else self.steps[: self.stages[stage].steps]


def event(data: object, name: str | None = None) -> bytes:
    """Return the bytes of one event whose data is this value as JSON."""
    head = "" if name is None else f"event: {name}\n"
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
