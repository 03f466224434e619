"""Messages of Anthropic Messages, read back: the system text and the turns to a conversation's items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, evolve, field

from triptych.content import ContentItem, Message, Opaque, ToolResult
from triptych.formats.anthropic_messages.blocks import read_call, read_part, read_reasoning
from triptych.formats.anthropic_messages.messages import TurnBuilder
from triptych.formats.block_turns import read_turn
from triptych.formats.verbatim import Inexpressible, keeping
from triptych.parts import Issuer

_PARTS = frozenset({"text", "image", "document"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


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

    def read(self, system: Any, messages: Sequence[Any]) -> None:
        """Fill `instructions` and `contents`.

        A plain text, or several, are instructions; blocks with fields of their own, or a list of one, are a system
        message, so that they go back as they were.
        """
        if isinstance(system, str):
            self.instructions.append(system)
        elif system:
            plain = all(isinstance(block, dict) and block.keys() == {"type", "text"} for block in system)
            if plain and len(system) > 1:
                self.instructions.extend(block["text"] for block in system)
            else:
                self.contents.append(Message("system", [read_part(block, self.issuer) for block in system]))
        for message in messages:
            self.contents.extend(self._read(message))

    def _read(self, message: Any) -> list[ContentItem]:
        try:
            role, content = message["role"], message["content"]
            if role == "system":
                return [evolve(self._whole(message), issuer=self.issuer)]
            if isinstance(content, str):
                return [self._whole(message)]
            if message.keys() <= {"role", "content"}:
                return read_turn(
                    role, content, lambda block: self._item(role, block), lambda block: read_part(block, self.issuer)
                )
        except (KeyError, TypeError, ValueError, AttributeError, Inexpressible):
            pass  # a message that the API would refuse: kept as it is
        return [Opaque(message if isinstance(message, dict) else {"message": message}, issuer=self.issuer)]

    def _whole(self, message: Mapping[str, Any]) -> Message:
        content = message["content"]
        parts = content if isinstance(content, str) else [read_part(block, self.issuer) for block in content]
        item = Message(message["role"], parts)
        return keeping(item, message, {"role": item.role, "content": content}, self.issuer)

    def _item(self, role: str, block: Mapping[str, Any]) -> ContentItem | None:
        """Return the item that a block is by itself, or None for a part of a message."""
        kind = block["type"]
        if kind == "tool_use":
            call = read_call(block, self.issuer)
            self._names[call.tool_call_id] = call.name
            return call
        if kind == "tool_result":
            return self._result(block)
        if kind in _THOUGHTS:
            return read_reasoning(block, self.issuer)
        return None if role == "user" or kind in _PARTS else Opaque(block, issuer=self.issuer)

    def _result(self, block: Mapping[str, Any]) -> ToolResult:
        tool_use_id, content = block["tool_use_id"], block.get("content")
        values = [read_part(part, self.issuer) for part in content] if isinstance(content, list) else content
        status = "error" if block.get("is_error") else "success"
        item = ToolResult(tool_use_id, self._names.get(tool_use_id), status, values)  # type: ignore[arg-type]  # one of the two literals
        built = TurnBuilder(self.issuer).result_block(item)
        return keeping(item, block, built, self.issuer)
