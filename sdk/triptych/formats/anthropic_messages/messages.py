"""Messages of Anthropic Messages: a conversation's items to the system text and to turns.

Tool results are blocks of the user's turn; reasoning and calls are blocks of the assistant's. An item joins the turn
before it, except that a message after a message of its own role stands alone.
Reference: https://platform.claude.com/docs/en/api/messages
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult, result_text
from triptych.formats.anthropic_messages.blocks import (
    build_call,
    build_part,
    build_reasoning,
    is_blank,
    text_block,
)
from triptych.formats.anthropic_messages.pairing import SHAPES
from triptych.formats.block_turn_builder import SYSTEM_ROLES, BlockTurnBuilder
from triptych.formats.block_turns import pair_results, trim_prefill
from triptych.formats.turns import safe_id, sendable
from triptych.formats.verbatim import Inexpressible, with_provider_data
from triptych.parts import PART_TYPES, Media, Part, Text

if TYPE_CHECKING:
    from triptych_wire.anthropic_messages import Message as WireMessage


@define
class TurnBuilder(BlockTurnBuilder):
    """Builds the system text and the messages of one request.

    Args:
        issuer: Whose private data may go out.
    """

    _after_message: bool = field(default=False, init=False)

    def build(self, instructions: Sequence[str], contents: Iterable[ContentItem]) -> list[WireMessage]:
        """Fill `system` and `messages` with a conversation; return the messages."""
        self.system.extend(text_block(text) for text in instructions if not is_blank(text))
        for index, item in sendable(contents):
            self._add(f"contents[{index}]", item)
            self._after_message = isinstance(item, Message | Refusal)
        self.notices.extend(pair_results(self.messages, SHAPES))
        trim_prefill(self.messages)
        return self.messages

    def _append(self, role: str, block: Any) -> None:
        """Put a block into the open turn of its role, or into a new one."""
        turn = self.messages[-1] if self.messages else None
        if turn is None or turn["role"] != role:
            self.messages.append({"role": role, "content": [block]})
        elif isinstance(turn["content"], str):
            turn["content"] = [text_block(turn["content"]), block]
        else:
            turn["content"].append(block)

    def _instruct_here(self, item: Message, blocks: list[Any]) -> None:
        message = {"role": "system", "content": item.content if isinstance(item.content, str) else blocks}
        self.messages.append(with_provider_data(message, item, self.issuer))

    def _say(self, item: Message, blocks: list[Any]) -> None:
        turn = self.messages[-1] if self.messages else None
        if turn is not None and turn["role"] == item.role and not self._after_message:
            for block in blocks:
                self._append(item.role, block)
            return
        message = {"role": item.role, "content": item.content if isinstance(item.content, str) else blocks}
        self.messages.append(with_provider_data(message, item, self.issuer))

    def _blocks(self, path: str, item: Message) -> list[Any]:
        if isinstance(item.content, str):
            return [] if is_blank(item.content) else [text_block(item.content)]
        return self._parts(path, item.content, media=item.role not in SYSTEM_ROLES)

    def _parts(self, path: str, parts: Sequence[Part], *, media: bool = True) -> list[Any]:
        """Return the blocks of parts; white space alone is no text, between texts it is (the API sends it itself)."""
        blocks = []
        said = any(isinstance(part, Text) and not is_blank(part.text) for part in parts)
        for index, part in enumerate(parts):
            if isinstance(part, Text) and (not part.text or (not said and is_blank(part.text))):
                continue
            if not media and isinstance(part, Media):
                self._notice(f"{path}.content[{index}]", part, "system text holds words only")
                continue
            try:
                blocks.append(build_part(part, self.issuer))
            except Inexpressible as why:
                self._notice(f"{path}.content[{index}]", part, why)
        return blocks

    def _call_block(self, item: ToolCall, wire_id: str) -> Any:
        return {**build_call(item, self.issuer), "id": wire_id}

    def _reasoning_block(self, item: Reasoning) -> Any:
        return build_reasoning(item, self.issuer)

    def _result_block(self, path: str, item: ToolResult, wire_id: str) -> Any:
        return {**self.result_block(item, path), "tool_use_id": wire_id}

    def result_block(self, item: ToolResult, path: str = "") -> Any:
        """Return the wire form of a tool result."""
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": safe_id(item.tool_call_id)}
        content = self._result_content(path, item)
        if content:
            block["content"] = content
        if item.status == "error":
            block["is_error"] = True
        return with_provider_data(block, item, self.issuer)

    def _result_content(self, path: str, item: ToolResult) -> str | list[Any]:
        values = item.content
        if len(values) == 1 and not isinstance(values[0], PART_TYPES):
            text = result_text(values[0])
            return "" if is_blank(text) else text
        parts = [value if isinstance(value, PART_TYPES) else Text(result_text(value)) for value in values]
        return self._parts(path, parts)

    def _keep(self, data: Any) -> None:
        if "role" in data:
            content = data.get("content")
            self.messages.append({**data, "content": content if isinstance(content, str) else list(content or [])})
        else:
            self._append("assistant", data)
