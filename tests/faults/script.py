"""One answer as a stream: its wire events, what each of them yields, and what it has come to by then."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import Factory, field, frozen

from tests.chat_hosts import ChatHost
from tests.faults.wires import SSE, Wire
from tests.servers.script import Reply
from triptych import Usage
from triptych.content import ContentItem
from triptych.events import ItemDone, StreamEvent
from triptych.response import LlmResponse


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


@frozen
class Told:
    """An error that the format has in a stream, and what a program is told of it.

    Args:
        type: The provider's name for it.
        kind: Its kind.
        status: The HTTP status that it stands for, where the event says one.
        code: The code that is told; by default the provider's name.
    """

    type: str
    kind: str
    status: int | None = None
    code: str | None = field(default=Factory(lambda self: self.type, takes_self=True))


@frozen(eq=False)
class Script:
    """The answer of one format.

    Args:
        host: Who speaks the format.
        steps: Its events in order.
        stages: The places to break off at, by name.
        content: What the answer says.
        raw_finish_reason: Why the model stopped, in the format's own word.
        usage: What it cost.
        opening_usage: What is known of that from the first event on.
        model: The model that the host names; None where it names none.
        id: The answer's id; None where it has none.
        fault: Makes an error event of a type and a message.
        passing: An error that may pass.
        refusing: One that will not; None where the format cannot tell them apart.
        whole_at: By stage, where the answer is whole before its last event: what is known of its cost there.
        wire: What its events are framed by.
    """

    host: ChatHost
    steps: tuple[Step, ...]
    stages: Mapping[str, Stage]
    content: tuple[ContentItem, ...]
    raw_finish_reason: str
    usage: Usage
    opening_usage: Usage | None
    model: str | None
    id: str | None
    fault: Callable[[str, str], bytes]
    passing: Told
    refusing: Told | None
    whole_at: Mapping[str, Usage | None] = field(factory=dict)
    wire: Wire = SSE

    @property
    def name(self) -> str:
        """What the script is called."""
        return self.provider if self.wire is SSE else f"{self.provider}-{self.wire.name}"

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self.host.provider

    def error(self, message: str = "no more") -> bytes:
        """Return the event of an error that may pass."""
        return self.fault(self.passing.type, message)

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
        return Reply(headers=self.wire.headers, body=self.sent() if pieces is None else pieces, **options)

    def response(self, *usage: Usage | None) -> LlmResponse:
        """Return what the whole answer comes to, with this usage where it is given."""
        return LlmResponse(
            content=list(self.content),
            usage=usage[0] if usage else self.usage,
            finish_reason="tool_calls",
            raw_finish_reason=self.raw_finish_reason,
            model=self.model,
            id=self.id,
            provider=self.provider,
        )

    def _until(self, stage: str | None) -> tuple[Step, ...]:
        return self.steps if stage is None else self.steps[: self.stages[stage].steps]
