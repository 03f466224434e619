"""Content blocks of Bedrock Converse that arrive in pieces, put together as they would stand in a whole answer."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from triptych import jsontext
from triptych.events import ProviderEvent, ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.formats.answering import text_of
from triptych.formats.bedrock_converse.blocks import is_call
from triptych.formats.pieces import merge, own, words


class BlockPieces:
    """One content block as it grows.

    Args:
        start: What the block's first event says that it is; empty where it had none, as with words.
        call: Which of the answer's tool calls it is, where it is one.
    """

    def __init__(self, start: Mapping[str, Any], call: int) -> None:
        self.closed = False
        self.call = call if is_call(start) else None
        self._block: dict[str, Any] = own(start)
        self._texts: list[str] = []
        self._input: list[str] = []
        self._thought: dict[str, list[str]] = {}
        self._citations: list[Any] = []

    def begin(self) -> list[StreamEvent]:
        """Return the event that the start of the block makes."""
        return [] if self.call is None else [self._call_event("")]

    def add(self, delta: Mapping[str, Any]) -> StreamEvent | None:
        """Take the next piece; return the event that it makes, if it makes one."""
        if "text" in delta:
            text = words(delta, "text")
            self._texts.append(text)
            return TextDelta(text) if text else None
        if "toolUse" in delta:
            piece = words(delta["toolUse"], "input")
            self._input.append(piece)
            return self._call_event(piece) if piece and self.call is not None else None
        if "reasoningContent" in delta:
            return self._think(delta["reasoningContent"])
        if "citation" in delta:
            self._citations.append(delta["citation"])
            return None
        if "toolResult" in delta:
            self._block.setdefault("toolResult", {}).setdefault("content", []).extend(delta["toolResult"])
            return None
        merge(self._block, delta)
        return None if "image" in delta else ProviderEvent(delta)

    def _think(self, said: Mapping[str, Any]) -> StreamEvent | None:
        for name in said:
            self._thought.setdefault(name, []).append(words(said, name))
        text = words(said, "text")
        return ReasoningDelta(text) if text else None

    def _call_event(self, piece: str) -> ToolCallDelta:
        use = self._block["toolUse"]
        return ToolCallDelta(text_of(use.get("toolUseId")), words(use, "name"), piece, self.call or 0)

    def wire(self) -> Any:
        """Return the block as it would stand in a whole answer; input that is no JSON stays text."""
        if "toolUse" in self._block:
            text = "".join(self._input)
            use = self._block["toolUse"]
            return {"toolUse": {**use, "input": _decoded(text) if text.strip() else use.get("input", {})}}
        if self._thought:
            return {"reasoningContent": _thought(self._thought)}
        text = "".join(self._texts)
        if self._citations:
            content = {"content": [{"text": text}]} if text else {}
            return {"citationsContent": {**content, "citations": self._citations}}
        if self._block and not text:
            return own(self._block)
        return {**self._block, "text": text}


def _thought(pieces: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    whole = {name: "".join(said) for name, said in pieces.items() if name != "redactedContent"}
    if "redactedContent" in pieces:
        return {"redactedContent": _joined_data(pieces["redactedContent"]), **whole}
    return {"reasoningText": {"text": "", **whole}}


def _joined_data(pieces: Sequence[str]) -> str:
    """Return pieces of data in base64 as one, which is not their text in a row: each may end in padding."""
    if len(pieces) == 1:
        return pieces[0]
    try:
        return base64.b64encode(b"".join(map(base64.b64decode, pieces))).decode()
    except ValueError:
        return "".join(pieces)


def _decoded(text: str) -> Any:
    try:
        return jsontext.decode(text)
    except ValueError:
        return text
