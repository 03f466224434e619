"""Streams of Ollama's chat API: lines to events, and to the response that the same answer gives unstreamed.

The lines are put together into the wire response that the API would have sent whole, and `response.py` reads that: so
the two ways of asking cannot disagree. A tool call comes whole.
Reference: https://docs.ollama.com/api/streaming
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.errors import LlmError
from triptych.events import ProviderEvent, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.formats.answering import put_together, text_of
from triptych.formats.pieces import merge, words
from triptych.formats.turns import DistinctIds
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.ollama_chat import StreamChunk

# Fields of a message that hold the next piece of a text, and the event that a piece is.
_TEXTS: Mapping[str, type[TextDelta] | type[ReasoningDelta]] = {"content": TextDelta, "thinking": ReasoningDelta}


class LineStreamParser:
    """Turns the lines of one stream into events and a response; see `StreamParser`.

    Args:
        parse: Reads a whole wire response.
        read_error: Reads a line that holds an error.
        ids: Gives the calls their ids.
    """

    def __init__(
        self, parse: Callable[[Any], LlmResponse], read_error: Callable[[Mapping[str, Any]], LlmError], ids: DistinctIds
    ) -> None:
        self._parse = parse
        self._read_error = read_error
        self._ids = ids
        self._body: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}  # pieces, joined once at the end
        self._fields: dict[str, Any] = {}  # of the message, beside the texts
        self._calls = 0
        self._latest: str | None = None  # the field that grew last: whole only when another follows it
        self.ended = False
        self.error: LlmError | None = None

    @property
    def closed(self) -> bool:
        """Whether the end of the answer has come: the line that says it is done."""
        return self.ended

    def end_marker(self) -> None:
        """Take a gateway's `[DONE]`: the API has an end of its own, so it says nothing here."""

    def feed(self, line: StreamChunk) -> list[StreamEvent]:
        """Return the events that a line makes."""
        if line.get("error"):
            self.error = self._read_error(line)
            return []
        if "message" not in line and "done" not in line:
            return [ProviderEvent(line)]
        events: list[StreamEvent] = []
        message: Any = line.get("message")
        for name, value in (message or {}).items():
            self._take(name, value, events)
        for name, said in line.items():
            if name == "logprobs":
                merge(self._body, {name: said})
            elif name != "message":
                self._body[name] = said
        self.ended = bool(line.get("done"))
        return events

    def _take(self, name: str, value: Any, events: list[StreamEvent]) -> None:
        """Take what a line says under one name of the message, and append the events that it makes."""
        if not value:  # null and empty fields keep their place, no more
            self._fields.setdefault(name, value)
            return
        if name in _TEXTS and isinstance(value, str):
            self._texts.setdefault(name, []).append(value)
            events.append(_TEXTS[name](value))
        elif name == "tool_calls":
            events += map(self._called, value)
            self._fields[name] = [*(self._fields.get(name) or []), *value]
        else:
            merge(self._fields, {name: value})
            return
        self._latest = name

    def _called(self, wire: Any) -> StreamEvent:
        if "function" not in wire:
            return ProviderEvent(wire)
        function = wire["function"]
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else jsontext.encode_text(arguments or {})
        self._calls += 1
        return ToolCallDelta(self._ids.next(text_of(wire.get("id"))), words(function, "name"), text, self._calls - 1)

    def _message(self, wanted: Callable[[str], bool]) -> dict[str, Any]:
        """Return the message with some of its texts, as it would stand in a whole answer."""
        texts = {name: "".join(pieces) for name, pieces in self._texts.items() if wanted(name)}
        return {**self._fields, **texts}

    @put_together
    def finish(self, error: LlmError | None) -> LlmResponse:
        """Return the response; with an error, what is whole is its content and the rest is in the error."""
        growing = self._latest if error is not None and not self.ended else None
        response = self._parse({**self._body, "message": self._message(lambda name: name != growing)})
        if error is not None:
            rest = {name: "".join(pieces) for name, pieces in self._texts.items() if name == growing}
            response.error = error.evolve(partial=self._parse({"message": rest}).content)
            response.error_message = error.message
        return response
