"""Streams, recorded or made here, played through a wire format's parser; and a plain reading of what they say."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from tests.formats import corpus
from tests.formats.bodies import HERE
from tests.formats.corpus import Exchange
from triptych import formats
from triptych.content import ContentItem
from triptych.errors import LlmError
from triptych.events import ItemDone, ReasoningDelta, RefusalDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.formats import Call
from triptych.provider import Quirks
from triptych.response import LlmResponse

DONE: Final = "[DONE]"
# A wire event, or the marker at the end of a stream.
Wire = Any

CUT = LlmError("the stream broke off", "stream_interrupted")


@frozen
class Played:
    """What a stream came to.

    Args:
        events: The events, in order.
        response: The response at the end.
    """

    events: tuple[StreamEvent, ...]
    response: LlmResponse

    def words(self, kind: type[TextDelta | ReasoningDelta | RefusalDelta], choice: int | None = None) -> str:
        """Return the joined words of all events of a kind, or those of one choice."""
        chosen = [event for event in self.events if isinstance(event, kind) and choice in (None, event.choice)]
        return "".join(event.text for event in chosen)

    @property
    def items(self) -> list[ContentItem]:
        """The items that were said to be whole."""
        return [event.item for event in self.events if isinstance(event, ItemDone)]

    @property
    def calls(self) -> dict[tuple[int, int], tuple[str | None, str, str]]:
        """Last id, last name and joined arguments of each call, by choice and index."""
        calls: dict[tuple[int, int], tuple[str | None, str, str]] = {}
        for event in self.events:
            if isinstance(event, ToolCallDelta):
                *_, before = calls.get((event.choice, event.index), (None, "", ""))
                calls[event.choice, event.index] = (event.tool_call_id, event.name, before + event.arguments)
        return calls


def played(
    name: str,
    wire: Iterable[Wire],
    *,
    provider: str | None = HERE,
    quirks: Quirks | None = None,
    call: Call | None = None,
) -> Played:
    """Return what a stream comes to: whole with the marker or when the format says so, else broken off."""
    parser = formats.load(name, provider, quirks).stream_parser(call)
    events: list[StreamEvent] = []
    for event in wire:
        if event == DONE:
            parser.end_marker()
        else:
            events += parser.feed(event)
        if parser.closed or parser.error is not None:
            break
    response = parser.finish(parser.error or (None if parser.ended else CUT))
    told = sum(isinstance(event, ItemDone) for event in events)
    return Played((*events, *map(ItemDone, response.content[told:])), response)


def recorded(name: str | None = None) -> list[Exchange]:
    """Return the recorded streams, of all formats or of one."""
    return [e for e in corpus.exchanges() if e.stream and e.status == 200 and name in (None, e.format)]


def wire_events(exchange: Exchange) -> list[Wire]:
    """Return the events of a recorded stream as they were sent: server-sent events, or frames of Amazon."""
    text: str = exchange.response
    lines = text.replace("\r\n", "\n").split("\n")
    if text.startswith('{"headers"'):
        payloads = [json.loads(line)["payload"] for line in lines if line]
        return [_frame(payload) for payload in payloads]
    data = [line.removeprefix("data:").strip() for line in lines if line.startswith("data:")]
    return [DONE if said == DONE else json.loads(said) for said in data]


def _frame(payload: Mapping[str, Any]) -> Any:
    return payload["bytes_decoded"] if "bytes_decoded" in payload else json.loads(base64.b64decode(payload["bytes"]))


@frozen
class Told:
    """What a stream says, in the provider's words.

    Args:
        texts: The words by choice.
        thoughts: The words of reasoning, by field or block.
        refusal: The words of refusals.
        calls: Id, name and arguments' text of each call.
        usage: The counts, later ones in place of earlier ones.
        finish: The reason that the first choice gives.
        top: The first id and model that are not empty.
    """

    texts: dict[int, str] = field(factory=dict)
    thoughts: dict[str, str] = field(factory=dict)
    refusal: list[str] = field(factory=list)
    calls: dict[tuple[int, int], list[str]] = field(factory=dict)
    usage: dict[str, Any] = field(factory=dict)
    finish: list[str] = field(factory=list)
    top: dict[str, str] = field(factory=dict)


def read_chunks(wire: Sequence[Wire]) -> Told:
    """Return what the chunks of a Chat Completions stream say."""
    told = Told()
    for chunk in wire:
        if chunk == DONE:
            continue
        for name in ("id", "model"):
            if chunk.get(name):
                told.top.setdefault(name, chunk[name])
        told.usage.update(chunk.get("usage") or (chunk.get("x_groq") or {}).get("usage") or {})
        for choice in chunk.get("choices", []):
            _read_delta(told, choice.get("index", 0), choice.get("delta") or {})
            if choice.get("index", 0) == 0 and choice.get("finish_reason"):
                told.finish.append(choice["finish_reason"])
    return told


def _read_delta(told: Told, choice: int, delta: Mapping[str, Any]) -> None:
    content = delta.get("content") or ""
    chunks: list[Any] = [{"text": content}] if isinstance(content, str) else content
    for chunk in chunks:
        told.texts[choice] = told.texts.get(choice, "") + chunk.get("text", "")
        for part in chunk.get("thinking", []):
            told.thoughts["content"] = told.thoughts.get("content", "") + part["text"]
    if delta.get("refusal"):
        told.refusal.append(delta["refusal"])
    for name in ("reasoning", "reasoning_content"):
        if delta.get(name):
            told.thoughts[name] = told.thoughts.get(name, "") + delta[name]
    for detail in delta.get("reasoning_details") or []:
        words = detail.get("text") or detail.get("summary")
        if words:
            told.thoughts["details"] = told.thoughts.get("details", "") + words
    for place, piece in enumerate(delta.get("tool_calls") or []):
        call = told.calls.setdefault((choice, piece.get("index", place)), ["", "", ""])
        function = piece["function"]
        for at, said in enumerate((piece.get("id"), function.get("name"), function.get("arguments"))):
            call[at] += said or ""


def read_events(wire: Sequence[Wire]) -> Told:
    """Return what the events of a Messages stream say; what is no text, thought or call is left to its block."""
    told = Told()
    for event in wire:
        kind = event if event == DONE else event["type"]
        if kind == "message_start":
            told.top.update({name: event["message"][name] for name in ("id", "model")})
            told.usage.update(event["message"]["usage"])
        elif kind == "content_block_start" and event["content_block"]["type"] == "tool_use":
            block = event["content_block"]
            told.calls[0, event["index"]] = [block["id"], block["name"], ""]
        elif kind == "content_block_delta":
            _read_piece(told, event["index"], event["delta"])
        elif kind == "message_delta":
            told.usage.update({name: count for name, count in event["usage"].items() if count is not None})
            told.finish.append(event["delta"]["stop_reason"])
    return told


def _read_piece(told: Told, index: int, delta: Mapping[str, Any]) -> None:
    if delta["type"] == "text_delta":
        told.texts[0] = told.texts.get(0, "") + delta["text"]
    elif delta["type"] == "thinking_delta":
        told.thoughts[str(index)] = told.thoughts.get(str(index), "") + delta["thinking"]
    elif delta["type"] == "input_json_delta" and (0, index) in told.calls:
        told.calls[0, index][2] += delta["partial_json"]
