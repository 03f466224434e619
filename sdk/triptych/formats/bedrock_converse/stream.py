"""Streams of Bedrock Converse: events to events of ours, and to the response that the same answer gives unstreamed.

The events are put together into the wire response that the API would have sent whole, and `response.py` reads that: so
the two ways of asking cannot disagree.
Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych.errors import LlmError
from triptych.events import ItemDone, ProviderEvent, StreamEvent
from triptych.formats import Call
from triptych.formats.answering import put_together
from triptych.formats.bedrock_converse.block_pieces import BlockPieces
from triptych.formats.bedrock_converse.response import ContentReader
from triptych.formats.pieces import merge
from triptych.parts import Issuer
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.bedrock_converse import ContentBlockDeltaEvent, ContentBlockStartEvent
    from triptych_wire.bedrock_converse import StreamEvent as WireEvent

_PADDING = "p"  # hides the length of the words


class ConverseStreamParser:
    """Turns the events of one stream into events of ours and a response; see `StreamParser`.

    Args:
        parse: Reads a whole wire response.
        read_error: Reads the exception that an event says, or an error object.
        call: What was asked; None where that is not known.
        issuer: Whose stream it is.
    """

    def __init__(
        self,
        parse: Callable[[Any], LlmResponse],
        read_error: Callable[[Mapping[str, Any]], LlmError],
        call: Call | None,
        issuer: Issuer,
    ) -> None:
        self._parse = parse
        self._read_error = read_error
        self._reader = ContentReader(call, issuer)
        self._body: dict[str, Any] = {}
        self._blocks: list[BlockPieces] = []  # in the order in which they began
        self._open: dict[int, BlockPieces] = {}  # by index
        self._calls = 0
        self._done = 0  # blocks that have been read as items
        self._costs_told = False
        self.ended = False
        self.error: LlmError | None = None

    @property
    def closed(self) -> bool:
        """Whether the end of the answer has come: what it cost comes after its last words."""
        return self.ended and self._costs_told

    def end_marker(self) -> None:
        """Take a gateway's `[DONE]`: the API has an end of its own, so it says nothing here."""

    def feed(self, event: WireEvent) -> list[StreamEvent]:
        """Return the events that a wire event makes."""
        if "contentBlockDelta" in event:
            return self._grow(event["contentBlockDelta"])
        if "contentBlockStart" in event:
            return self._start(event["contentBlockStart"])
        if "contentBlockStop" in event:
            return self._stop(event["contentBlockStop"]["contentBlockIndex"])
        if "messageStop" in event:
            self._amend(event["messageStop"])
            self.ended = True
            return self._finished()
        if "metadata" in event:
            self._amend(event["metadata"])
            self._costs_told = True
        elif "messageStart" not in event:
            return self._other(event)
        return []

    def _other(self, event: Mapping[str, Any]) -> list[StreamEvent]:
        if "error" in event or any(name.endswith("Exception") for name in event):
            self.error = self._read_error(event)
            return []
        return [ProviderEvent(event)]

    def _begin(self, index: int, start: Mapping[str, Any]) -> BlockPieces:
        block = self._open[index] = BlockPieces(start, self._calls)
        self._calls += block.call is not None
        self._blocks.append(block)
        return block

    def _start(self, event: ContentBlockStartEvent) -> list[StreamEvent]:
        index = event["contentBlockIndex"]
        before = self._stop(index) if index in self._open else []  # its end was not told
        return [*before, *self._begin(index, event["start"]).begin()]

    def _grow(self, event: ContentBlockDeltaEvent) -> list[StreamEvent]:
        index = event["contentBlockIndex"]
        block = self._open.get(index) or self._begin(index, {})  # words have no start of their own
        made = block.add(event["delta"])
        return [] if made is None else [made]

    def _stop(self, index: int) -> list[StreamEvent]:
        """Close a block; return the items that are whole now."""
        block = self._open.pop(index, None)
        if block is not None:
            block.closed = True
        events: list[StreamEvent] = []
        while self._done < len(self._blocks) and self._blocks[self._done].closed:
            events += map(ItemDone, self._reader.add(self._blocks[self._done].wire()))
            self._done += 1
        return events

    def _finished(self) -> list[StreamEvent]:
        """Close what is open at the end of the message; return the last items."""
        events = [event for index in list(self._open) for event in self._stop(index)]
        return [*events, *map(ItemDone, self._reader.finish())]

    def _amend(self, said: Mapping[str, Any]) -> None:
        merge(self._body, {name: value for name, value in said.items() if name != _PADDING})

    @put_together
    def finish(self, error: LlmError | None) -> LlmResponse:
        """Return the response; with an error, what is whole is its content and the rest is in the error."""
        response = self._parse({**self._body, **_output(block for block in self._blocks if block.closed)})
        if error is not None:
            rest = self._parse(_output(block for block in self._blocks if not block.closed))
            response.error = error.evolve(partial=rest.content)
            response.error_message = error.message
        return response


def _output(blocks: Any) -> dict[str, Any]:
    return {"output": {"message": {"role": "assistant", "content": [block.wire() for block in blocks]}}}
