"""What every chat API needs of a conversation: items that can be sent, and calls that have their results."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from attrs import define, field

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
from triptych.errors import Notice
from triptych.parts import Issuer, Text

Kept = TypeVar("Kept")

_NEVER_SENT = (Deleted, ErrorItem)


@define
class Builder:
    """Builds what a request says of a conversation; each API has one of its own.

    Args:
        issuer: Whose private data may go out.
    """

    issuer: Issuer
    notices: list[Notice] = field(factory=list, init=False)  # filled with what cannot be said

    def _notice(self, path: str, what: object, why: object, done: str = "left out") -> None:
        """Note that a thing of the request (its name, or an item) is not said as it stands."""
        name = what if isinstance(what, str) else type(what).__name__
        self.notices.append(Notice(path, f"{name} {done}", str(why)))


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
    waiting: Counter[str] = Counter()
    seen: set[str] = set()
    orphans = []
    for item in contents:
        if isinstance(item, ToolCall):
            waiting[item.tool_call_id] += 1
            seen.add(item.tool_call_id)
        elif isinstance(item, ToolResult):
            if item.tool_call_id not in seen:
                orphans.append(item.tool_call_id)
            elif waiting[item.tool_call_id]:
                waiting[item.tool_call_id] -= 1
    return [tool_call_id for tool_call_id, count in waiting.items() if count], orphans


@define
class WaitingCalls(Generic[Kept]):
    """The calls of a conversation that wait for their results, and what is kept of each.

    Hosts that count from 0 in each answer give one id to calls of several turns: a result answers one of the latest
    turn, since an earlier one was broken off. The calls of one turn are answered in their order.
    """

    _turn: int = 0
    _waiting: dict[str, list[tuple[int, Kept]]] = field(factory=dict)

    def called(self, tool_call_id: str, kept: Kept) -> None:
        """Note a call."""
        self._waiting.setdefault(tool_call_id, []).append((self._turn, kept))

    def spoken(self) -> None:
        """Note that somebody else than the model speaks: what it calls next is of another turn."""
        self._turn += 1

    def answered(self, tool_call_id: str) -> Kept | None:
        """Note a result; return what was kept of the call that it answers, or None where none waits for it."""
        self._turn += 1
        waiting = self._waiting.get(tool_call_id)
        if not waiting:
            return None
        latest, _ = waiting[-1]
        place = next(place for place, (turn, _) in enumerate(waiting) if turn == latest)
        return waiting.pop(place)[1]


class DistinctIds:
    """Gives each call of one answer an id that is not empty and not another's, the same for the same input.

    Some hosts count from 0 in each answer, and some name a call by its tool: a result could not tell whose it is.

    Args:
        seed: What tells this answer from the others of the conversation.
        before: The conversation before the answer; no id in it is given again.
    """

    def __init__(self, seed: str, before: Iterable[ContentItem] = ()) -> None:
        self._seed = seed
        self._before = before
        self._taken: set[str] | None = None
        self._count = 0

    def next(self, given: str | None) -> str:
        """Return the id of the next call: the one it came with, unless that is empty or taken."""
        if self._taken is None:  # an answer without calls need not look
            self._taken = {item.tool_call_id for item in self._before if isinstance(item, ToolCall | ToolResult)}
        base = name = given or f"call_{self._seed}_{self._count}"
        self._count += 1
        copy = 1
        while name in self._taken:
            copy += 1
            name = f"{base}_{copy}"
        self._taken.add(name)
        return name


_SAFE_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")


def safe_id(tool_call_id: str) -> str:
    """Return an id of letters, digits, "_" and "-" for any id: itself where it is one, else one that is as distinct."""
    if _SAFE_ID.match(tool_call_id):
        return tool_call_id
    digest = hashlib.blake2b(tool_call_id.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{re.sub(r'[^a-zA-Z0-9_-]', '_', tool_call_id)[:48]}_{digest}"
