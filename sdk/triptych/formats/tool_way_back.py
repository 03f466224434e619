"""The way back of an answer's calls: the names and arguments of the program's tools, whole and streamed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from triptych.content import ContentItem, ToolCall
from triptych.errors import LlmError
from triptych.events import ItemDone, StreamEvent, ToolCallDelta
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych.dialects import Adapted, NameMap
    from triptych.formats import StreamParser, WireBody


@frozen
class WayBack:
    """Turns the calls of an answer into those of the program's tools."""

    _names: NameMap | None
    _tools: Mapping[str, Adapted | None] = field(factory=dict)

    def name(self, wire: str) -> str:
        """Return the tool's own name."""
        return wire if self._names is None else self._names.from_wire(wire)

    def item(self, item: ContentItem) -> ContentItem:
        """Return an item as the program's tools have it."""
        if not isinstance(item, ToolCall):
            return item
        name = self.name(item.name)
        adapted = self._tools.get(name)
        arguments = item.arguments if adapted is None or item.malformed else adapted.restore(item.arguments)
        if name == item.name and arguments == item.arguments:
            return item
        raw = item.raw_arguments if arguments == item.arguments else None
        return evolve(item, name=name, arguments=arguments if isinstance(arguments, dict) else {}, raw_arguments=raw)

    def response(self, response: LlmResponse) -> LlmResponse:
        """Return a response, changed in place, whose calls are those of the program's tools."""
        response.content = [self.item(item) for item in response.content]
        if response.error is not None and response.error.partial:
            response.error = response.error.evolve(partial=tuple(self.item(item) for item in response.error.partial))
        return response

    def event(self, event: StreamEvent) -> StreamEvent:
        """Return an event whose call is one of the program's tools'; pieces of arguments stay as they came."""
        if isinstance(event, ToolCallDelta) and event.name:
            return evolve(event, name=self.name(event.name))
        return ItemDone(self.item(event.item)) if isinstance(event, ItemDone) else event


class TurningParser:
    """A stream's parser whose events and response go the way back.

    Args:
        parser: The format's parser, whose response has gone it already.
        way: The way back.
    """

    def __init__(self, parser: StreamParser, way: WayBack) -> None:
        self._parser = parser
        self._way = way

    @property
    def error(self) -> LlmError | None:
        """What the provider says has failed, once it has said so."""
        return self._parser.error

    @property
    def ended(self) -> bool:
        """Whether the answer is whole."""
        return self._parser.ended

    @property
    def closed(self) -> bool:
        """Whether the end of the answer has come."""
        return self._parser.closed

    def end_marker(self) -> None:
        """Take a `[DONE]`."""
        self._parser.end_marker()

    def feed(self, event: WireBody) -> list[StreamEvent]:
        """Return the events that a wire event makes."""
        return [self._way.event(each) for each in self._parser.feed(event)]

    def finish(self, error: LlmError | None) -> LlmResponse:
        """Return the response."""
        return self._way.response(self._parser.finish(error))
