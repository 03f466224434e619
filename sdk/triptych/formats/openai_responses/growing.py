"""One item of an answer of OpenAI Responses as it grows in a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.events import ProviderEvent, ReasoningDelta, RefusalDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.formats.answering import text_of
from triptych.formats.openai_responses.calls import CALLS
from triptych.formats.pieces import number, own, words

# By event, without "response." before it and ".delta" or ".done" behind: the field that a piece of the item goes into,
# the list of the item that this is a field of an element of, the type of such an element, the field of the event that
# says which element, and the field of the last event that has the whole.
Place = tuple[str, str | None, str, str, str]
PLACES: Mapping[str, Place] = {
    "output_text": ("text", "content", "output_text", "content_index", "text"),
    "refusal": ("refusal", "content", "refusal", "content_index", "refusal"),
    "reasoning_text": ("text", "content", "reasoning_text", "content_index", "text"),
    "reasoning_summary_text": ("text", "summary", "summary_text", "summary_index", "text"),
    "function_call_arguments": ("arguments", None, "function_call", "", "arguments"),
    "custom_tool_call_input": ("input", None, "custom_tool_call", "", "input"),
}
# How many numbers of parts a host may leave out: what it left out is made up, so it is no more than this at a time.
_MOST_LEFT_OUT = 16
# What an element that is begun by its words alone has beside them.
_BEGUN: Mapping[str, Mapping[str, Any]] = {"output_text": {"annotations": [], "logprobs": []}}
_ITEMS: Mapping[str, Mapping[str, Any]] = {
    "output_text": {"type": "message", "role": "assistant", "content": []},
    "refusal": {"type": "message", "role": "assistant", "content": []},
    "reasoning_text": {"type": "reasoning", "summary": [], "content": []},
    "reasoning_summary_text": {"type": "reasoning", "summary": []},
}


def begun(kind: str, item_id: object) -> dict[str, Any] | None:
    """Return the item that a piece of words begins where no event began it; None where it cannot be known."""
    item = _ITEMS.get(kind)
    return None if item is None else own({**item, **({"id": item_id} if item_id else {})})


class GrowingItem:
    """One item as it grows.

    Args:
        start: The item as its first event has it.
        call: Which of the answer's calls it is; None for another item.
    """

    def __init__(self, start: Mapping[str, Any], call: int | None) -> None:
        self.call = call
        self.closed = False
        self._item = own(start)
        self._texts: dict[tuple[str | None, int, str], list[str]] = {}

    def add(self, kind: str, event: Mapping[str, Any]) -> list[StreamEvent]:
        """Take the next piece of words; return the event that it makes."""
        piece = event.get("delta")
        if not isinstance(piece, str):
            return [ProviderEvent(event)]
        place = PLACES[kind]
        self._pieces(place, event).append(piece)
        if place[1] is not None and event.get("logprobs"):
            element = self._element(place, event)
            element["logprobs"] = [*(element.get("logprobs") or []), *event["logprobs"]]
        return self._said(kind, piece)

    def complete(self, kind: str, event: Mapping[str, Any]) -> list[StreamEvent]:
        """Take words that are whole; return the event that they make where they did not come in pieces."""
        place = PLACES[kind]
        whole = event.get(place[4])
        pieces = self._pieces(place, event)
        if not isinstance(whole, str) or pieces:
            return []
        pieces.append(whole)
        return self._said(kind, whole)

    def _said(self, kind: str, piece: str) -> list[StreamEvent]:
        if not piece:
            return []
        if kind == "output_text":
            return [TextDelta(piece)]
        if kind == "refusal":
            return [RefusalDelta(piece)]
        if self.call is None:
            return [ReasoningDelta(piece)]
        return [self.called(piece)]

    def called(self, piece: str) -> ToolCallDelta:
        """Return the event of a piece of a call's arguments."""
        item = self._item
        return ToolCallDelta(text_of(item.get("call_id")), words(item, "name"), piece, self.call or 0)

    def _pieces(self, place: Place, event: Mapping[str, Any]) -> list[str]:
        field, within, _, says, _ = place
        if within is not None:
            self._element(place, event)
        return self._texts.setdefault((within, number(event, says), field), [])

    def _element(self, place: Place, event: Mapping[str, Any]) -> Any:
        """Return the element of a list of the item that an event is about; it is begun where no event began it."""
        field, within, kind, says, _ = place
        elements = self._item.get(within)
        if not isinstance(elements, list):
            elements = self._item[within] = []
        index = number(event, says)
        if not 0 <= index <= len(elements) + _MOST_LEFT_OUT:
            raise ValueError(f"{says}: expected the place of a part, got {index} where {len(elements)} came before")
        while len(elements) <= index:
            elements.append(own({"type": kind, field: "", **_BEGUN.get(kind, {})}))
        return elements[index]

    def part(self, within: str, index: int, part: Mapping[str, Any]) -> None:
        """Take an element of one of the item's lists as its first or its last event has it."""
        element = self._element(("text", within, str(part.get("type")), "index", ""), {"index": index})
        element.update(own(part))

    def annotate(self, event: Mapping[str, Any]) -> None:
        """Take something that a part of the text refers to."""
        element = self._element(PLACES["output_text"], event)
        element["annotations"] = [*(element.get("annotations") or []), event["annotation"]]

    def close(self, item: Mapping[str, Any]) -> list[StreamEvent]:
        """Take the item as it is in the end; return the words of it that had not come in pieces."""
        self.closed = True
        came = any(self._texts.values())
        streamed = self.wire()
        self._texts.clear()
        self._item = filled(item, streamed)
        return [] if came else self._words()

    def is_told_by(self, item: Mapping[str, Any]) -> bool:
        """Return whether an account of an item is of this one."""
        return all(self._item.get(name) == item.get(name) for name in ("type", "id", "call_id"))

    def _words(self) -> list[StreamEvent]:
        if self.call is not None:
            words = self._item.get("arguments") or self._item.get("input")
            return [self.called(words)] if isinstance(words, str) and words else []
        events: list[StreamEvent] = []
        parts = [*(self._item.get("summary") or []), *(self._item.get("content") or [])]
        for part in parts if self._item.get("type") in ("message", "reasoning") else []:
            kind = "reasoning_text" if self._item["type"] == "reasoning" else part.get("type")
            words = part.get("refusal") if kind == "refusal" else part.get("text")
            if kind in PLACES and isinstance(words, str):
                events += self._said(kind, words)
        return events

    def wire(self) -> Any:
        """Return the item as far as it has come."""
        item: dict[str, Any] = own(self._item)
        for (within, index, field), pieces in self._texts.items():
            text = "".join(pieces)
            if within is None:
                item[field] = text
            elif text:
                item[within][index] = {**item[within][index], field: text}
        return item


def is_call(item: Mapping[str, Any]) -> bool:
    """Return whether an item is a call that the caller answers."""
    return item.get("type") in CALLS


def filled(item: Mapping[str, Any], streamed: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item as it is in the end, with what it lacks taken from what was streamed: hosts do not say all twice.

    Args:
        item: The item as its last event has it; empty where there was none.
        streamed: The item as its pieces make it.
    """
    said = {name: value for name, value in item.items() if value or not streamed.get(name)}
    kept = {name: value for name, value in streamed.items() if name != "status"}
    if not item and "status" in streamed:
        said["status"] = "completed"
    return {**kept, **said}
