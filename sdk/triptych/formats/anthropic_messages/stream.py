"""Streams of Anthropic Messages: events to events of ours, and to the response that the same answer gives unstreamed.

The events are put together into the wire response that the API would have sent whole, and `response.py` reads that: so
the two ways of asking cannot disagree.
Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.errors import LlmError
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.formats.answering import put_together, text_of
from triptych.formats.anthropic_messages.response import ContentReader
from triptych.formats.pieces import merge, own, words
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.anthropic_messages import (
        ContentBlockDeltaEvent,
        ContentBlockStartEvent,
        MessageDeltaEvent,
    )
    from triptych_wire.anthropic_messages import (
        StreamEvent as WireEvent,
    )

# By type of delta: the field of the delta that holds a piece of text, and the field of the block that it goes on.
_PIECES: Mapping[str, tuple[str, str]] = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "input_json_delta": ("partial_json", "input"),
}


class BlockPieces:
    """One content block as it grows.

    Args:
        start: The block as its first event has it.
        call: Which of the answer's tool calls it is; None for another block.
    """

    def __init__(self, start: Mapping[str, Any], call: int | None) -> None:
        self.call = call
        self.closed = False
        self._block = own(start)
        self._texts: dict[str, list[str]] = {}
        self._citations: list[Any] = []

    def add(self, delta: Any) -> StreamEvent | None:
        """Take the next piece; return the event that it makes, if it makes one."""
        kind = delta["type"]
        if kind in _PIECES:
            said, grows = _PIECES[kind]
            piece = words(delta, said)
            self._texts.setdefault(grows, []).append(piece)
            return self._event(kind, piece)
        if kind == "citations_delta":
            self._citations.append(delta["citation"])
            return None
        merge(self._block, {name: value for name, value in delta.items() if name != "type"})
        return None if kind == "compaction_delta" else ProviderEvent(delta)

    def _event(self, kind: str, piece: str) -> StreamEvent | None:
        if not piece:
            return None
        if kind == "text_delta":
            return TextDelta(piece)
        if kind == "thinking_delta":
            return ReasoningDelta(piece)
        if kind == "input_json_delta" and self.call is not None:
            return self._called(piece, self.call)
        return None

    def _called(self, piece: str, call: int) -> ToolCallDelta:
        return ToolCallDelta(text_of(self._block.get("id")), words(self._block, "name"), piece, call)

    def close(self) -> list[StreamEvent]:
        """Note that the block is whole; return the arguments of a call whose first event had them all."""
        self.closed = True
        given = self._block.get("input")
        if self.call is None or not given or any(self._texts.get("input", ())):
            return []
        text = given if isinstance(given, str) else jsontext.encode_text(given)
        return [self._called(text, self.call)]

    def wire(self) -> Any:
        """Return the block as it would stand in a whole answer; input that is no JSON stays text."""
        block = dict(self._block)
        if self._citations:
            block["citations"] = [*(block.get("citations") or []), *self._citations]
        for name, pieces in self._texts.items():
            text = "".join(pieces)
            if name != "input":
                block[name] = (block.get(name) or "") + text
            elif text:  # the input of the first event is a placeholder then
                block[name] = _decoded(text)
        return block


def _decoded(text: str) -> Any:
    try:
        return jsontext.decode(text)
    except ValueError:
        return text


class MessageStreamParser:
    """Turns the events of one stream into events of ours and a response; see `StreamParser`.

    Args:
        parse: Reads a whole wire response.
        read_error: Reads an error event.
        reader: Makes what reads the parts of the answer, given its id.
    """

    def __init__(
        self,
        parse: Callable[[Any], LlmResponse],
        read_error: Callable[[Mapping[str, Any]], LlmError],
        reader: Callable[[str | None], ContentReader],
    ) -> None:
        self._parse = parse
        self._read_error = read_error
        self._make_reader = reader
        self._body: dict[str, Any] = {}
        self._blocks: list[BlockPieces] = []  # in the order in which they began
        self._open: dict[int | None, BlockPieces] = {}  # by index: hosts use one again, or send none
        self._calls = 0
        self._done = 0  # blocks that have been read as items
        self._reader: ContentReader | None = None
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
        if "type" not in event:
            return self._untyped(event)
        if event["type"] == "content_block_delta":
            return self._grow(event)
        if event["type"] == "content_block_start":
            return self._start(event)
        if event["type"] == "content_block_stop":
            return self._stop(event.get("index"))
        if event["type"] == "message_delta":
            self._amend(event)
        elif event["type"] == "message_start":
            self._body = own(event["message"])
        elif event["type"] == "message_stop":
            self.ended = True
            return self._finished()
        elif event["type"] == "error":
            self.error = self._read_error(event)
        elif event["type"] != "ping":
            return [ProviderEvent(event)]
        return []

    def _untyped(self, event: Mapping[str, Any]) -> list[StreamEvent]:
        if event.get("error"):  # a gateway's own
            self.error = self._read_error(event)
            return []
        return [ProviderEvent(event)]

    def _start(self, event: ContentBlockStartEvent) -> list[StreamEvent]:
        block = event["content_block"]
        call = self._calls if block["type"] == "tool_use" else None
        self._calls += call is not None
        index = event.get("index")
        before = self._stop(index) if index in self._open else []  # its end was not told
        self._open[index] = BlockPieces(block, call)
        self._blocks.append(self._open[index])
        if block["type"] == "text" and block.get("text"):
            return [*before, TextDelta(words(block, "text"))]
        if block["type"] == "tool_use":
            return [*before, ToolCallDelta(text_of(block.get("id")), words(block, "name"), "", self._calls - 1)]
        return before

    def _grow(self, event: ContentBlockDeltaEvent) -> list[StreamEvent]:
        block = self._open.get(event.get("index"))
        if block is None:
            return [ProviderEvent(event)]  # of a block that never began
        made = block.add(event["delta"])
        return [] if made is None else [made]

    def _stop(self, index: int | None) -> list[StreamEvent]:
        """Close a block; return the items that are whole now."""
        events: list[StreamEvent] = []
        block = self._open.pop(index, None)
        if block is not None:
            events += block.close()
        if self._reader is None:
            self._reader = self._make_reader(text_of(self._body.get("id")))
        while self._done < len(self._blocks) and self._blocks[self._done].closed:
            events += [ItemDone(item) for item in self._reader.add(self._blocks[self._done].wire())]
            self._done += 1
        return events

    def _finished(self) -> list[StreamEvent]:
        """Close what is open at the end of the message; return the last items."""
        events = [event for index in list(self._open) for event in self._stop(index)]
        return events if self._reader is None else [*events, *map(ItemDone, self._reader.finish())]

    def _amend(self, event: MessageDeltaEvent) -> None:
        self._body.update(event.get("delta") or {})
        rest = {name: value for name, value in event.items() if name not in ("type", "delta", "usage")}
        merge(self._body, rest)
        counts: Any = event.get("usage")
        if isinstance(counts, dict):
            said: Any = self._body.get("usage") or {}
            # Cumulative: the later count replaces the earlier, but for hosts that send an empty one.
            later = {name: value for name, value in counts.items() if value or not said.get(name)}
            self._body["usage"] = {**said, **later}

    @put_together
    def finish(self, error: LlmError | None) -> LlmResponse:
        """Return the response; with an error, what is whole is its content and the rest is in the error."""
        response = self._parse({**self._body, "content": [block.wire() for block in self._blocks if block.closed]})
        if error is not None:
            rest = [block.wire() for block in self._blocks if not block.closed]
            response.error = error.evolve(partial=self._parse({"content": rest}).content)
            response.error_message = error.message
        return response
