"""Messages of Ollama's chat API: a conversation's items to wire messages.

One assistant message holds a thought, words and tool calls, in that order; a conversation holds them as items. Results
follow their calls. Reference: https://docs.ollama.com/api/chat (messages).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from attrs import define, field

from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult
from triptych.errors import Notice
from triptych.formats.ollama_chat.calls import build_call
from triptych.formats.ollama_chat.pairing import ResultPlaces
from triptych.formats.ollama_chat.parts import build_image, build_text, joined
from triptych.formats.results import failure_in_words
from triptych.formats.turns import Builder, sendable
from triptych.formats.verbatim import Inexpressible, opaque, with_provider_data
from triptych.parts import Image, Opaque

if TYPE_CHECKING:
    from triptych_wire.ollama_chat import AssistantMessage
    from triptych_wire.ollama_chat import Message as WireMessage

# What an assistant message holds comes in this order; an item that would step back opens the next message.
_NEW, _REASONED, _SPOKEN, _CALLED = range(4)
_ROLES = {"developer": "system"}


@define
class MessageBuilder(Builder):
    """Builds the messages of one request.

    Args:
        issuer: Whose private data may go out.
        messages: Filled with the messages.
    """

    messages: list[WireMessage] = field(factory=list)
    _turn: AssistantMessage | None = None
    _stage: int = _NEW
    _places: ResultPlaces = field(factory=ResultPlaces)

    def build(self, instructions: Iterable[str], contents: Iterable[ContentItem]) -> list[WireMessage]:
        """Return the wire messages of a conversation."""
        self.messages.extend({"role": "system", "content": text} for text in instructions)
        for index, item in sendable(contents):
            self._add(f"contents[{index}]", item)
        return self.messages

    def _add(self, path: str, item: ContentItem) -> None:
        if isinstance(item, ToolCall):
            self._call(path, item)
        elif isinstance(item, ToolResult):
            self._answer(path, item)
        elif isinstance(item, Message):
            self._speak(path, item)
        elif isinstance(item, Reasoning):
            self._reason(path, item)
        elif isinstance(item, Refusal):
            self._open(_SPOKEN)["content"] = item.refusal
        elif isinstance(item, Opaque):
            self._opaque(path, item)

    def _open(self, stage: int) -> AssistantMessage:
        """Return the assistant message that takes an item of this stage: the open one, or a new one."""
        if self._turn is None or not (self._stage < stage or self._stage == stage == _CALLED):
            self._turn = {"role": "assistant", "content": ""}
            self.messages.append(self._turn)
        self._stage = stage
        return self._turn

    def _close(self, message: WireMessage) -> None:
        self._turn = None
        self.messages.append(message)

    def _speak(self, path: str, item: Message) -> None:
        if item.name is not None:
            self._notice(f"{path}.name", "name", "this API has none")
        spoken = item.role == "assistant"
        fields = self._content(path, item.content, "" if spoken else "\n")
        if spoken:
            turn: Any = self._open(_SPOKEN)
            turn.update(with_provider_data(fields, item, self.issuer))
        else:
            if item.role == "user":
                self._places.spoken()
            message: Any = {"role": _ROLES.get(item.role, item.role), **fields}
            self._close(with_provider_data(message, item, self.issuer))

    def _content(self, path: str, content: str | Iterable[Any], separator: str) -> dict[str, Any]:
        """Return the fields that hold the words and the pictures of a message."""
        if isinstance(content, str):
            return {"content": content}
        texts, images = [], []
        for index, value in enumerate(content):
            try:
                if isinstance(value, Image):
                    images.append(build_image(value))
                else:
                    texts.append(build_text(value))
            except Inexpressible as why:
                self._notice(f"{path}.content[{index}]", value, why)
        return {"content": joined(texts, separator), **({"images": images} if images else {})}

    def _reason(self, path: str, item: Reasoning) -> None:
        if item.issuer != self.issuer:
            self._notice(path, item, "reasoning goes back only to the API that issued it")
        else:
            self._open(_REASONED)["thinking"] = item.text

    def _call(self, path: str, item: ToolCall) -> None:
        if item.malformed:
            what, why = 'text that is no JSON object sent as {"raw_arguments": …}', "the API takes a JSON object only"
            self.notices.append(Notice(f"{path}.arguments", what, why))
        turn = self._append_call(build_call(item, self.issuer))
        self._places.called(item, turn)

    def _append_call(self, wire: Any) -> AssistantMessage:
        first = self._turn is None or self._stage != _CALLED
        turn = self._open(_CALLED)
        if first:
            turn["tool_calls"] = [*(turn.get("tool_calls") or [])]  # one that came with the message stays as it was
        turn["tool_calls"].append(wire)
        return turn

    def _opaque(self, path: str, item: Opaque) -> None:
        try:
            data = opaque(item, self.issuer)
        except Inexpressible as why:
            self._notice(path, item, why)
            return
        wire: Any = dict(data)
        if "role" in wire:
            self._close(wire)  # a message as it was received
        else:
            self._append_call(wire)  # a call of a kind of its own

    def _answer(self, path: str, item: ToolResult) -> None:
        """Put a result after its call, before the results of later calls of the same tool."""
        message = self.result(item, path)
        place = self._places.of_result(item.tool_call_id, message, self.messages)
        moved = self.messages[place:]
        if any(other.get("role") != "tool" for other in moved):
            self.notices.append(Notice(path, "tool result moved up to its call", "the API looks for it nowhere else"))
        if moved:
            self.messages.insert(place, message)
        else:
            self._close(message)

    def result(self, item: ToolResult, path: str = "") -> Any:
        """Return the wire form of a tool result, with the name of the tool where it is known.

        A result without a name that was read from this API goes back without: old clients send none.
        """
        content = failure_in_words(item).content
        message: dict[str, Any] = {"role": "tool", **self._content(path, content, "\n")}
        name = item.name
        if item.issuer != self.issuer:
            name = self._places.name_of(item.tool_call_id) or name
        if name is not None:
            message["tool_name"] = name
        return with_provider_data(message, item, self.issuer)
