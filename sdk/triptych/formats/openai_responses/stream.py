"""Streams of OpenAI Responses: events to events of ours, and to the response that the same answer gives unstreamed.

The events are put together into the wire response that the API would have sent whole, and `response.py` reads that: so
the two ways of asking cannot disagree. The last event has the whole response; some hosts leave the items out of it.
Reference: https://developers.openai.com/api/reference/resources/responses/streaming-events
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych.errors import LlmError
from triptych.events import ItemDone, ProviderEvent, StreamEvent
from triptych.formats.answering import put_together, text_of
from triptych.formats.openai_responses.growing import PLACES, GrowingItem, begun, is_call
from triptych.formats.openai_responses.response import OutputReader
from triptych.formats.pieces import number
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.openai_responses import StreamEvent as WireEvent

_PREFIX = "response."
# Events that hold the response so far, and those after which nothing comes.
_STATES = frozenset({"created", "queued", "in_progress"})
_ENDS = frozenset({"completed", "incomplete"})
_FAILURES = frozenset({"failed", "cancelled"})
# By event: the list of the item that the part belongs to, and the field of the event that says its place.
_PARTS = {
    "content_part": ("content", "content_index"),
    "reasoning_summary_part": ("summary", "summary_index"),
}


class ResponseStreamParser:
    """Turns the events of one stream into events of ours and a response; see `StreamParser`.

    Args:
        parse: Reads a whole wire response.
        read_error: Reads an error event, or a response that failed.
        reader: Makes what reads the parts of the answer, given its id.
    """

    def __init__(
        self,
        parse: Callable[[Any], LlmResponse],
        read_error: Callable[[Mapping[str, Any]], LlmError],
        reader: Callable[[str | None], OutputReader],
    ) -> None:
        self._parse = parse
        self._read_error = read_error
        self._make_reader = reader
        self._body: dict[str, Any] = {}
        self._items: list[GrowingItem] = []  # in the order in which they began
        self._named: dict[object, GrowingItem] = {}  # by place or id: the last one of that name
        self._calls = 0
        self._done = 0  # items that have been told
        self._reader: OutputReader | None = None
        self.ended = False
        self.error: LlmError | None = None

    @property
    def closed(self) -> bool:
        """Whether the end of the answer has come: the API's last event."""
        return self.ended

    def end_marker(self) -> None:
        """Take a gateway's `[DONE]`: the API has an end of its own, so it says nothing here."""

    def feed(self, event: WireEvent) -> list[StreamEvent]:
        """Return the events that a wire event makes."""
        given: Mapping[str, Any] = event
        name = str(given.get("type") or "").removeprefix(_PREFIX)
        kind, _, step = name.rpartition(".")
        if kind in PLACES and step in ("delta", "done"):
            return self._grow(kind, step, given)
        if name in _STATES:
            self._body = {**self._body, **given["response"]}
            return []
        if kind == "output_item":
            return self._item(step, given)
        if kind in _PARTS:
            return self._part(kind, given)
        if name in _ENDS:
            return self._end(given["response"])
        if name in _FAILURES:
            self._body = {**self._body, **given["response"]}
            self.error = self._read_error(given["response"])
            return []
        if name == "error" or (not name and given.get("error")):
            self.error = self._read_error(given)
            return []
        if name == "output_text.annotation.added" and _key(given) in self._named:
            self._named[_key(given)].annotate(given)
        return [] if name == "ping" else [ProviderEvent(given)]

    def _grow(self, kind: str, step: str, event: Mapping[str, Any]) -> list[StreamEvent]:
        item = self._named.get(_key(event))
        if item is None:
            start = begun(kind, event.get("item_id"))
            if start is None:
                return [ProviderEvent(event)]  # of a call that never began
            item = self._begin(_key(event), start)
        if item.closed:
            return []  # told again after its end
        return item.add(kind, event) if step == "delta" else item.complete(kind, event)

    def _begin(self, key: object, item: Mapping[str, Any]) -> GrowingItem:
        call = self._calls if is_call(item) else None
        self._calls += call is not None
        self._named[key] = GrowingItem(item, call)
        self._items.append(self._named[key])
        return self._named[key]

    def _item(self, step: str, event: Mapping[str, Any]) -> list[StreamEvent]:
        key, wire = _key(event), event["item"]
        events: list[StreamEvent] = []
        item = self._named.get(key)
        if item is not None and item.closed and step == "done" and item.is_told_by(wire):
            return []  # told again
        if item is None or item.closed:
            item = self._begin(key, wire)
            if item.call is not None:
                events.append(item.called(""))
        if step != "done":
            return events
        return [*events, *item.close(wire), *self._told()]

    def _part(self, kind: str, event: Mapping[str, Any]) -> list[StreamEvent]:
        within, says = _PARTS[kind]
        item = self._named.get(_key(event))
        if item is None and (start := begun(str(event["part"].get("type")), event.get("item_id"))) is not None:
            item = self._begin(_key(event), start)
        if item is None:
            return [ProviderEvent(event)]
        if not item.closed:
            item.part(within, number(event, says), event["part"])
        return []

    def _told(self) -> list[StreamEvent]:
        """Return the items that are whole now, as far as all before them are."""
        if self._reader is None:
            self._reader = self._make_reader(text_of(self._body.get("id")))
        events: list[StreamEvent] = []
        for item in self._items[self._done :]:
            if not item.closed:
                break
            events += [ItemDone(made) for made in self._reader.add(item.wire())]
            self._done += 1
        return events

    def _end(self, response: Mapping[str, Any]) -> list[StreamEvent]:
        """Take the whole response; return the words and items of it that had not come."""
        self.ended = True
        events: list[StreamEvent] = []
        growing = list(self._items)
        output = response.get("output") or []
        for index, wire in enumerate(output):
            if index >= len(growing):
                item = self._begin(("end", index), wire)
                events += item.close(wire)
            elif not growing[index].closed:
                events += growing[index].close(wire)
        for item in growing[len(output) :]:
            if not item.closed:
                events += item.close({})
        self._body = {**self._body, **response}
        return [*events, *self._told()]

    @put_together
    def finish(self, error: LlmError | None) -> LlmResponse:
        """Return the response; with an error, what is whole is its content and the rest is in the error."""
        closed = [item.wire() for item in self._items if item.closed]
        response = self._parse({**self._body, "output": closed})
        if error is not None:
            rest = [item.wire() for item in self._items if not item.closed]
            response.error = error.evolve(partial=self._parse({"output": rest}).content)
            response.error_message = error.message
            if response.finish_reason == "unknown":
                response.raw_finish_reason = None  # that it was in progress is no reason why it ended
        return response


def _key(event: Mapping[str, Any]) -> object:
    """Return what tells the item that an event is about from others: its place, or its id where a host has no place."""
    index = event.get("output_index")
    if index is not None:
        return index
    item = event.get("item")
    return (item.get("id") or item.get("call_id")) if isinstance(item, dict) else event.get("item_id")
