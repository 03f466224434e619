"""Messages of OpenAI Chat Completions, read back: wire messages to a conversation's items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from attrs import define, evolve, field

from triptych.content import ContentItem, Message, Opaque, Refusal, ToolCall, ToolResult
from triptych.formats.openai_chat.calls import read_calls
from triptych.formats.openai_chat.messages import MessageBuilder
from triptych.formats.openai_chat.parts import read_part
from triptych.formats.openai_chat.reasoning import read_reasoning
from triptych.formats.turns import DistinctIds
from triptych.formats.verbatim import keeping, unsaid
from triptych.parts import Audio, Issuer, Part, Text
from triptych.provider import Quirks

_SPEAKERS = frozenset({"system", "developer", "user"})


@define
class MessageReader:
    """Reads the messages of one request.

    Args:
        issuer: Whose API the messages are for.
        quirks: How that host departs from the reference.
    """

    builder: ClassVar[type[MessageBuilder]] = MessageBuilder  # what builds the messages back

    issuer: Issuer
    quirks: Quirks
    contents: list[ContentItem] = field(factory=list)
    instructions: list[str] = field(factory=list)
    _names: dict[str, str] = field(factory=dict)
    _after_assistant: bool = False

    def read(self, messages: Sequence[Any]) -> None:
        """Fill `instructions` with the plain system messages at the start, and `contents` with all else."""
        for message in messages:
            if not self.contents and self._is_instruction(message):
                self.instructions.append(message["content"])
            else:
                self.contents.extend(self._read(message))
                self._after_assistant = isinstance(message, dict) and message.get("role") == "assistant"

    def _is_instruction(self, message: Any) -> bool:
        plain = isinstance(message, dict) and message.keys() == {"role", "content"}
        return plain and message["role"] == self.quirks.instruction_role and isinstance(message["content"], str)

    def _read(self, message: Any) -> list[ContentItem]:
        if not isinstance(message, dict):
            return [Opaque({"message": message}, issuer=self.issuer)]
        role = message.get("role")
        try:
            if role in _SPEAKERS:
                return [self._spoken(message)]
            if role == "tool":
                return [self._result(message)]
            if role == "assistant" and not message.get("function_call"):
                return self._assistant(message)
        except (KeyError, TypeError, ValueError, AttributeError):
            pass  # a message that the API would refuse, or of a form that it took once: kept as it is
        return [Opaque(message, issuer=self.issuer)]

    def _rebuilt(self, items: Sequence[ContentItem]) -> Mapping[str, Any]:
        return self.builder(self.issuer, evolve(self.quirks, reasoning_replay="sent")).build([], items)[-1]

    def _spoken(self, message: Mapping[str, Any]) -> Message:
        item = Message(message["role"], self._content(message["content"]), name=message.get("name"))
        return keeping(item, message, self._rebuilt([item]), self.issuer)

    def _content(self, content: Any) -> str | list[Part]:
        return content if isinstance(content, str) else [self._part(part) for part in content]

    def _part(self, wire: Any) -> Part:
        return read_part(wire, self.issuer)

    def _result(self, message: Mapping[str, Any]) -> ToolResult:
        tool_call_id = message["tool_call_id"]
        content = message["content"]
        read = [content] if isinstance(content, str) else self._content(content)
        item = ToolResult(tool_call_id, self._names.get(tool_call_id), content=read)
        return keeping(item, message, self._rebuilt([item]), self.issuer)

    def _assistant(self, message: Mapping[str, Any]) -> list[ContentItem]:
        items: list[ContentItem] = []
        reasoning = read_reasoning(message, self.quirks, self.issuer)
        ids = DistinctIds(str(len(self.contents)))
        calls = read_calls(message.get("tool_calls") or [], self.issuer, ids, verbatim=True)
        self._names.update((call.tool_call_id, call.name) for call in calls if isinstance(call, ToolCall))
        spoken = self._words(message)
        if reasoning is not None:
            items.append(reasoning)
        if spoken is not None:
            items.append(spoken)
        if message.get("refusal"):
            items.append(Refusal(message["refusal"]))
        items.extend(calls)
        rest = unsaid({"content": None, **message}, self._rebuilt(items)) if items else dict(message)
        if rest or (spoken is None and (self._after_assistant or items == [reasoning])):
            # Fields without an item, or what would run into the message before or after: a message carries it.
            carrier = spoken or Message("assistant", [])
            carrier = evolve(carrier, provider_data={**(carrier.provider_data or {}), **(rest or {})} or None)
            carrier = evolve(carrier, issuer=self.issuer if rest else carrier.issuer)
            items = [carrier if item is spoken else item for item in items]
            if spoken is None:
                items.insert(0 if reasoning is None else 1, carrier)
        return items

    def _words(self, message: Mapping[str, Any]) -> Message | None:
        content, audio = message.get("content"), message.get("audio")
        heard = [Audio(file_id=audio["id"], issuer=self.issuer)] if isinstance(audio, dict) else []
        if content is None and not heard:
            return None
        words = self._content([] if content is None else content)
        if heard:
            words = [*([Text(words)] if isinstance(words, str) else words), *heard]
        return Message("assistant", words, name=message.get("name"))
