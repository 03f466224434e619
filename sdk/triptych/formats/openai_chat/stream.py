"""Streams of OpenAI Chat Completions: chunks to events, and to the response that the same answer gives unstreamed.

The chunks are put together into the wire response that the API would have sent whole, and `response.py` reads that: so
the two ways of asking cannot disagree.
Reference: https://platform.openai.com/docs/api-reference/chat/streaming
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from triptych.errors import LlmError
from triptych.events import ProviderEvent, ReasoningDelta, RefusalDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.formats.answering import put_together
from triptych.formats.openai_chat.call_pieces import CallAssembly, CallPieces
from triptych.formats.pieces import joined_blocks, merge, number
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.openai_chat import ChunkChoice, StreamChunk

Words = type[TextDelta] | type[ReasoningDelta] | type[RefusalDelta]

# Fields of a delta that hold the next piece of a text, and the event that a piece is.
_TEXTS: Mapping[str, Words] = {
    "content": TextDelta,
    "refusal": RefusalDelta,
    "reasoning_content": ReasoningDelta,
    "reasoning": ReasoningDelta,
}
# Fields of blocks (thinking parts of Mistral, reasoning details of OpenRouter) that hold pieces of text.
_BLOCK_TEXTS = frozenset({"text", "summary", "data", "thinking", "signature"})
_BLOCKS = ("content", "reasoning_details")
_CHOICE_SAID = frozenset({"index", "delta", "message", "finish_reason", "logprobs", "usage"})


class ChoiceAssembly:
    """One choice as it grows.

    Args:
        index: Its number.
        thoughts: The fields in which this host says a thought.
    """

    def __init__(self, index: int, thoughts: frozenset[str]) -> None:
        self._index = index
        self._thoughts = thoughts
        self._texts: dict[str, list[str]] = {}  # pieces, joined once at the end
        self._blocks: dict[str, list[Any]] = {}
        self._fields: dict[str, Any] = {}
        self._other: dict[str, Any] = {}
        self._audio: dict[str, list[str]] = {}
        self._sound: dict[str, Any] = {}  # the other fields of the audio
        self._calls = CallAssembly(index)
        self._old_call: CallPieces | None = None
        self._thinks: str | None = None  # the field that tells the thought, of those that say it
        self._latest: str | None = None  # the field that grew last: whole only when another follows it
        self.finish: str | None = None

    def feed(self, choice: ChunkChoice, events: list[StreamEvent]) -> None:
        """Take what a chunk says of the choice, and append the events that it makes."""
        said: Any = choice.get("delta")
        if said is None and self._latest is None:
            said = choice.get("message")  # a host that sends the message whole; others repeat it beside the deltas
        for name, value in (said or {}).items():
            if not value and not isinstance(value, (bool, int)):  # null and empty fields keep their place, no more
                self._fields.setdefault(name, value)
            elif isinstance(value, str) and (name in _TEXTS or name in self._thoughts):
                if name in self._texts:
                    self._texts[name].append(value)
                else:
                    self._texts[name] = [value]
                self._latest = name
                kind = _TEXTS.get(name, ReasoningDelta)
                if kind is not ReasoningDelta or self._tells(name):
                    events.append(kind(value, self._index))
            else:
                self._take(name, value, events)
        reason = choice.get("finish_reason")
        if reason is not None:
            self.finish = reason
        scores = choice.get("logprobs")
        if scores is not None:
            merge(self._other, {"logprobs": scores})
        fields: Any = choice
        for name in fields.keys() - _CHOICE_SAID:
            if fields[name] is not None:
                merge(self._other, {name: fields[name]})

    def _take(self, name: str, value: Any, events: list[StreamEvent]) -> None:
        if name == "tool_calls":
            events += self._calls.feed(value)
        elif name == "function_call":
            call = self._old_call = self._old_call or CallPieces(len(self._calls.calls), None)
            piece = call.add({"function": value})
            if call.name or piece:  # some hosts send an empty one beside the new form
                events.append(ToolCallDelta(None, call.name, piece, call.position, self._index))
        elif name == "audio":
            self._hear(value)
        elif isinstance(value, list) and (name in _BLOCKS or name in self._thoughts):
            self._blocks.setdefault(name, []).extend(self._spoken(name, value, events))
        else:
            merge(self._fields, {name: value})
            return
        self._latest = name

    def _spoken(self, name: str, blocks: list[Any], events: list[StreamEvent]) -> list[Any]:
        """Return blocks of a delta, those that are text alone as blocks too; append the events of their words."""
        if name == "content" and name in self._texts:  # text and blocks may take turns in one stream
            words = "".join(self._texts.pop(name))
            self._blocks.setdefault(name, []).append({"type": "text", "text": words})
        for block in blocks:
            words = block_words(block)
            if words:
                thought = name != "content" or _is_thought(block)
                if name == "content" or self._tells(name):
                    events.append((ReasoningDelta if thought else TextDelta)(words, self._index))
        return blocks

    def _tells(self, name: str) -> bool:
        """Return whether a field tells the thought: the first that does; what others say beside it is the same."""
        if self._thinks is None and name in self._thoughts:
            self._thinks = name
        return name == self._thinks

    def _hear(self, audio: Mapping[str, Any]) -> None:
        for name, value in audio.items():
            if name in ("data", "transcript") and isinstance(value, str):
                self._audio.setdefault(name, []).append(value)
            else:
                merge(self._sound, {name: value})

    @property
    def _broke_off(self) -> bool:
        """Whether the choice has no end, or ended with the error that the stream tells."""
        return self.finish in (None, "error")

    def wire(self, *, cut: bool = False) -> dict[str, Any]:
        """Return the choice as it would stand in a whole answer; when cut, without what may not be whole."""
        cut = cut and self._broke_off
        growing = self._growing() if cut else frozenset()
        calls = [call for call in self._calls.ordered() if not cut or self._is_whole(call)]
        message = self._message(lambda name: name not in growing, calls)
        if "content" in growing and "content" in self._blocks:
            message["content"] = self._content_blocks()[: self._open_block()]
        return {"index": self._index, "message": message, "finish_reason": self.finish, **self._other}

    def unfinished(self) -> dict[str, Any]:
        """Return the choice with nothing but what may not be whole when the stream was cut."""
        message: dict[str, Any] = {"role": "assistant", "content": None}
        if self._broke_off:
            growing = self._growing()
            calls = [call for call in self._calls.ordered() if not self._is_whole(call)]
            message = self._message(lambda name: name in growing, calls)
            if "content" in growing and "content" in self._blocks:
                message["content"] = self._content_blocks()[self._open_block() :]
        return {"index": self._index, "message": message, "finish_reason": None}

    def _growing(self) -> frozenset[str]:
        """Return the fields that may not be whole: the one that grew last, and a call whose arguments are open."""
        growing = self._thoughts if self._latest in self._thoughts else frozenset({self._latest or "content"})
        opened = self._old_call is not None and not self._old_call.whole
        return growing | {"function_call"} if opened else growing

    def _is_whole(self, call: CallPieces) -> bool:
        """Return whether a call is whole although the stream was cut: calls come side by side, too."""
        return call.whole and not (self._latest == "tool_calls" and call is self._calls.latest)

    def _content_blocks(self) -> list[dict[str, Any]]:
        """Return the content that came in blocks, put together; text that followed them is the last."""
        trailing = "".join(self._texts.get("content", ()))
        more = [{"type": "text", "text": trailing}] if trailing else []
        return joined_blocks([*self._blocks["content"], *more], _BLOCK_TEXTS)

    def _open_block(self) -> int:
        """Return from which block of the content on an item may not be whole: a thought, or what followed the last."""
        blocks = self._content_blocks()
        place = len(blocks) - 1
        while place > 0 and not _is_thought(blocks[place]) and not _is_thought(blocks[place - 1]):
            place -= 1
        return max(place, 0)

    def _message(self, wanted: Callable[[str], bool], calls: list[CallPieces]) -> dict[str, Any]:
        """Return a message with some of the fields that grow, and some of the calls."""
        message: dict[str, Any] = {"role": "assistant", "content": None}
        if wanted("content"):  # what stands beside the words goes with them
            message.update(self._fields)
        message.update({name: "".join(pieces) for name, pieces in self._texts.items() if wanted(name)})
        for name, blocks in self._blocks.items():
            if wanted(name):
                message[name] = self._content_blocks() if name == "content" else joined_blocks(blocks, _BLOCK_TEXTS)
        if (self._audio or self._sound) and wanted("audio"):
            sound = {name: "".join(pieces) for name, pieces in self._audio.items()}
            message["audio"] = {"data": "", **self._sound, **sound}
        if self._old_call is not None and wanted("function_call"):
            message["function_call"] = self._old_call.wire()["function"]
        if calls:
            message["tool_calls"] = [call.wire() for call in calls]
        return message


def _is_thought(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in ("thinking", "reasoning")


def block_words(block: Any) -> str:
    """Return the words that a block of a delta shows."""
    if not isinstance(block, dict):
        return ""
    inner = block.get("text") or block.get("thinking") or block.get("summary") or ""
    if isinstance(inner, list):
        return "".join(block_words(part) for part in inner)
    return inner if isinstance(inner, str) else ""


class ChatStreamParser:
    """Turns the chunks of one stream into events and a response; see `StreamParser`.

    Args:
        parse: Reads a whole wire response.
        read_error: Reads a chunk that holds an error.
        thoughts: The fields in which this host says a thought, several at once perhaps.
    """

    def __init__(
        self,
        parse: Callable[[Any], LlmResponse],
        read_error: Callable[[Mapping[str, Any]], LlmError],
        thoughts: Iterable[str],
    ) -> None:
        self._thoughts = frozenset(thoughts)
        self._parse = parse
        self._read_error = read_error
        self._choices: dict[int, ChoiceAssembly] = {}
        self._body: dict[str, Any] = {}
        self._unsaid = set(_CONSTANT)
        self.closed = False
        self.error: LlmError | None = None

    def end_marker(self) -> None:
        """Take the API's `[DONE]`: nothing more comes."""
        self.closed = True

    @property
    def ended(self) -> bool:
        """Whether the answer is whole even if nothing more comes: every choice has said why it finished."""
        choices = self._choices.values()
        return self.closed or (bool(choices) and all(choice.finish is not None for choice in choices))

    def feed(self, chunk: StreamChunk) -> list[StreamEvent]:
        """Return the events that a chunk makes."""
        events: list[StreamEvent] = []
        known = False
        for choice in chunk.get("choices") or ():
            index = number(choice, "index")
            assembly = self._choices.get(index)
            if assembly is None:
                assembly = self._choices[index] = ChoiceAssembly(index, self._thoughts)
            assembly.feed(choice, events)
            known = True
            counts: Any = choice.get("usage")  # Moonshot counts in the choice
            if isinstance(counts, dict):
                self._take("usage", counts)
        fault = chunk.get("error")
        if fault:
            self.error = self._read_error(chunk)
        fields: Any = chunk
        for name in self._unsaid & fields.keys():
            self._body[name] = fields[name]
            if fields[name]:
                self._unsaid.discard(name)
                known = known or name != "object"
        if fields.get("usage") is not None:
            known = True
            self._take("usage", fields["usage"])
        for name in fields.keys() - _CHUNK_SAID:
            value = fields[name]
            if value is not None and value != "":
                known = known or name in _KNOWN
                self._take(name, value)
        if not known and not fault:
            events.append(ProviderEvent(chunk))
        return events

    def _take(self, name: str, value: Any) -> None:
        if name == "usage" and isinstance(value, dict):  # cumulative: the later count replaces the earlier
            had = self._body.get(name)
            counts = {key: count for key, count in value.items() if count is not None}
            self._body[name] = {**value, **(had if isinstance(had, dict) else {}), **counts}
        elif isinstance(value, dict):
            merge(self._body, {name: value})
        else:
            self._body[name] = value

    @put_together
    def finish(self, error: LlmError | None) -> LlmResponse:
        """Return the response; with an error, what is whole is its content and the rest is in the error."""
        host: Any = self._body.get("x_groq")
        if isinstance(host, dict) and isinstance(host.get("usage"), dict):
            self._body.setdefault("usage", host["usage"])  # Groq counts there in a stream
        cut = error is not None and (self.error is not None or not self.ended)
        choices = [choice for _, choice in sorted(self._choices.items())]
        response = self._parse({**self._body, "choices": [choice.wire(cut=cut) for choice in choices]})
        if error is not None:
            rest = self._parse({**self._body, "choices": [choice.unfinished() for choice in choices]}) if cut else None
            response.error = error.evolve(partial=rest.content if rest is not None else ())
            response.error_message = error.message
        return response


# The same in every chunk of a stream; some hosts send empty ones before the first that says something.
_CONSTANT = frozenset({"id", "object", "created", "model", "system_fingerprint", "service_tier"})
_CHUNK_SAID = _CONSTANT | {"choices", "error", "usage"}
# What makes a chunk without choices one that is understood.
_KNOWN = frozenset({"prompt_filter_results", "x_groq"})
