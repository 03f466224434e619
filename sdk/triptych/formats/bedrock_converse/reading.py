"""Messages of Bedrock Converse, read back: the system text and the turns to a conversation's items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, evolve, field

from triptych.content import ContentItem, Message, Opaque, ToolResult, unwrapped
from triptych.formats.bedrock_converse.blocks import is_call, read_call, read_part, read_reasoning
from triptych.formats.bedrock_converse.messages import TurnBuilder
from triptych.formats.block_turns import read_turn
from triptych.formats.verbatim import Inexpressible, keeping
from triptych.parts import Issuer

_SPOKEN = frozenset({"text", "citationsContent", "guardContent", "image", "document", "video", "audio"})


@define
class TurnReader:
    """Reads the system text and the messages of one request.

    Args:
        issuer: Whose API the request is for.
    """

    issuer: Issuer
    contents: list[ContentItem] = field(factory=list)
    instructions: list[str] = field(factory=list)
    _names: dict[str, str] = field(factory=dict)

    def read(self, system: Sequence[Any], messages: Sequence[Any]) -> None:
        """Fill `instructions` and `contents`.

        Plain texts are instructions; where there is another block among them, all are a system message, so that they
        go back as they were.
        """
        if all(isinstance(block, dict) and block.keys() == {"text"} and block["text"].strip() for block in system):
            self.instructions.extend(block["text"] for block in system)
        else:
            self.contents.append(Message("system", [read_part(block, self.issuer) for block in system]))
        for message in messages:
            self.contents.extend(self._read(message))

    def _read(self, message: Any) -> list[ContentItem]:
        try:
            role, blocks = message["role"], message["content"]
            if message.keys() <= {"role", "content"} and isinstance(blocks, list):
                items = read_turn(
                    role, blocks, lambda block: self._item(role, block), lambda block: read_part(block, self.issuer)
                )
                return [evolve(item, issuer=self.issuer) for item in items] if role == "system" else items
        except (KeyError, TypeError, ValueError, AttributeError, Inexpressible):
            pass  # a message that the API would refuse: kept as it is
        return [Opaque(message if isinstance(message, dict) else {"message": message}, issuer=self.issuer)]

    def _item(self, role: str, block: Mapping[str, Any]) -> ContentItem | None:
        """Return the item that a block is by itself, or None for a part of a message."""
        if role == "assistant" and is_call(block):
            call = read_call(block["toolUse"], self.issuer)
            self._names[call.tool_call_id] = call.name
            return call
        if role == "user" and "toolResult" in block:
            return self._result(block["toolResult"])
        if role == "assistant" and "reasoningContent" in block:
            return read_reasoning(block["reasoningContent"], self.issuer)
        return None if role != "assistant" or block.keys() & _SPOKEN else Opaque(block, issuer=self.issuer)

    def _result(self, wire: Mapping[str, Any]) -> ToolResult:
        values = [self._value(block) for block in wire["content"]]
        status = "error" if wire.get("status") == "error" else "success"
        tool_use_id = wire["toolUseId"]
        item = ToolResult(tool_use_id, self._names.get(tool_use_id), status, values)  # type: ignore[arg-type]  # one of the two literals
        return keeping(item, wire, TurnBuilder(self.issuer).result(item), self.issuer)

    def _value(self, block: Mapping[str, Any]) -> Any:
        if block.keys() == {"text"}:
            return block["text"]
        if block.keys() == {"json"} and isinstance(block["json"], dict):
            return unwrapped(block["json"])
        return read_part(block, self.issuer)
