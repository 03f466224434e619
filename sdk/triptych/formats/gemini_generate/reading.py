"""Contents of Gemini's, read back: the system text and the turns to a conversation's items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from triptych.content import ContentItem, Message, Opaque, ToolCall, ToolResult
from triptych.formats.gemini_generate.parts import (
    is_thought,
    is_words_or_media,
    read_call,
    read_part,
    read_reasoning,
)
from triptych.formats.gemini_generate.results import read_result
from triptych.formats.turns import DistinctIds
from triptych.formats.verbatim import Inexpressible
from triptych.parts import Issuer, Part, Text

_ROLES: Mapping[Any, Any] = {None: "user", "user": "user", "function": "user", "model": "assistant"}


@define
class ContentReader:
    """Reads the system text and the contents of one request.

    Args:
        issuer: Whose API the request is for.
    """

    issuer: Issuer
    contents: list[ContentItem] = field(factory=list)
    instructions: list[str] = field(factory=list)
    _waiting: list[tuple[str | None, ToolCall]] = field(factory=list)
    _ids: DistinctIds = field(factory=lambda: DistinctIds("0"))

    def read(self, system: Any, contents: Sequence[Any]) -> None:
        """Fill `instructions` and `contents`.

        Plain texts are instructions; parts with fields of their own are a system message, so that they go back as they
        were.
        """
        parts = system.get("parts", []) if isinstance(system, dict) else []
        if all(isinstance(part, dict) and part.keys() == {"text"} for part in parts):
            self.instructions.extend(part["text"] for part in parts)
        else:
            self.contents.append(Message("system", [read_part(part, self.issuer) for part in parts]))
        for content in contents:
            self.contents.extend(self._read(content))

    def _read(self, content: Any) -> list[ContentItem]:
        try:
            role = _ROLES[content.get("role")]
            parts = content["parts"]
            if content.keys() <= {"role", "parts"} and isinstance(parts, list):
                return self._of_the_user(parts) if role == "user" else self._of_the_model(parts)
        except (KeyError, TypeError, ValueError, AttributeError, Inexpressible):
            pass  # a turn that the API would refuse: kept as it is
        whole = isinstance(content, dict) and bool(content.keys() & {"role", "parts"})
        return [Opaque(content if whole else {"parts": [content]}, issuer=self.issuer)]

    def _of_the_user(self, parts: Sequence[Any]) -> list[ContentItem]:
        items: list[ContentItem] = []
        said: list[Part] = []
        for part in parts:
            if "functionResponse" in part:
                items += self._message("user", said)
                items.append(self._result(part))
            else:
                said.append(read_part(part, self.issuer))
        return items + self._message("user", said)

    def _message(self, role: Any, said: list[Part]) -> list[Message]:
        """Return the message of the parts so far, if there are any, and empty their list."""
        parts = list(said)
        said.clear()
        if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].provider_data is None:
            return [Message(role, parts[0].text)]
        return [Message(role, parts)] if parts else []

    def _result(self, part: Mapping[str, Any]) -> ToolResult:
        call = self._answered(part["functionResponse"])
        given = part["functionResponse"].get("id") or self._ids.next(None)
        return read_result(part, given if call is None else call.tool_call_id, self.issuer)

    def _answered(self, response: Mapping[str, Any]) -> ToolCall | None:
        """Return the call that a response answers: by its id, else the first of its name that waits."""
        given, name = response.get("id"), response.get("name")
        for place, (call_id, call) in enumerate(self._waiting):
            if call_id == given if given and call_id else name == call.name:
                del self._waiting[place]
                return call
        return None

    def _of_the_model(self, parts: Sequence[Any]) -> list[ContentItem]:
        items: list[ContentItem] = []
        said: list[Part] = []
        for part in parts:
            if is_words_or_media(part):
                said.append(read_part(part, self.issuer))
                continue
            items += self._message("assistant", said)
            if is_thought(part):
                items.append(read_reasoning(part, self.issuer))
            elif "functionCall" in part:
                items.append(self._call(part))
            else:
                items.append(Opaque(part, issuer=self.issuer))
        return items + self._message("assistant", said)

    def _call(self, part: Mapping[str, Any]) -> ToolCall:
        given = part["functionCall"].get("id")
        call = read_call(part, self.issuer, self._ids.next(given), verbatim=True)
        self._waiting.append((given, call))
        return call
