"""Messages of OpenAI Chat Completions: a conversation's items to wire messages.

One assistant message holds reasoning, words, a refusal and tool calls, in that order; a conversation holds them as
items. Reference: https://platform.openai.com/docs/api-reference/chat/create (messages).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, evolve, field

from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult, result_text
from triptych.errors import Notice
from triptych.formats.openai_chat.calls import build_call
from triptych.formats.openai_chat.parts import build_part
from triptych.formats.results import failure_in_words, shown_after
from triptych.formats.turns import Builder, sendable
from triptych.formats.verbatim import Inexpressible, opaque, with_provider_data
from triptych.parts import PART_TYPES, Audio, Media, Opaque, Part, Text, Video
from triptych.provider import Quirks

if TYPE_CHECKING:
    from triptych_wire.openai_chat import AssistantMessage
    from triptych_wire.openai_chat import Message as WireMessage

# What an assistant message holds comes in this order; an item that would step back opens the next message.
NEW, REASONED, SPOKEN, REFUSED, CALLED = range(5)


@define
class MessageBuilder(Builder):
    """Builds the messages of one request.

    Args:
        issuer: Whose private data may go out.
        quirks: How the host departs from the reference.
    """

    media_roles: ClassVar[frozenset[str]] = frozenset({"user"})  # whose messages hold media

    quirks: Quirks
    messages: list[WireMessage] = field(factory=list)
    _turn: AssistantMessage | None = None
    _stage: int = NEW
    _reasoned: bool = False
    _shown: list[tuple[ToolResult, list[Part]]] = field(factory=list)  # media that a result cannot hold

    def build(self, instructions: Iterable[str], contents: Iterable[ContentItem]) -> list[WireMessage]:
        """Return the wire messages of a conversation."""
        self.messages.extend(_instruction(self.quirks.instruction_role, text) for text in instructions)
        for index, item in sendable(contents):
            if not isinstance(item, ToolResult):
                self._show()
            self._add(f"contents[{index}]", item)
        self._show()
        if self._reasoned and self.quirks.reasoning_replay == "always":
            self._complete_reasoning()
        return self.messages

    def _add(self, path: str, item: ContentItem) -> None:
        if isinstance(item, ToolCall):
            self._call(build_call(item, self.issuer))
        elif isinstance(item, ToolResult):
            self._answer(path, item)
        elif isinstance(item, Message):
            if item.role == "assistant":
                self._assistant(path, item)
            else:
                message: Any = {"role": item.role, "content": self._content(path, item)}
                self._close(self._named(path, message, item))
        elif isinstance(item, Reasoning):
            self._reasoning(path, item)
        elif isinstance(item, Refusal):
            self._open(REFUSED)["refusal"] = item.refusal
        elif isinstance(item, Opaque):
            self._opaque(path, item)

    def _open(self, stage: int) -> AssistantMessage:
        """Return the assistant message that takes an item of this stage: the open one, or a new one."""
        if self._turn is None or not (self._stage < stage or self._stage == stage == CALLED):
            self._turn = {"role": "assistant", "content": None}
            self.messages.append(self._turn)
        self._stage = stage
        return self._turn

    def _close(self, message: WireMessage) -> None:
        self._turn = None
        self.messages.append(message)

    def _private(self, wire: Any, item: Message | ToolResult) -> Any:
        return wire if self.quirks.strict_fields else with_provider_data(wire, item, self.issuer)

    def _named(self, path: str, message: Any, item: Message) -> Any:
        if item.name is not None:
            if self.quirks.message_name and not self.quirks.strict_fields:
                message["name"] = item.name
            else:
                self._notice(f"{path}.name", "name", "this host refuses it")
        return self._private(message, item)

    def _content(self, path: str, item: Message) -> str | list[Any]:
        if isinstance(item.content, str):
            return item.content
        return self._parts(path, item.content, media=item.role in self.media_roles)

    def _parts(self, path: str, values: Iterable[Part], *, media: bool = True) -> list[Any]:
        parts = []
        for index, part in enumerate(values):
            if not media and isinstance(part, Media) and getattr(part, "text", None) is None:
                self._notice(f"{path}.content[{index}]", part, "only a user's message holds media on this API")
                continue
            try:
                parts.append(self._part(part))
            except Inexpressible as why:
                self._notice(f"{path}.content[{index}]", part, why)
        return parts

    def _part(self, part: Part) -> Any:
        if isinstance(part, Video) and not self.quirks.video:
            raise Inexpressible("this host takes no films")
        return build_part(part, self.issuer)

    def _assistant(self, path: str, item: Message) -> None:
        turn = self._open(SPOKEN)
        if not isinstance(item.content, str) and any(isinstance(part, Audio) for part in item.content):
            item = self._heard(path, item, turn)
        content = self._content(path, item)
        turn["content"] = None if content == [] else content
        turn.update(self._named(path, {}, item))

    def _heard(self, path: str, item: Message, turn: AssistantMessage) -> Message:
        """Refer in `turn` to the sound of an earlier answer by its id; return the message without the sound."""
        for part in item.content:
            if isinstance(part, Audio) and part.file_id is not None and part.issuer == self.issuer:
                turn["audio"] = {"id": part.file_id}
            elif isinstance(part, Audio):
                self._notice(path, part, "the assistant's sound goes back only to the API that made it")
        return evolve(item, content=[part for part in item.content if not isinstance(part, Audio)])

    def _reasoning(self, path: str, item: Reasoning) -> None:
        if item.issuer != self.issuer or item.provider_data is None:
            self._notice(path, item, "reasoning goes back only to the API that issued it")
        elif self.quirks.reasoning_replay == "never":
            self._notice(path, item, "this API does not take reasoning back")
        else:
            fields: Any = item.provider_data  # the host's reasoning fields, as received
            self._open(REASONED).update(fields)
            self._reasoned = True

    def _complete_reasoning(self) -> None:
        name = self.quirks.reasoning_fields[0]
        for message in self.messages:
            if message.get("role") == "assistant":
                fields: Any = message
                fields.setdefault(name, "")

    def _call(self, wire: Any) -> None:
        first = self._turn is None or self._stage != CALLED
        turn: Any = self._open(CALLED)
        if first:
            turn["tool_calls"] = [*(turn.get("tool_calls") or [])]  # one that came with the message stays as it was
        turn["tool_calls"].append(wire)

    def _opaque(self, path: str, item: Opaque) -> None:
        try:
            data = opaque(item, self.issuer)
        except Inexpressible as why:
            self._notice(path, item, why)
            return
        wire: Any = dict(data)
        if "type" in wire and "role" not in wire:
            self._call(wire)  # a call of a kind of its own
        else:
            self._close(wire)  # a message as it was received

    def _answer(self, path: str, item: ToolResult) -> None:
        """Put a result after its call and the results there: the API takes it nowhere else."""
        message = self._result(path, failure_in_words(item))
        place = len(self.messages)
        if place and not _takes_result(self.messages[-1]):
            calls = (index for index in range(place - 1, -1, -1) if _calls(self.messages[index], item.tool_call_id))
            place = next(calls, place - 1) + 1
            while place < len(self.messages) and self.messages[place].get("role") == "tool":
                place += 1
        if place < len(self.messages):
            self.notices.append(Notice(path, "tool result moved up to its call", "the API takes it nowhere else"))
            self.messages.insert(place, message)
        else:
            self._close(message)

    def _result(self, path: str, item: ToolResult) -> WireMessage:
        content: str | list[Any] = item.text
        if any(isinstance(value, Media | Opaque) for value in item.content):
            if self.quirks.tool_content_parts:
                content = self._parts(path, map(_result_part, item.content))
            else:
                self._text_only(path, item)
        message: Any = {"role": "tool", "tool_call_id": item.tool_call_id, "content": content}
        built: WireMessage = self._private(message, item)
        return built

    def _text_only(self, path: str, item: ToolResult) -> None:
        why = "tool results are text only on this API"
        for index, value in enumerate(item.content):
            if isinstance(value, Opaque):
                self._notice(f"{path}.content[{index}]", value, why)
            elif isinstance(value, PART_TYPES) and not isinstance(value, Text):
                self._show_later(f"{path}.content[{index}]", item, value, why)

    def _show_later(self, path: str, item: ToolResult, part: Part, why: object) -> None:
        """Keep a part of a result for a user's message after the results, if a user's message takes it."""
        try:
            self._part(part)
        except Inexpressible as reason:
            self._notice(path, part, reason)
            return
        self.notices.append(Notice(path, f"{type(part).__name__} moved to a user's message after it", str(why)))
        if self._shown and self._shown[-1][0] is item:
            self._shown[-1][1].append(part)
        else:
            self._shown.append((item, [part]))

    def _show(self) -> None:
        shown, self._shown = self._shown, []
        for item, parts in shown:
            self._add("", shown_after(item, parts))


def _takes_result(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "tool" or bool(message.get("tool_calls"))


def _calls(message: Mapping[str, Any], tool_call_id: str) -> bool:
    return any(call.get("id") == tool_call_id for call in message.get("tool_calls") or ())


def _instruction(role: str, text: str) -> WireMessage:
    if role == "developer":
        return {"role": "developer", "content": text}
    return {"role": "system", "content": text}


def _result_part(value: Any) -> Part:
    return value if isinstance(value, PART_TYPES) else Text(result_text(value))
