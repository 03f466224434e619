"""Streams of Cohere's API: events to events of ours, and to the response that the same answer gives unstreamed.

The events are put together into the wire response that the API would have sent whole, and `response.py` reads that: so
the two ways of asking cannot disagree.
Reference: https://docs.cohere.com/v2/docs/streaming
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych.errors import LlmError
from triptych.events import ProviderEvent, ReasoningDelta, StreamEvent, TextDelta
from triptych.formats.answering import put_together
from triptych.formats.cohere_chat.errors import failure
from triptych.formats.openai_chat.call_pieces import CallAssembly
from triptych.formats.pieces import merge, own, words
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.cohere_chat import StreamEvent as WireEvent

# Fields of a block that hold the next piece of a text, and the event that a piece is.
_TEXTS: Mapping[str, type[TextDelta] | type[ReasoningDelta]] = {"text": TextDelta, "thinking": ReasoningDelta}


class BlockPieces:
    """One block of the content as it grows."""

    def __init__(self) -> None:
        self.closed = False
        self._block: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}

    def add(self, piece: Mapping[str, Any]) -> list[StreamEvent]:
        """Take the next piece; return the events that it makes."""
        events: list[StreamEvent] = []
        for name, value in piece.items():
            if name in _TEXTS and isinstance(value, str):
                self._texts.setdefault(name, []).append(value)
                events += [_TEXTS[name](value)] if value else []
            else:
                merge(self._block, {name: value})
        return events

    def wire(self) -> dict[str, Any]:
        """Return the block as it would stand in a whole answer."""
        kind = self._block.get("type") or next(iter(self._texts), "text")
        texts = {name: "".join(pieces) for name, pieces in self._texts.items()}
        return {"type": kind, **({kind: ""} if kind in _TEXTS else {}), **self._block, **texts}


class EventStreamParser:
    """Turns the events of one stream into events of ours and a response; see `StreamParser`.

    Args:
        parse: Reads a whole wire response.
        read_error: Reads an event that is an error.
    """

    def __init__(
        self, parse: Callable[[Any], LlmResponse], read_error: Callable[[Mapping[str, Any]], LlmError]
    ) -> None:
        self._parse = parse
        self._read_error = read_error
        self._body: dict[str, Any] = {}
        self._message: dict[str, Any] = {}  # what the first event says of it
        self._blocks: list[BlockPieces] = []  # in the order in which they began
        self._open: dict[int | None, BlockPieces] = {}
        self._plan: list[str] = []
        self._calls = CallAssembly(0)
        self._called: set[int] = set()  # positions of the calls that are whole
        self._citations: list[Any] = []
        self.ended = False
        self.error: LlmError | None = None

    @property
    def closed(self) -> bool:
        """Whether the end of the answer has come: the API's last event."""
        return self.ended

    def end_marker(self) -> None:
        """Take the `[DONE]` that the API sends after its last event: it says nothing more."""

    def feed(self, event: WireEvent) -> list[StreamEvent]:
        """Return the events that a wire event makes."""
        said: Any = event
        kind = said.get("type")
        if kind in _TAKES:
            delta = said.get("delta") or {}
            return _TAKES[kind](self, said, delta if kind == "message-end" else delta.get("message") or {})
        if said.get("error") or isinstance(said.get("message"), str):
            self.error = self._read_error(said)
            return []
        return [ProviderEvent(event)]

    def _begin(self, event: Any, message: Any) -> list[StreamEvent]:
        self._message = dict(own(message))
        self._body = {name: own(value) for name, value in event.items() if name not in ("type", "delta")}
        return []

    def _start(self, event: Any, message: Any) -> list[StreamEvent]:
        self._stop(event, message)  # its end was not told
        return self._grow(event, message)

    def _grow(self, event: Any, message: Any) -> list[StreamEvent]:
        index = event.get("index")
        if index not in self._open:
            self._open[index] = BlockPieces()
            self._blocks.append(self._open[index])
        if event.get("logprobs"):
            self._body.setdefault("logprobs", []).append(event["logprobs"])
        return self._open[index].add(message.get("content") or {})

    def _stop(self, event: Any, message: Any) -> list[StreamEvent]:
        block = self._open.pop(event.get("index"), None)
        if block is not None:
            block.closed = True
        return []

    def _plan_on(self, event: Any, message: Any) -> list[StreamEvent]:
        piece = words(message, "tool_plan")
        self._plan.append(piece)
        return [ReasoningDelta(piece)] if piece else []

    def _call(self, event: Any, message: Any) -> list[StreamEvent]:
        piece = message.get("tool_calls") or {}
        return list(self._calls.feed([{**piece, "index": event.get("index")}]))

    def _called_at(self, event: Any, message: Any) -> list[StreamEvent]:
        index = event.get("index")
        self._called |= {call.position for call in self._calls.calls if index in (None, call.index)}
        return []

    def _cite(self, event: Any, message: Any) -> list[StreamEvent]:
        if message.get("citations"):
            self._citations.append(message["citations"])
        return []

    def _ignore(self, event: Any, message: Any) -> list[StreamEvent]:
        return []

    def _end(self, event: Any, delta: Any) -> list[StreamEvent]:
        merge(self._body, {name: value for name, value in event.items() if name not in ("type", "delta")})
        self._body.update(delta)
        self.ended = True
        self.error = failure(delta)
        return []

    def _whole(self, *, rest: bool = False) -> dict[str, Any]:
        """Return the message of what is whole, as it would stand in an answer, or of the rest."""
        blocks = [block for block in self._blocks if (block.closed or self.ended) is not rest]
        ended = self.ended and self.error is None  # what an error ended had no time to end a call
        calls = [call for call in self._calls.ordered() if (call.position in self._called or ended) is not rest]
        planned = self.ended or bool(self._calls.calls)
        message = {} if rest else dict(self._message)
        message["content"] = [block.wire() for block in blocks]
        message["tool_calls"] = [call.wire() for call in calls]
        message["tool_plan"] = "".join(self._plan) if planned is not rest else ""
        spoken = self.ended or any(block.closed and block.wire()["type"] == "text" for block in self._blocks)
        message["citations"] = self._citations if spoken is not rest else []
        return {"role": "assistant", **message}

    @put_together
    def finish(self, error: LlmError | None) -> LlmResponse:
        """Return the response; with an error, what is whole is its content and the rest is in the error."""
        response = self._parse({**self._body, "message": self._whole()})
        if error is not None:
            response.error = error.evolve(partial=self._parse({"message": self._whole(rest=True)}).content)
            response.error_message = error.message
        return response


# How an event is taken, by its type.
_TAKES: Mapping[str, Callable[[EventStreamParser, Any, Any], list[StreamEvent]]] = {
    "message-start": EventStreamParser._begin,
    "content-start": EventStreamParser._start,
    "content-delta": EventStreamParser._grow,
    "content-end": EventStreamParser._stop,
    "tool-plan-delta": EventStreamParser._plan_on,
    "tool-call-start": EventStreamParser._call,
    "tool-call-delta": EventStreamParser._call,
    "tool-call-end": EventStreamParser._called_at,
    "citation-start": EventStreamParser._cite,
    "citation-end": EventStreamParser._ignore,
    "message-end": EventStreamParser._end,
}
