"""Messages of Cohere's API: a conversation's items to wire messages, and to the documents beside them.

One assistant message holds thoughts and words as blocks of one content, in any order, then the plan for its calls, and
the calls. The API refuses a message of the assistant's that is empty.
Reference: https://docs.cohere.com/reference/chat (messages)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolResult, result_text
from triptych.formats.cohere_chat.parts import (
    build_document,
    build_part,
    build_result_part,
    build_thought,
    plan_of,
)
from triptych.formats.openai_chat.messages import CALLED, REASONED, REFUSED, SPOKEN, MessageBuilder
from triptych.formats.spoken import say
from triptych.formats.verbatim import Inexpressible
from triptych.parts import PART_TYPES, Document, Media, Opaque, Part, Text

if TYPE_CHECKING:
    from triptych_wire.openai_chat import AssistantMessage
    from triptych_wire.openai_chat import Message as WireMessage

_PLANNED = REFUSED  # no refusal has a field of its own here
# What may go on in an open assistant message, by what came last; two messages in a row stay two.
_JOINS: Mapping[int, frozenset[int]] = {
    REASONED: frozenset({REASONED, SPOKEN}),
    SPOKEN: frozenset({REASONED}),
    _PLANNED: frozenset({REASONED, SPOKEN}),
    CALLED: frozenset({REASONED, SPOKEN, _PLANNED, CALLED}),
}


@define
class CohereMessageBuilder(MessageBuilder):
    """Builds the messages of one request; see `MessageBuilder`.

    Args:
        documents: Filled with the documents that a request of this API had beside its messages.
    """

    documents: list[Any] = field(factory=list)

    def build(self, instructions: Iterable[str], contents: Iterable[ContentItem]) -> list[WireMessage]:
        """Return the wire messages of a conversation."""
        super().build(instructions, contents)
        messages: list[Any] = self.messages
        messages[:] = [message for message in messages if not _is_empty(message)]
        return self.messages

    def rebuild(self, items: Sequence[ContentItem]) -> list[WireMessage]:
        """Return the wire messages of items that were read from some, empty ones too, for a comparison with them."""
        for item in items:
            self._add("", item)
        return self.messages

    def _add(self, path: str, item: ContentItem) -> None:
        if isinstance(item, Refusal):
            item = Message("assistant", item.refusal)
        elif isinstance(item, Message) and item.role == "developer":
            item = evolve(item, role="system")
        elif isinstance(item, Message) and item.role == "user":
            rest = self._without_documents(item)
            if rest is None:
                return
            item = rest
        super()._add(path, item)

    def _without_documents(self, item: Message) -> Message | None:
        """Put the documents that stood beside the messages back there; return the message that is left, if one is."""
        if isinstance(item.content, str):
            return item
        own = [part for part in item.content if isinstance(part, Document) and part.issuer == self.issuer]
        if not own:
            return item
        self.documents += [build_document(part, self.issuer) for part in own]
        rest = [part for part in item.content if part not in own]
        return evolve(item, content=rest) if rest else None

    def _open(self, stage: int) -> AssistantMessage:
        if self._turn is None or self._stage not in _JOINS[stage]:
            self._turn = {"role": "assistant"}
            self.messages.append(self._turn)
        self._stage = stage
        return self._turn

    def _part(self, part: Part) -> Any:
        return build_part(part, self.issuer)

    def _assistant(self, path: str, item: Message) -> None:
        content, fields = self._content(path, item), self._named(path, {}, item)
        turn = self._open(SPOKEN)
        say(turn, content)
        turn.update(fields)

    def _reasoning(self, path: str, item: Reasoning) -> None:
        plan = plan_of(item)
        if item.issuer != self.issuer:
            self._notice(path, item, "reasoning goes back only to the API that issued it")
        elif self.quirks.reasoning_replay == "never":
            self._notice(path, item, "this API does not take reasoning back")
        elif plan is not None:
            fields: Any = self._open(_PLANNED)
            fields["tool_plan"] = plan
        else:
            say(self._open(REASONED), [build_thought(item, self.issuer)])

    def _result(self, path: str, item: ToolResult) -> WireMessage:
        content: str | list[Any] = item.text
        if any(isinstance(value, Media | Opaque) for value in item.content):
            content = self._result_blocks(path, item)
        message: Any = {"role": "tool", "tool_call_id": item.tool_call_id, "content": content}
        built: WireMessage = self._private(message, item)
        return built

    def _result_blocks(self, path: str, item: ToolResult) -> list[Any]:
        blocks = []
        for index, value in enumerate(item.content):
            part = value if isinstance(value, PART_TYPES) else Text(result_text(value))
            try:
                blocks.append(build_result_part(part, self.issuer))
            except Inexpressible as why:
                if isinstance(part, Opaque):
                    self._notice(f"{path}.content[{index}]", part, why)
                else:
                    self._show_later(f"{path}.content[{index}]", item, part, why)
        return blocks


def _is_empty(message: Mapping[str, Any]) -> bool:
    """Return whether a message is the assistant's and says nothing at all."""
    if message.get("role") != "assistant" or not message.keys() <= {"role", "content"}:
        return False
    content = message.get("content") or []
    return not isinstance(content, str) and all(block == {"type": "text", "text": ""} for block in content)
