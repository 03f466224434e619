"""Messages of Ollama's chat API, read back: wire messages to a conversation's items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, evolve, field

from triptych.content import ContentItem, Message, Opaque, Reasoning, ToolCall, ToolResult
from triptych.formats.ollama_chat.calls import read_calls
from triptych.formats.ollama_chat.messages import MessageBuilder
from triptych.formats.ollama_chat.parts import read_content
from triptych.formats.turns import DistinctIds
from triptych.formats.verbatim import keeping, unsaid
from triptych.parts import Issuer

_SPEAKERS = frozenset({"system", "user"})


@define
class MessageReader:
    """Reads the messages of one request.

    Args:
        issuer: Whose API the messages are for.
    """

    issuer: Issuer
    contents: list[ContentItem] = field(factory=list)
    instructions: list[str] = field(factory=list)
    _waiting: list[tuple[str | None, ToolCall]] = field(factory=list)
    _after_assistant: bool = False

    def read(self, messages: Sequence[Any]) -> None:
        """Fill `instructions` with the plain system messages at the start, and `contents` with all else."""
        for message in messages:
            if not self.contents and _is_instruction(message):
                self.instructions.append(message["content"])
                continue
            role = message.get("role") if isinstance(message, dict) else None
            if role != "tool":
                self._waiting.clear()  # results follow their calls
            self.contents.extend(self._read(role, message))
            self._after_assistant = role == "assistant"

    def _read(self, role: Any, message: Any) -> list[ContentItem]:
        try:
            if role in _SPEAKERS:
                item = Message(role, read_content(message))
                return [keeping(item, message, self._rebuilt([item]), self.issuer)]
            if role == "tool":
                return [self._result(message)]
            if role == "assistant":
                return self._assistant(message)
        except (KeyError, TypeError, ValueError, AttributeError):
            pass  # a message that the API would refuse: kept as it is
        data = message if isinstance(role, str) else {"role": None, "message": message}
        return [Opaque(data, issuer=self.issuer)]

    def _rebuilt(self, items: Sequence[ContentItem]) -> Mapping[str, Any]:
        return MessageBuilder(self.issuer).build([], items)[-1]

    def _result(self, message: Mapping[str, Any]) -> ToolResult:
        content = read_content(message)
        call = self._answered(message)
        given = message.get("tool_call_id") or f"result_{len(self.contents)}"
        item = ToolResult(given if call is None else call.tool_call_id, message.get("tool_name"), content=content)
        item = evolve(item, issuer=self.issuer)  # a name that is not there is not made up
        return keeping(item, message, MessageBuilder(self.issuer).result(item), self.issuer)

    def _answered(self, message: Mapping[str, Any]) -> ToolCall | None:
        """Return the call that a result answers: by its id, by the tool's name, else the first that waits."""
        given, name = message.get("tool_call_id"), message.get("tool_name")
        for place, (call_id, call) in enumerate(self._waiting):
            if call_id == given if given else name in (None, call.name):
                del self._waiting[place]
                return call
        return None

    def _assistant(self, message: Mapping[str, Any]) -> list[ContentItem]:
        items: list[ContentItem] = []
        wires = message.get("tool_calls") or []
        calls = read_calls(wires, self.issuer, DistinctIds(str(len(self.contents))), verbatim=True)
        if message.get("thinking"):
            items.append(Reasoning(message["thinking"], issuer=self.issuer))
        words = read_content(message)
        spoken = Message("assistant", words) if words else None
        if spoken is not None:
            items.append(spoken)
        items.extend(calls)
        rest = unsaid({"content": "", **message}, self._rebuilt(items)) if items else dict(message)
        if rest or (spoken is None and (self._after_assistant or not calls)):
            # Fields without an item, or what would run into the message before or after: a message carries it.
            carrier = spoken or Message("assistant", "")
            if rest:
                carrier = evolve(carrier, provider_data=rest, issuer=self.issuer)
            items = [carrier if item is spoken else item for item in items]
            if spoken is None:
                items.insert(len(items) - len(calls), carrier)
        self._waiting = [
            (wire.get("id"), call) for wire, call in zip(wires, calls, strict=True) if isinstance(call, ToolCall)
        ]
        return items


def _is_instruction(message: Any) -> bool:
    plain = isinstance(message, dict) and message.keys() == {"role", "content"}
    return plain and message["role"] == "system" and isinstance(message["content"], str)
