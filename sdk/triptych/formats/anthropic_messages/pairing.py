"""Tool calls and their results: the API refuses a call that the next turn does not answer, and an answer to no call."""

from __future__ import annotations

from typing import Any

from triptych.errors import Notice

_UNANSWERED = "No result: this call was not answered."


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
            open_ids = [block["id"] for block in _blocks(turn) if block.get("type") == "tool_use"]
        index += 1
    return notices


def _blocks(turn: Any) -> list[Any]:
    return turn["content"] if isinstance(turn["content"], list) else []


def _answer(turn: Any, open_ids: list[str], notices: list[Notice]) -> None:
    blocks = _blocks(turn)
    results = [block for block in blocks if block.get("type") == "tool_result"]
    answered = [block["tool_use_id"] for block in results]
    if answered == open_ids and blocks[: len(results)] == results:
        return
    wanted = set(open_ids)
    others = [block for block in blocks if block.get("type") != "tool_result"]
    if isinstance(turn["content"], str):
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
