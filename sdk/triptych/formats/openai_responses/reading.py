"""Input of OpenAI Responses, read back: the items of a request to a conversation's items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from triptych.content import ContentItem, Message, Opaque, ToolCall, ToolResult
from triptych.formats.openai_responses.calls import CALLS, read_call, read_reasoning
from triptych.formats.openai_responses.items import ItemBuilder
from triptych.formats.openai_responses.parts import read_part
from triptych.formats.openai_responses.said import read_message
from triptych.formats.verbatim import Inexpressible, keeping
from triptych.parts import Issuer

_SPEAKERS = frozenset({"system", "developer", "user"})


@define
class InputReader:
    """Reads the input of one request.

    Args:
        issuer: Whose API the request is for.
    """

    issuer: Issuer
    _names: dict[str, str] = field(factory=dict)

    def read(self, given: Any) -> list[ContentItem]:
        """Return the conversation that an input says: a text, items, or null."""
        if isinstance(given, str):
            return [Message("user", given)]
        return [item for wire in given or () for item in self._read(wire)]

    def _read(self, wire: Any) -> list[ContentItem]:
        try:
            read = self._reader(wire)
            if read is not None:
                return read(wire)
        except (KeyError, TypeError, ValueError, AttributeError, Inexpressible):
            pass  # an item that the API would refuse, or a form that is new: kept as it is
        return [Opaque(wire if isinstance(wire, dict) else {"item": wire}, issuer=self.issuer)]

    def _reader(self, wire: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], list[ContentItem]] | None:
        kind = wire.get("type") or "message"
        if kind == "message":
            return self._said if wire["role"] == "assistant" else self._spoken
        if kind in CALLS:
            return self._call
        if kind in ("function_call_output", "custom_tool_call_output"):
            return self._result
        return (lambda thought: [read_reasoning(thought, self.issuer)]) if kind == "reasoning" else None

    def _spoken(self, wire: Mapping[str, Any]) -> list[ContentItem]:
        role, content = wire["role"], wire["content"]
        if role not in _SPEAKERS:
            raise ValueError(role)
        parts = content if isinstance(content, str) else [read_part(part, self.issuer) for part in content]
        return [keeping(Message(role, parts), wire, {"role": role, "content": content}, self.issuer)]

    def _said(self, wire: Mapping[str, Any]) -> list[ContentItem]:
        items = read_message(wire, self.issuer)
        if ItemBuilder(self.issuer).build(items) != [wire]:
            raise ValueError(wire)
        return items

    def _call(self, wire: Mapping[str, Any]) -> list[ContentItem]:
        item = read_call(wire, self.issuer)
        if isinstance(item, ToolCall):
            self._names[item.tool_call_id] = item.name
        return [item]

    def _result(self, wire: Mapping[str, Any]) -> list[ContentItem]:
        call_id, output = wire["call_id"], wire["output"]
        values = [read_part(part, self.issuer) for part in output] if isinstance(output, list) else output
        item = ToolResult(call_id, self._names.get(call_id), content=values)
        built = ItemBuilder(self.issuer).result(item)
        same = {**built, "output": output} if isinstance(output, list) and output else built
        return [keeping(item, wire, same, self.issuer)]
