"""Contents of Gemini's: a conversation's items to the system text and to turns.

Thoughts, words and calls of the model are parts of one turn; the results of its calls are a turn of the user's, which
holds nothing else. A message after a message of its own role stands alone.
Reference: https://ai.google.dev/api/caching#Content
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult
from triptych.errors import Notice
from triptych.formats.gemini_generate.pairing import UNANSWERED, Pairs, paired, run_end
from triptych.formats.gemini_generate.parts import build_call, build_part, build_reasoning, text_part
from triptych.formats.gemini_generate.results import BuiltResult, build_result
from triptych.formats.results import announcement
from triptych.formats.turns import Builder, sendable
from triptych.formats.verbatim import Inexpressible, opaque
from triptych.parts import Media, Opaque, Part, Text

if TYPE_CHECKING:
    from triptych_wire.gemini_generate import Content

_SYSTEM_ROLES = frozenset({"system", "developer"})


@define
class ContentBuilder(Builder):
    """Builds the system text and the contents of one request.

    Args:
        issuer: Whose private data may go out.
        media_inside: Whether the model takes media inside a function's response.
        system: Filled with the parts of the system text.
        contents: Filled with the turns.
    """

    media_inside: bool = True
    system: list[Any] = field(factory=list)
    contents: list[Any] = field(factory=list)
    _turn: list[Any] | None = None  # the parts of the model's turn that is open
    _after_message: bool = False
    _calls: list[tuple[int, ToolCall, Any]] = field(factory=list)  # of the open turn: place, call, part
    _pairs: Pairs = field(factory=Pairs)
    _items: list[tuple[int, ContentItem]] = field(factory=list)

    def build(self, instructions: Sequence[str], contents: Iterable[ContentItem]) -> list[Content]:
        """Fill `system` and `contents` with a conversation; return the contents."""
        self.system.extend(text_part(text) for text in instructions if text)
        self._items = list(sendable(contents))
        self._pairs = paired(self._items)
        for number, (place, item) in enumerate(self._items):
            if _ends_the_models_turn(item):
                self._answer_calls(number)
            self._add(place, f"contents[{place}]", item)
        self._answer_calls(len(self._items))
        return self.contents

    def _add(self, place: int, path: str, item: ContentItem) -> None:
        if isinstance(item, Message):
            self._speak(path, item)
        elif isinstance(item, Refusal):
            self._speak(path, Message("assistant", item.refusal))
        elif isinstance(item, ToolCall):
            self._call(place, path, item)
        elif isinstance(item, ToolResult):
            if place not in self._pairs.answering:
                self._tell(path, item)
        elif isinstance(item, Reasoning):
            self._try(path, item, lambda: self._append(build_reasoning(item, self.issuer)))
        elif isinstance(item, Opaque):
            self._try(path, item, lambda: self._keep(opaque(item, self.issuer)))

    def _try(self, path: str, item: object, build: Callable[[], None]) -> None:
        try:
            build()
        except Inexpressible as why:
            self._notice(path, item, why)

    def _append(self, *parts: Any, message: bool = False) -> None:
        """Put parts into the model's open turn, or into a new one."""
        if self._turn is None or (message and self._after_message and not self._calls):
            self._turn = []
            self.contents.append({"role": "model", "parts": self._turn})
        self._turn.extend(parts)
        self._after_message = message

    def _user(self, parts: list[Any]) -> None:
        self._turn = None
        self._after_message = False
        if parts:
            self.contents.append({"role": "user", "parts": parts})

    def _keep(self, data: Any) -> None:
        """Put a turn, or a part of the model's, in as it was received."""
        parts = data.get("parts")
        if isinstance(parts, list):
            parts = [dict(part) if isinstance(part, dict) else part for part in parts]
        if not data.keys() & {"role", "parts"}:
            self._append(data)
        elif data.keys() == {"role", "parts"} and data["role"] == "model" and isinstance(parts, list):
            self._append(*parts)
        else:
            self._user([])
            self.contents.append({**data, "parts": parts} if "parts" in data else dict(data))

    def _speak(self, path: str, item: Message) -> None:
        if item.name is not None:
            self._notice(f"{path}.name", "name", "this API has none")
        parts = self._parts(path, item)
        if item.role in _SYSTEM_ROLES:
            if self.contents and parts:
                why = "this API takes none in the middle of a conversation"
                self._notice(path, "system message", why, "moved to the system text")
            self.system.extend(parts)
        elif parts and item.role == "user":
            self._user(parts)
        elif parts:
            self._append(*parts, message=True)

    def _parts(self, path: str, item: Message) -> list[Any]:
        content: Sequence[Part] = [Text(item.content)] if isinstance(item.content, str) else item.content
        parts: list[Any] = []
        for index, part in enumerate(content):
            where = f"{path}.content[{index}]"
            if item.role in _SYSTEM_ROLES and isinstance(part, Media):
                self._notice(where, part, "system text holds words only")
            elif not isinstance(part, Text) or part.text or part.provider_data:  # no words are no loss
                try:
                    parts.append(build_part(part, self.issuer))
                except Inexpressible as why:
                    self._notice(where, part, why)
        return parts

    def _call(self, place: int, path: str, item: ToolCall) -> None:
        if item.malformed:
            why = "the API takes a JSON object only"
            self._notice(f"{path}.arguments", "text that is no JSON object", why, 'sent as {"raw_arguments": …}')
        part = build_call(item, self.issuer)
        self._append(part)
        self._calls.append((place, item, part))

    def _answer_calls(self, number: int) -> None:
        """Answer the calls of the turn that ends before the item of this number: in one turn, in their order."""
        calls, self._calls = self._calls, []
        if not calls:
            return
        end = run_end(self._items, number)
        answers: list[Any] = []
        media: list[Any] = []
        for place, call, part in calls:
            built = self._answer(place, call, part["functionCall"].get("id"), end)
            answers.append(built.part)
            if built.media:
                media += [text_part(announcement(call.name)), *built.media]
        self._user(answers)
        self._user(media)

    def _answer(self, place: int, call: ToolCall, wire_id: str | None, end: int) -> BuiltResult:
        if place not in self._pairs.results:
            what = f"tool call {call.tool_call_id!r} answered with an error"
            self.notices.append(Notice("contents", what, "the API refuses a call without a result after it"))
            unanswered = ToolResult(call.tool_call_id, call.name, "error", [UNANSWERED])
            return build_result(unanswered, call.name, wire_id, self.issuer, media_inside=True)
        found, result = self._pairs.results[place]
        path = f"contents[{found}]"
        if found >= end:
            self._notice(path, "tool result", "the API looks for it nowhere else", "moved up to its call")
        built = build_result(result, call.name, wire_id, self.issuer, media_inside=self.media_inside)
        self._note_unsaid(path, built)
        return built

    def _note_unsaid(self, path: str, built: BuiltResult) -> None:
        for index, value, why in built.unsaid:
            self._notice(f"{path}.content[{index}]", value, why)

    def _tell(self, path: str, item: ToolResult) -> None:
        """Say a result without a call in words."""
        what = f"tool result {item.tool_call_id!r}"
        self._notice(path, what, "the API refuses a result without a call before it", "sent as text")
        built = build_result(item, item.name or "", None, self.issuer, media_inside=False)
        self._note_unsaid(path, built)
        self._user([text_part("Result of an earlier tool call:"), text_part(item.text or "(empty)"), *built.media])


def _ends_the_models_turn(item: ContentItem) -> bool:
    if isinstance(item, Message):
        return item.role == "user"
    return isinstance(item, ToolResult) or (isinstance(item, Opaque) and bool(item.data.keys() & {"role", "parts"}))
