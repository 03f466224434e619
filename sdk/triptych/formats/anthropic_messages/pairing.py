"""Tool calls and their results: the API refuses a call that the next turn does not answer, and an answer to no call."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from triptych.errors import Notice
from triptych.formats.turns import safe_id

_UNANSWERED = "No result: this call was not answered."


@define
class WireIds:
    """The ids of calls as one request says them: the API refuses an odd character, and an id that comes twice."""

    _taken: set[str] = field(factory=set)
    _waiting: dict[str, list[str]] = field(factory=dict)

    def of_call(self, tool_call_id: str) -> str:
        """Return the id under which a call goes out."""
        base = name = safe_id(tool_call_id)
        copy = 1
        while name in self._taken:
            copy += 1
            name = f"{base[:56]}_{copy}"
        self._taken.add(name)
        self._waiting.setdefault(tool_call_id, []).append(name)
        return name

    def of_result(self, tool_call_id: str) -> str:
        """Return the id under which a result goes out: that of the first call of its id that waits for one."""
        waiting = self._waiting.get(tool_call_id)
        return waiting.pop(0) if waiting else safe_id(tool_call_id)


def pair_results(messages: list[Any]) -> list[Notice]:
    """Make every turn with calls be followed by exactly their results, first in the user's turn; return what was done.

    A call without a result is answered with an error. A result without a call becomes text.

    Args:
        messages: The wire messages of one request, changed in place.
    """
    notices: list[Notice] = []
    open_ids: list[str] = []
    index = 0
    while index <= len(messages):
        turn = messages[index] if index < len(messages) else None
        if open_ids and (turn is None or turn["role"] != "user"):
            turn = {"role": "user", "content": []}
            messages.insert(index, turn)
        if turn is None:
            break
        if turn["role"] == "user":
            _answer(turn, open_ids, notices)
            open_ids = []
        elif turn["role"] == "assistant":
            open_ids = [str(block.get("id")) for block in _blocks(turn) if _is(block, "tool_use")]
        index += 1
    return notices


def _blocks(turn: Any) -> list[Any]:
    content = turn.get("content")
    return content if isinstance(content, list) else []


def _is(block: Any, kind: str) -> bool:
    # A message that was kept as it came may hold anything.
    return isinstance(block, dict) and block.get("type") == kind


def _answer(turn: Any, open_ids: list[str], notices: list[Notice]) -> None:
    blocks = _blocks(turn)
    results = [block for block in blocks if _is(block, "tool_result") and "tool_use_id" in block]
    answered = [block["tool_use_id"] for block in results]
    if answered == open_ids and blocks[: len(results)] == results:
        return
    wanted = set(open_ids)
    others = [block for block in blocks if block not in results]
    if isinstance(turn.get("content"), str):
        others = [{"type": "text", "text": turn["content"]}]
    orphans = [block for block in results if block["tool_use_id"] not in wanted]
    missing = [tool_use_id for tool_use_id in open_ids if tool_use_id not in answered]
    for tool_use_id in missing:
        what = f"tool call {tool_use_id!r} answered with an error"
        notices.append(Notice("contents", what, "the API refuses a call without a result after it"))
    for block in orphans:
        what = f"tool result {block['tool_use_id']!r} sent as text"
        notices.append(Notice("contents", what, "the API refuses a result without a call before it"))
    turn["content"] = [
        *[block for block in results if block["tool_use_id"] in wanted],
        *[_error(tool_use_id) for tool_use_id in missing],
        *[block for orphan in orphans for block in _as_text(orphan)],
        *others,
    ]


def _error(tool_use_id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": _UNANSWERED, "is_error": True}


def _as_text(result: Any) -> list[Any]:
    content = result.get("content") or "(empty)"
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [{"type": "text", "text": "Result of an earlier tool call:"}, *blocks]
