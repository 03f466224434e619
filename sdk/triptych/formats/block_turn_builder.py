"""Conversations as system text and turns made of blocks: what the APIs that have them so say alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field

from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult
from triptych.formats.block_turns import WireIds
from triptych.formats.turns import Builder
from triptych.formats.verbatim import Inexpressible, opaque
from triptych.parts import Opaque

SYSTEM_ROLES = frozenset({"system", "developer"})


@define
class BlockTurnBuilder(Builder, ABC):
    """Builds the system text and the turns of one request; a subclass gives the blocks their form.

    Tool results are blocks of the user's turn; reasoning and calls are blocks of the assistant's.

    Args:
        issuer: Whose private data may go out.
    """

    system: list[Any] = field(factory=list, init=False)  # filled with the blocks of the system text
    messages: list[Any] = field(factory=list, init=False)  # filled with the turns
    _ids: WireIds = field(factory=WireIds, init=False)

    @abstractmethod
    def build(self, instructions: Sequence[str], contents: Iterable[ContentItem]) -> list[Any]:
        """Fill `system` and `messages` with a conversation; return the messages."""

    def _add(self, path: str, item: ContentItem) -> None:
        if isinstance(item, Message):
            if item.role == "user":
                self._ids.spoken()
            if item.role in SYSTEM_ROLES:
                self._instruct(path, item)
            else:
                self._speak(path, item)
        elif isinstance(item, ToolCall):
            self._call(path, item)
        elif isinstance(item, ToolResult):
            self._append("user", self._result_block(path, item, self._ids.of_result(item.tool_call_id)))
        elif isinstance(item, Refusal):
            self._speak(path, Message("assistant", item.refusal))
        elif isinstance(item, Reasoning):
            try:
                self._append("assistant", self._reasoning_block(item))
            except Inexpressible as why:
                self._notice(path, item, why)
        elif isinstance(item, Opaque):
            try:
                self._keep(opaque(item, self.issuer))
            except Inexpressible as why:
                self._notice(path, item, why)

    def _instruct(self, path: str, item: Message) -> None:
        """Put a system message into the system text, or in its place where it came from this API like that."""
        blocks = self._blocks(path, item)
        if self.messages and item.issuer == self.issuer:
            self._instruct_here(item, blocks)
            return
        if self.messages:
            why = "few models of this API take one in the middle of a conversation"
            self._notice(path, "system message", why, "moved to the system text")
        self.system.extend(blocks)

    def _speak(self, path: str, item: Message) -> None:
        if item.name is not None:
            self._notice(f"{path}.name", "name", "this API has none")
        blocks = self._blocks(path, item)
        if blocks:
            self._say(item, blocks)

    def _call(self, path: str, item: ToolCall) -> None:
        if item.malformed:
            why = "the API takes a JSON object only"
            self._notice(f"{path}.arguments", "text that is no JSON object", why, 'sent as {"raw_arguments": …}')
        self._append("assistant", self._call_block(item, self._ids.of_call(item.tool_call_id)))

    @abstractmethod
    def _append(self, role: str, block: Any) -> None:
        """Put a block into the open turn of its role, or into a new one."""

    @abstractmethod
    def _blocks(self, path: str, item: Message) -> list[Any]:
        """Return the blocks of a message, none where it says nothing."""

    @abstractmethod
    def _instruct_here(self, item: Message, blocks: list[Any]) -> None:
        """Put a system message of this API's own where it stood."""

    @abstractmethod
    def _say(self, item: Message, blocks: list[Any]) -> None:
        """Put a message, of which these are the blocks, into a turn."""

    @abstractmethod
    def _call_block(self, item: ToolCall, wire_id: str) -> Any:
        """Return the block of a call, under the id that it has in this request."""

    @abstractmethod
    def _result_block(self, path: str, item: ToolResult, wire_id: str) -> Any:
        """Return the block of a result, under the id that its call has in this request."""

    @abstractmethod
    def _reasoning_block(self, item: Reasoning) -> Any:
        """Return the block of reasoning.

        Raises:
            Inexpressible: it has no form here.
        """

    @abstractmethod
    def _keep(self, data: Any) -> None:
        """Put a block or a message of this API's own back as it came."""
