"""Messages of Bedrock Converse: a conversation's items to the system text and to turns that alternate.

Tool results are blocks of the user's turn; reasoning and calls are blocks of the assistant's. An item joins the turn
before it where that is of its role.
Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from triptych.content import ContentItem, Message, Reasoning, ToolCall, ToolResult, result_text
from triptych.formats.bedrock_converse.blocks import SHAPES, build_call, build_part, build_reasoning, is_silent
from triptych.formats.bedrock_converse.media import DocumentNames
from triptych.formats.block_turn_builder import SYSTEM_ROLES, BlockTurnBuilder
from triptych.formats.block_turns import pair_results, trim_prefill
from triptych.formats.turns import safe_id, sendable
from triptych.formats.verbatim import Inexpressible, with_provider_data
from triptych.parts import PART_TYPES, Audio, Media, Part, Text

if TYPE_CHECKING:
    from triptych_wire.bedrock_converse import Message as WireMessage

_EMPTY = "(empty)"
_BEFORE_FIRST = "(The conversation begins with the assistant.)"
_BESIDE_DOCUMENT = "(A document.)"


@define
class TurnBuilder(BlockTurnBuilder):
    """Builds the system text and the messages of one request.

    Args:
        issuer: Whose private data may go out.
        model: The model, where it is known.
    """

    model: str | None = None
    _names: DocumentNames = field(factory=DocumentNames, init=False)

    def build(self, instructions: Sequence[str], contents: Iterable[ContentItem]) -> list[WireMessage]:
        """Fill `system` and `messages` with a conversation; return the messages."""
        self.system.extend({"text": text} for text in instructions if text.strip())
        for index, item in sendable(contents):
            self._add(f"contents[{index}]", item)
        self.notices.extend(pair_results(self.messages, SHAPES))
        trim_prefill(self.messages)
        self._begin_with_user()
        self._speak_of_documents()
        return self.messages

    def _append(self, role: str, block: Any) -> None:
        """Put a block into the open turn of its role, or into a new one."""
        turn = self.messages[-1] if self.messages else None
        if turn is None or turn["role"] != role or not isinstance(turn["content"], list):
            self.messages.append({"role": role, "content": [block]})
        else:
            turn["content"].append(block)

    def _instruct_here(self, item: Message, blocks: list[Any]) -> None:
        for block in blocks:
            self._append("system", block)

    def _say(self, item: Message, blocks: list[Any]) -> None:
        for block in blocks:
            self._append(item.role, block)

    def _blocks(self, path: str, item: Message) -> list[Any]:
        """Return the blocks of a message; white space alone is no text, between texts it is."""
        if isinstance(item.content, str):
            return [{"text": item.content}] if item.content.strip() else []
        refused = Media if item.role in SYSTEM_ROLES else None
        said = any(isinstance(part, Text) and part.text.strip() for part in item.content)
        blocks: list[Any] = []
        for index, part in enumerate(item.content):
            if not is_silent(part, self.issuer) or (said and isinstance(part, Text) and part.text):
                blocks += self._part(f"{path}.content[{index}]", part, refused, "system text")
        return blocks

    def _part(self, path: str, part: Part, refused: type[Media] | None, place: str) -> list[Any]:
        """Return the block of a part; none, with a notice, where it has no form or is of a kind that is refused."""
        try:
            if refused is not None and isinstance(part, refused):
                raise Inexpressible(f"this API takes none in {place}")
            return [self._named(build_part(part, self.issuer))]
        except Inexpressible as why:
            self._notice(path, part, why)
            return []

    def _named(self, block: Any) -> Any:
        """Return a block; a document gets a name that no other of the request has."""
        document = block.get("document")
        if not isinstance(document, dict) or not isinstance(document.get("name"), str):
            return block
        return {"document": {**document, "name": self._names.of(document["name"])}}

    def _call_block(self, item: ToolCall, wire_id: str) -> Any:
        return {"toolUse": {**build_call(item, self.issuer), "toolUseId": wire_id}}

    def _reasoning_block(self, item: Reasoning) -> Any:
        return {"reasoningContent": build_reasoning(item, self.issuer, self.model)}

    def _result_block(self, path: str, item: ToolResult, wire_id: str) -> Any:
        return {"toolResult": {**self.result(item, path), "toolUseId": wire_id}}

    def result(self, item: ToolResult, path: str = "") -> Any:
        """Return what a `toolResult` block holds for a result: at least one block, none of them blank."""
        inner: dict[str, Any] = {
            "toolUseId": safe_id(item.tool_call_id),
            "content": self._result_content(path, item.content) or [{"text": _EMPTY}],
        }
        if item.status == "error":
            inner["status"] = "error"
        return with_provider_data(inner, item, self.issuer)

    def _result_content(self, path: str, values: Sequence[Any]) -> list[Any]:
        """Return the blocks of a result: an object is JSON, a list goes in an object, anything else plain is text."""
        blocks: list[Any] = []
        for index, value in enumerate(values):
            if isinstance(value, dict):
                blocks.append({"json": value})
            elif isinstance(value, (list, tuple)):
                blocks.append({"json": {"items": list(value)}})
            else:
                part = value if isinstance(value, PART_TYPES) else Text(result_text(value))
                if not is_silent(part, self.issuer):
                    blocks += self._part(f"{path}.content[{index}]", part, Audio, "tool results")
        return blocks

    def _keep(self, data: Any) -> None:
        content = data.get("content")
        if "role" not in data:
            self._append("assistant", data)
        elif data.keys() == {"role", "content"} and isinstance(content, list):
            for block in content:
                self._append(data["role"], block)
        else:
            self.messages.append({**data, "content": list(content) if isinstance(content, list) else content})

    def _begin_with_user(self) -> None:
        if self.messages and self.messages[0]["role"] == "assistant":
            self.messages.insert(0, {"role": "user", "content": [{"text": _BEFORE_FIRST}]})
            why = "the API refuses a conversation that the assistant begins"
            self._notice("contents", "a turn of the user's", why, "put first")

    def _speak_of_documents(self) -> None:
        """Put words beside documents that stand without: the API refuses them so."""
        for turn in self.messages:
            blocks = turn["content"] if turn["role"] == "user" and isinstance(turn["content"], list) else []
            kinds = {kind for block in blocks if isinstance(block, dict) for kind in block}
            if "document" in kinds and not kinds & {"text", "guardContent"}:
                blocks.append({"text": _BESIDE_DOCUMENT})
                self._notice("contents", "words", "the API refuses a document without", "put beside a document")
