"""Messages of Cohere's API, read back: wire messages to a conversation's items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from attrs import define, evolve, field

from triptych.content import ContentItem, Message, ToolCall, ToolResult
from triptych.formats.cohere_chat.messages import CohereMessageBuilder
from triptych.formats.cohere_chat.parts import read_part, read_plan, read_result_part, read_thought
from triptych.formats.openai_chat.calls import read_calls
from triptych.formats.openai_chat.messages import MessageBuilder
from triptych.formats.openai_chat.reading import MessageReader
from triptych.formats.spoken import read_spoken
from triptych.formats.turns import DistinctIds
from triptych.formats.verbatim import keeping, unsaid
from triptych.parts import Issuer, Part

# Fields of the assistant's that say what their absence says when they are null or empty.
_OPTIONAL = frozenset({"content", "tool_plan", "tool_calls", "citations"})


@define
class CohereMessageReader(MessageReader):
    """Reads the messages of one request; see `MessageReader`."""

    builder: ClassVar[type[MessageBuilder]] = CohereMessageBuilder

    _before: list[ContentItem] = field(factory=list)  # the items of the assistant's last message

    def _rebuilt(self, items: Sequence[ContentItem]) -> Mapping[str, Any]:
        return self._built(items)[-1]

    def _built(self, items: Sequence[ContentItem]) -> Sequence[Mapping[str, Any]]:
        return CohereMessageBuilder(self.issuer, evolve(self.quirks, reasoning_replay="sent")).rebuild(items)

    def _part(self, wire: Any) -> Part:
        return read_part(wire, self.issuer)

    def _result(self, message: Mapping[str, Any]) -> ToolResult:
        tool_call_id, content = message["tool_call_id"], message["content"]
        values = [content] if isinstance(content, str) else [read_result_part(part, self.issuer) for part in content]
        item = ToolResult(tool_call_id, self._names.get(tool_call_id), content=values)
        return keeping(item, message, self._rebuilt([item]), self.issuer)

    def _assistant(self, message: Mapping[str, Any]) -> list[ContentItem]:
        items = read_answer(message, self.issuer, DistinctIds(str(len(self.contents))), verbatim=True)
        self._names.update((item.tool_call_id, item.name) for item in items if isinstance(item, ToolCall))
        said = {name: value for name, value in message.items() if value or name not in _OPTIONAL}
        rest = unsaid(said, self._rebuilt(items) if items else {"role": "assistant"})
        if rest or not items:
            place = next((at for at, item in enumerate(items) if isinstance(item, Message)), None)
            if place is None:
                place = 0
                items.insert(place, Message("assistant", []))
            if rest:
                items[place] = evolve(items[place], provider_data=rest, issuer=self.issuer)
        return self._apart(items)

    def _apart(self, items: list[ContentItem]) -> list[ContentItem]:
        """Return items that are kept from running into the message before: an empty one stands between, unsent."""
        whole = list(items)
        if self._after_assistant and self._before:
            alone = len(self._built(self._before))
            while len(self._built([*self._before, *whole])) == alone:
                whole.insert(0, Message("assistant", []))
        self._before = whole
        return whole


def read_answer(
    message: Mapping[str, Any], issuer: Issuer, ids: DistinctIds, *, verbatim: bool = False
) -> list[ContentItem]:
    """Return the items that an assistant's message says: thoughts and words, the plan, the calls.

    Args:
        message: The wire message.
        issuer: Whose it is.
        ids: Gives an id to calls that come without.
        verbatim: Whether its calls go back with every field as it came: so in a request, not in an answer.
    """
    plan = message.get("tool_plan")
    return [
        *read_spoken(
            message.get("content"),
            lambda block: read_part(block, issuer),
            lambda block: read_thought(block, issuer),
        ),
        *([read_plan(plan, issuer)] if plan else []),
        *read_calls(message.get("tool_calls") or [], issuer, ids, verbatim=verbatim),
    ]
