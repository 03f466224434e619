"""Messages of Mistral's API, read back: wire messages to a conversation's items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from attrs import define, evolve

from triptych.content import ContentItem, Message, ToolCall
from triptych.formats.mistral_chat.chunks import read_content, read_part
from triptych.formats.mistral_chat.messages import MistralMessageBuilder
from triptych.formats.openai_chat.calls import read_calls
from triptych.formats.openai_chat.messages import MessageBuilder
from triptych.formats.openai_chat.reading import MessageReader
from triptych.formats.turns import DistinctIds
from triptych.formats.verbatim import unsaid
from triptych.parts import Part


@define
class MistralMessageReader(MessageReader):
    """Reads the messages of one request; see `MessageReader`."""

    builder: ClassVar[type[MessageBuilder]] = MistralMessageBuilder

    _last: Any = None

    def read(self, messages: Sequence[Any]) -> None:
        """Fill `instructions` with the plain system messages at the start, and `contents` with all else."""
        self._last = messages[-1] if messages else None
        super().read(messages)

    def _rebuilt(self, items: Sequence[ContentItem]) -> Mapping[str, Any]:
        return MistralMessageBuilder(self.issuer, evolve(self.quirks, reasoning_replay="sent")).rebuild(items)

    def _part(self, wire: Any) -> Part:
        return read_part(wire, self.issuer)

    def _assistant(self, message: Mapping[str, Any]) -> list[ContentItem]:
        ids = DistinctIds(str(len(self.contents)))
        calls = read_calls(message.get("tool_calls") or [], self.issuer, ids, verbatim=True)
        self._names.update((call.tool_call_id, call.name) for call in calls if isinstance(call, ToolCall))
        items: list[ContentItem] = [*read_content(message.get("content"), self.issuer), *calls]
        rest = unsaid(message, {**(self._rebuilt(items) if items else {"role": "assistant"}), **self._implied(message)})
        if rest:
            place = next((at for at, item in enumerate(items) if isinstance(item, Message)), None)
            if place is None:
                place = len(items) - len(calls)
                items.insert(place, Message("assistant", []))
            items[place] = evolve(items[place], provider_data=rest, issuer=self.issuer)
        return items

    def _implied(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of an assistant message that are built without an item, or say what their absence says."""
        implied = {name: message[name] for name in ("content", "tool_calls") if not message.get(name, True)}
        last = message is self._last and not message.get("tool_calls")
        if "prefix" in message and message["prefix"] is last:
            implied["prefix"] = last
        return implied
