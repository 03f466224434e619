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
from triptych.errors import Notice
from triptych.formats.anthropic_messages.blocks import (
    build_call,
    build_part,
    build_reasoning,
    is_blank,
    text_block,
)
from triptych.formats.anthropic_messages.pairing import SHAPES
from triptych.formats.block_turns import WireIds, pair_results, trim_prefill
from triptych.formats.turns import safe_id, sendable
from triptych.formats.verbatim import Inexpressible, opaque, with_provider_data
from triptych.parts import PART_TYPES, Issuer, Media, Opaque, Part, Text

if TYPE_CHECKING:
    from triptych_wire.anthropic_messages import Message as WireMessage

_SYSTEM_ROLES = frozenset({"system", "developer"})


@define
class TurnBuilder:
    """Builds the system text and the messages of one request.

    Args:
        issuer: Whose private data may go out.
        notices: Filled with what cannot be said.
        system: Filled with the blocks of the system text.
        messages: Filled with the turns.
    """

    issuer: Issuer
    notices: list[Notice] = field(factory=list)
    system: list[Any] = field(factory=list)
    messages: list[Any] = field(factory=list)
    _after_message: bool = False
    _ids: WireIds = field(factory=WireIds)

    def build(self, instructions: Sequence[str], contents: Iterable[ContentItem]) -> list[WireMessage]:
        """Fill `system` and `messages` with a conversation; return the messages."""
        self.system.extend(text_block(text) for text in instructions if not is_blank(text))
        for index, item in sendable(contents):
            self._add(f"contents[{index}]", item)
            self._after_message = isinstance(item, Message | Refusal)
        self.notices.extend(pair_results(self.messages, SHAPES))
        trim_prefill(self.messages)
        return self.messages

    def _notice(self, path: str, what: object, why: object, done: str = "left out") -> None:
        name = what if isinstance(what, str) else type(what).__name__
        self.notices.append(Notice(path, f"{name} {done}", str(why)))

    def _add(self, path: str, item: ContentItem) -> None:
        if isinstance(item, Message):
            if item.role == "user":
                self._ids.spoken()
            if item.role in _SYSTEM_ROLES:
                self._instruct(path, item)
            else:
                self._speak(path, item)
        elif isinstance(item, ToolCall):
            self._call(path, item)
        elif isinstance(item, ToolResult):
            block = {**self.result_block(item, path), "tool_use_id": self._ids.of_result(item.tool_call_id)}
            self._append("user", block)
        elif isinstance(item, Refusal):
            self._speak(path, Message("assistant", item.refusal))
        elif isinstance(item, Reasoning):
            try:
                self._append("assistant", build_reasoning(item, self.issuer))
            except Inexpressible as why:
                self._notice(path, item, why)
        elif isinstance(item, Opaque):
            self._opaque(path, item)

    def _append(self, role: str, block: Any) -> None:
        """Put a block into the open turn of its role, or into a new one."""
        turn = self.messages[-1] if self.messages else None
        if turn is None or turn["role"] != role:
            self.messages.append({"role": role, "content": [block]})
        elif isinstance(turn["content"], str):
            turn["content"] = [text_block(turn["content"]), block]
        else:
            turn["content"].append(block)

    def _instruct(self, path: str, item: Message) -> None:
        """Put a system message into the system text, or in its place where it came from this API like that."""
        blocks = self._blocks(path, item)
        if self.messages and item.issuer == self.issuer:
            message = {"role": "system", "content": item.content if isinstance(item.content, str) else blocks}
            self.messages.append(with_provider_data(message, item, self.issuer))
            return
        if self.messages:
            why = "few models of this API take one in the middle of a conversation"
            self._notice(path, "system message", why, "moved to the system text")
        self.system.extend(blocks)

    def _speak(self, path: str, item: Message) -> None:
        if item.name is not None:
            self._notice(f"{path}.name", "name", "this API has none")
        blocks = self._blocks(path, item)
        if not blocks:
            return
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
        return self._parts(path, item.content, media=item.role not in _SYSTEM_ROLES)

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

    def _call(self, path: str, item: ToolCall) -> None:
        if item.malformed:
            why = "the API takes a JSON object only"
            self._notice(f"{path}.arguments", "text that is no JSON object", why, 'sent as {"raw_arguments": …}')
        block = {**build_call(item, self.issuer), "id": self._ids.of_call(item.tool_call_id)}
        self._append("assistant", block)

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

    def _opaque(self, path: str, item: Opaque) -> None:
        try:
            data = opaque(item, self.issuer)
        except Inexpressible as why:
            self._notice(path, item, why)
            return
        if "role" in data:
            content = data.get("content")
            self.messages.append({**data, "content": content if isinstance(content, str) else list(content or [])})
        else:
            self._append("assistant", data)
