"""What every chat API needs of a conversation: items that can be sent, and calls that have their results."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

from triptych import jsontext
from triptych.content import (
    ClientContext,
    CompressionFiller,
    ContentItem,
    Deleted,
    ErrorItem,
    Message,
    ToolCall,
    ToolResult,
)
from triptych.parts import Text

_NEVER_SENT = (Deleted, ErrorItem)


def sendable(contents: Iterable[ContentItem]) -> Iterator[tuple[int, ContentItem]]:
    """Yield the items that a model reads, with their index in `contents`.

    Tombstones and errors are left out; a filler becomes a message of its role; what the user was looking at becomes a
    text of the user's turn, as `<ctx>` with the facts in JSON.
    """
    for index, item in enumerate(contents):
        if isinstance(item, _NEVER_SENT):
            continue
        if isinstance(item, CompressionFiller):
            yield index, Message(item.role, CompressionFiller.TEXT)
        elif isinstance(item, ClientContext):
            yield index, Message("user", [Text(f"<ctx>{jsontext.encode_text(item.context)}</ctx>")])
        else:
            yield index, item


def unanswered(contents: Iterable[ContentItem]) -> tuple[list[str], list[str]]:
    """Return the ids of the tool calls without a result after them, and of the results without a call before them."""
    calls: dict[str, None] = {}
    seen: set[str] = set()
    orphans = []
    for item in contents:
        if isinstance(item, ToolCall):
            calls[item.tool_call_id] = None
            seen.add(item.tool_call_id)
        elif isinstance(item, ToolResult):
            if item.tool_call_id not in seen:
                orphans.append(item.tool_call_id)
            calls.pop(item.tool_call_id, None)
    return list(calls), orphans


class DistinctIds:
    """Gives each call of one answer an id that is not empty and not another's, the same for the same input.

    Args:
        seed: What tells this answer from the others of the conversation.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._taken: set[str] = set()

    def next(self, given: str | None) -> str:
        """Return the id of the next call: the one it came with, unless that is empty or taken."""
        base = name = given or f"call_{self._seed}_{len(self._taken)}"
        copy = 1
        while name in self._taken:
            copy += 1
            name = f"{base}_{copy}"
        self._taken.add(name)
        return name


def distinct_ids(ids: Iterable[str | None], seed: str) -> list[str]:
    """Return one id for each of `ids`; see `DistinctIds`."""
    distinct = DistinctIds(seed)
    return [distinct.next(given) for given in ids]


_SAFE_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")


def safe_id(tool_call_id: str) -> str:
    """Return an id of letters, digits, "_" and "-" for any id: itself where it is one, else one that is as distinct."""
    if _SAFE_ID.match(tool_call_id):
        return tool_call_id
    digest = hashlib.blake2b(tool_call_id.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{re.sub(r'[^a-zA-Z0-9_-]', '_', tool_call_id)[:48]}_{digest}"
