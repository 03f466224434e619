"""Input of OpenAI Responses: a conversation's items to the items of a request, one for one and in their order.

Reference: https://developers.openai.com/api/reference/resources/responses (input).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from triptych.content import ContentItem, Message, Opaque, Reasoning, Refusal, ToolCall, ToolResult, result_text
from triptych.formats.openai_responses.calls import CUSTOM, build_call, build_reasoning, is_custom, wire_id
from triptych.formats.openai_responses.parts import build_part
from triptych.formats.openai_responses.said import build_message, build_refusal, joins
from triptych.formats.results import failure_in_words
from triptych.formats.turns import Builder, sendable
from triptych.formats.verbatim import Inexpressible, opaque, with_provider_data
from triptych.parts import PART_TYPES, Part, Text

if TYPE_CHECKING:
    from triptych_wire.openai_responses import InputItem


@define
class ItemBuilder(Builder):
    """Builds the input of one request.

    Args:
        issuer: Whose private data may go out.
        stored: Whether the API keeps the answers of this conversation.
        items: Filled with the wire items.
    """

    stored: bool = True
    items: list[Any] = field(factory=list)
    _custom: set[str] = field(factory=set)

    def build(self, contents: Iterable[ContentItem]) -> list[InputItem]:
        """Fill `items` with a conversation; return them."""
        for index, item in sendable(contents):
            self._add(f"contents[{index}]", item)
        return self.items

    def _add(self, path: str, item: ContentItem) -> None:
        if isinstance(item, Message):
            self._message(path, item)
        elif isinstance(item, ToolCall):
            if is_custom(item, self.issuer):
                self._custom.add(item.tool_call_id)
            self.items.append(build_call(item, self.issuer))
        elif isinstance(item, ToolResult):
            self.items.append(self.result(item, path))
        elif isinstance(item, Refusal):
            self._say(build_refusal(item, self.issuer))
        elif isinstance(item, Reasoning | Opaque):
            self._private(path, item)

    def _private(self, path: str, item: Reasoning | Opaque) -> None:
        try:
            if isinstance(item, Opaque):
                self.items.append(opaque(item, self.issuer))
            else:
                self.items.append(build_reasoning(item, self.issuer, stored=self.stored))
        except Inexpressible as why:
            self._notice(path, item, why)

    def _message(self, path: str, item: Message) -> None:
        if item.name is not None:
            self._notice(f"{path}.name", "name", "this API has none")
        if item.role == "assistant":
            message, left = build_message(item, self.issuer)
            for index, part, why in left:
                self._notice(f"{path}.content[{index}]", part, why)
            if message is not None:
                self._say(message)
            return
        content = item.content if isinstance(item.content, str) else self._parts(path, item.content)
        if content or not item.content:  # else nothing is left of it
            self.items.append(with_provider_data({"role": item.role, "content": content}, item, self.issuer))

    def _say(self, message: dict[str, Any]) -> None:
        if self.items and joins(self.items[-1], message):
            before = self.items[-1]
            self.items[-1] = {**before, "content": [*before["content"], *message["content"]]}
        else:
            self.items.append(message)

    def _parts(self, path: str, parts: Sequence[Part]) -> list[Any]:
        wires = []
        for index, part in enumerate(parts):
            try:
                wires.append(build_part(part, self.issuer))
            except Inexpressible as why:
                self._notice(f"{path}.content[{index}]", part, why)
        return wires

    def result(self, item: ToolResult, path: str = "") -> Any:
        """Return the wire form of a tool's result: its words as one text, or parts where it has media."""
        kind = f"{CUSTOM}_output" if item.tool_call_id in self._custom else "function_call_output"
        item = failure_in_words(item)
        output: str | list[Any] = item.text
        if any(isinstance(value, PART_TYPES) for value in item.content):
            values = [value if isinstance(value, PART_TYPES) else Text(result_text(value)) for value in item.content]
            output = self._parts(path, values)
        wire = {"type": kind, "call_id": wire_id(item.tool_call_id), "output": output}
        return with_provider_data(wire, item, self.issuer)
