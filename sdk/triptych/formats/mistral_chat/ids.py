"""Ids of tool calls as Mistral takes them: nine letters and digits, for a call and its result alike."""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Iterable

from triptych.content import ContentItem, ToolCall, ToolResult

_LENGTH = 9
_NATIVE = re.compile(r"[a-zA-Z0-9]{9}\Z")
_LETTERS = string.digits + string.ascii_letters


class NineIds:
    """The ids of one request: one that Mistral made stays, any other becomes a name of nine that is as distinct.

    The same conversation always gives the same names.

    Args:
        contents: The conversation; the ids in it that may stay are taken before any is made.
    """

    def __init__(self, contents: Iterable[ContentItem]) -> None:
        ids = (item.tool_call_id for item in contents if isinstance(item, ToolCall | ToolResult))
        self._names = {given: given for given in ids if _NATIVE.match(given)}
        self._taken = set(self._names)

    def of(self, tool_call_id: str) -> str:
        """Return the id under which a call or a result goes out."""
        name = self._names.get(tool_call_id)
        if name is None:
            name, attempt = _named(tool_call_id, 0), 0
            while name in self._taken:
                attempt += 1
                name = _named(tool_call_id, attempt)
            self._names[tool_call_id] = name
            self._taken.add(name)
        return name


def _named(tool_call_id: str, attempt: int) -> str:
    seed = tool_call_id.encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.blake2b(seed, digest_size=8, salt=attempt.to_bytes(4, "big")).digest(), "big")
    letters = []
    for _ in range(_LENGTH):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)
