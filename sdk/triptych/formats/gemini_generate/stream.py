"""Streams of generateContent: chunks to events, and to the response that the same answer gives unstreamed.

Each chunk is a response of its own. They are put together into the wire response that the API would have sent whole,
and `response.py` reads that: so the two ways of asking cannot disagree. There is no end marker, and a finish reason may
stand before the last part.
Reference: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.errors import LlmError
from triptych.events import ProviderEvent, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.formats.answering import put_together, text_of
from triptych.formats.gemini_generate.partial_args import CallPieces, is_piece
from triptych.formats.gemini_generate.parts import call_name
from triptych.formats.gemini_generate.response import is_plain, read_usage
from triptych.formats.gemini_generate.spelling import spelled
from triptych.formats.pieces import merge, number, own
from triptych.formats.turns import DistinctIds
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.gemini_generate import StreamChunk

# Fields of a candidate of which each chunk has the next piece; of the others the latest counts.
_GROWING = frozenset({"logprobsResult", "citationMetadata"})


class CandidatePieces:
    """One candidate as it grows.

    Args:
        index: Which of the candidates it is.
        ids: Gives an id to calls that come without.
    """

    def __init__(self, index: int, ids: DistinctIds) -> None:
        self._index = index
        self._ids = ids
        self._parts: list[Any] = []  # parts, and calls in pieces
        self._fields: dict[str, Any] = {}
        self._content: dict[str, Any] = {}
        self._calls = 0
        self.ended = False

    def add(self, candidate: Mapping[str, Any]) -> list[StreamEvent]:
        """Take what a chunk says of it; return the events that this makes."""
        content = candidate.get("content") or {}
        parts = content.get("parts") or []
        self._content |= {name: value for name, value in content.items() if name != "parts"}
        for name, value in candidate.items():
            if name in _GROWING:
                merge(self._fields, {name: value})
            elif name != "content":
                self._fields[name] = own(value)
        if parts or candidate.get("finishReason"):
            self.ended = bool(candidate.get("finishReason"))
        return [event for part in parts for event in self._part(part)]

    def _part(self, part: Any) -> list[StreamEvent]:
        last = self._parts[-1] if self._parts else None
        if isinstance(last, CallPieces) and not last.closed and "functionCall" in part:
            last.add(part)
            return [self._rest(last)] if last.closed else []
        if is_piece(part):
            pieces, begun = CallPieces(part), self._called(part["functionCall"], "")
            self._parts.append(pieces)
            return [begun]
        if "functionCall" in part:
            arguments = part["functionCall"].get("args")
            text = arguments if isinstance(arguments, str) else jsontext.encode_text(arguments or {})
            events: list[StreamEvent] = [self._called(part["functionCall"], text)]
            self._parts.append(part)  # kept only where it could be read
            return events
        self._parts.append(part)
        if isinstance(part.get("text"), str):
            kind = ReasoningDelta if part.get("thought") else TextDelta
            return [kind(part["text"], self._index)] if part["text"] else []
        return [ProviderEvent(part)]

    def _called(self, call: Mapping[str, Any], text: str) -> ToolCallDelta:
        self._latest = self._ids.next(text_of(call.get("id"))), call_name(call)
        self._calls += 1
        return ToolCallDelta(*self._latest, text, self._calls - 1, self._index)

    def _rest(self, pieces: CallPieces) -> ToolCallDelta:
        text = jsontext.encode_text(pieces.wire()["functionCall"]["args"])
        return ToolCallDelta(*self._latest, text, self._calls - 1, self._index)

    def growing(self) -> int:
        """Return from which of the parts on the candidate was still being written."""
        if self.ended or not self._parts:
            return len(self._parts)
        place = len(self._parts) - 1
        last = self._parts[place]
        if isinstance(last, CallPieces):
            return len(self._parts) if last.closed else place
        if not is_plain(last):
            return len(self._parts)
        while place and _continues(self._parts[place - 1], last):
            place -= 1
        return place

    def wire(self, start: int, end: int | None) -> dict[str, Any]:
        """Return the candidate with some of its parts, as it would stand in a whole answer."""
        parts = [part.wire() if isinstance(part, CallPieces) else part for part in self._parts[start:end]]
        return {**self._fields, "content": {**self._content, "parts": parts}}


def _continues(before: Any, part: Mapping[str, Any]) -> bool:
    return isinstance(before, dict) and is_plain(before) and bool(before.get("thought")) == bool(part.get("thought"))


class ChunkStreamParser:
    """Turns the chunks of one stream into events and a response; see `StreamParser`.

    Args:
        parse: Reads a whole wire response.
        read_error: Reads a chunk that holds an error.
        ids: Gives the calls their ids.
    """

    def __init__(
        self, parse: Callable[[Any], LlmResponse], read_error: Callable[[Mapping[str, Any]], LlmError], ids: DistinctIds
    ) -> None:
        self._parse = parse
        self._read_error = read_error
        self._ids = ids
        self._body: dict[str, Any] = {}
        self._candidates: dict[int, CandidatePieces] = {}
        self.error: LlmError | None = None

    @property
    def ended(self) -> bool:
        """Whether the answer is whole: every candidate has its finish reason, or the prompt was blocked."""
        if not self._candidates:
            return bool(self._body.get("promptFeedback"))
        return all(candidate.ended for candidate in self._candidates.values())

    @property
    def closed(self) -> bool:
        """Whether the end of the answer has come: only the end of the stream tells."""
        return False

    def end_marker(self) -> None:
        """Take a gateway's `[DONE]`: the API's own end says enough."""

    def feed(self, given: StreamChunk) -> list[StreamEvent]:
        """Return the events that a chunk makes."""
        chunk: StreamChunk = spelled(given)
        if chunk.get("error"):
            self.error = self._read_error(chunk)
            return []
        if not chunk.keys() & {"candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId"}:
            return [ProviderEvent(given)]
        events: list[StreamEvent] = []
        for candidate in chunk.get("candidates") or []:
            index = number(candidate, "index")
            if index not in self._candidates:
                self._candidates[index] = CandidatePieces(index, self._ids)
            events += self._candidates[index].add(candidate)
        fields: Mapping[str, Any] = chunk
        for name, value in fields.items():
            if name == "usageMetadata" and read_usage(value) is None:
                self._body[name] = {**(self._body.get(name) or {}), **value}  # it counts nothing
            elif name != "candidates":
                self._body[name] = value
        return events

    def _wire(self, pick: Callable[[CandidatePieces], dict[str, Any]]) -> dict[str, Any]:
        candidates = [pick(self._candidates[index]) for index in sorted(self._candidates)]
        return {**self._body, **({"candidates": candidates} if candidates else {})}

    @put_together
    def finish(self, error: LlmError | None) -> LlmResponse:
        """Return the response; with an error, what is whole is its content and the rest is in the error."""
        if error is None:
            return self._parse(self._wire(lambda candidate: candidate.wire(0, None)))
        response = self._parse({"candidates": [], **self._wire(lambda one: one.wire(0, one.growing()))})
        rest = self._parse({"candidates": [], **self._wire(lambda one: one.wire(one.growing(), None))})
        response.error = error.evolve(partial=(*rest.content, *(response.error.partial if response.error else ())))
        response.error_message = error.message
        return response
