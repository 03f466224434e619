"""Messages of Mistral's API: a conversation's items to wire messages.

One assistant message holds thoughts and words as chunks of one content, in any order, and after them its calls. The
last message may be the assistant's only as a prefix of the answer, and none of the assistant's may be empty.
Reference: https://docs.mistral.ai/api/endpoint/chat (messages)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, evolve

from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult
from triptych.formats.mistral_chat.chunks import build_part, build_thought
from triptych.formats.mistral_chat.ids import NineIds
from triptych.formats.openai_chat.messages import CALLED, REASONED, SPOKEN, MessageBuilder
from triptych.formats.spoken import say
from triptych.parts import Part

if TYPE_CHECKING:
    from triptych_wire.openai_chat import AssistantMessage
    from triptych_wire.openai_chat import Message as WireMessage

# What may go on in an open assistant message, by what came last; two messages in a row stay two.
_JOINS: Mapping[int, frozenset[int]] = {
    REASONED: frozenset({REASONED, SPOKEN}),
    SPOKEN: frozenset({REASONED}),
    CALLED: frozenset({REASONED, SPOKEN, CALLED}),
}


@define
class MistralMessageBuilder(MessageBuilder):
    """Builds the messages of one request; see `MessageBuilder`."""

    media_roles: ClassVar[frozenset[str]] = frozenset({"user", "assistant"})

    _ids: NineIds | None = None  # None leaves every id as it is

    def build(self, instructions: Iterable[str], contents: Iterable[ContentItem]) -> list[WireMessage]:
        """Return the wire messages of a conversation."""
        items = list(contents)
        self._ids = NineIds(items)
        super().build(instructions, items)
        self._settle()
        return self.messages

    def rebuild(self, items: Sequence[ContentItem]) -> Mapping[str, Any]:
        """Return the wire message of items that were read from one, for a comparison with it."""
        for item in items:
            self._add("", item)
        return self.messages[-1]

    def _settle(self) -> None:
        """Leave out the assistant's empty messages, which the API refuses, and mark a last one as a prefix."""
        messages: list[Any] = self.messages
        messages[:] = [message for message in messages if not _is_empty(message)]
        last = messages[-1] if messages else {}
        if last.get("role") == "assistant" and not last.get("tool_calls"):
            last.setdefault("prefix", True)

    def _add(self, path: str, item: ContentItem) -> None:
        if isinstance(item, Refusal):
            item = Message("assistant", item.refusal)
        elif isinstance(item, Message) and item.role == "developer":
            item = evolve(item, role="system")
        elif isinstance(item, ToolCall | ToolResult) and self._ids is not None:
            name = self._ids.of(item.tool_call_id)
            item = item if name == item.tool_call_id else evolve(item, tool_call_id=name)
        super()._add(path, item)

    def _open(self, stage: int) -> AssistantMessage:
        if self._turn is None or self._stage not in _JOINS[stage]:
            self._turn = {"role": "assistant", "content": ""}
            self.messages.append(self._turn)
        self._stage = stage
        return self._turn

    def _part(self, part: Part) -> Any:
        return build_part(part, self.issuer)

    def _assistant(self, path: str, item: Message) -> None:
        content, fields = self._content(path, item), self._named(path, {}, item)
        if content or fields:  # an empty message does not even part what stands around it
            turn = self._open(SPOKEN)
            say(turn, content)
            turn.update(fields)

    def _reasoning(self, path: str, item: Reasoning) -> None:
        if item.issuer != self.issuer:
            self._notice(path, item, "reasoning goes back only to the API that issued it")
        elif self.quirks.reasoning_replay == "never":
            self._notice(path, item, "this API does not take reasoning back")
        else:
            say(self._open(REASONED), [build_thought(item, self.issuer)])


def _is_empty(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "assistant" and not message.get("content") and not message.get("tool_calls")
