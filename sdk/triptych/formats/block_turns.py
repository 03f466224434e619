"""Turns made of blocks: some APIs refuse a call that the next turn does not answer, and an answer to no call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field, frozen

from triptych.content import ContentItem, Message, Role
from triptych.errors import Notice
from triptych.formats.turns import WaitingCalls, safe_id
from triptych.parts import Part

_UNANSWERED = "No result: this call was not answered."


@frozen
class BlockShapes:
    """How an API says the blocks of calls and results.

    Args:
        call_id: Returns the id of a block that is a call which the caller answers; None for another block.
        result_id: Returns the id of the call that a block answers; None for another block.
        failed: Makes the result of a call that failed, from its id and the words.
        shown: Makes the blocks of a turn that show what is in a result.
        text: Makes a text block.
    """

    call_id: Callable[[Any], str | None]
    result_id: Callable[[Any], str | None]
    failed: Callable[[str, str], Any]
    shown: Callable[[Any], list[Any]]
    text: Callable[[str], Any]


@define
class WireIds:
    """The ids of calls as one request says them: the APIs refuse an odd character, and an id that comes twice."""

    _taken: set[str] = field(factory=set)
    _waiting: WaitingCalls[str] = field(factory=WaitingCalls)

    def of_call(self, tool_call_id: str) -> str:
        """Return the id under which a call goes out."""
        base = name = safe_id(tool_call_id)
        copy = 1
        while name in self._taken:
            copy += 1
            name = f"{base[:56]}_{copy}"
        self._taken.add(name)
        self._waiting.called(tool_call_id, name)
        return name

    def of_result(self, tool_call_id: str) -> str:
        """Return the id under which a result goes out: that of the call that it answers."""
        return self._waiting.answered(tool_call_id) or safe_id(tool_call_id)

    def spoken(self) -> None:
        """Note that somebody else than the model speaks."""
        self._waiting.spoken()


def pair_results(messages: list[Any], shapes: BlockShapes) -> list[Notice]:
    """Make every turn with calls be followed by exactly their results, first in the user's turn; return what was done.

    A call without a result is answered with an error. A result without a call becomes text.

    Args:
        messages: The wire messages of one request, changed in place.
        shapes: How the API says calls and results.
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
            _answer(turn, open_ids, notices, shapes)
            open_ids = []
        elif turn["role"] == "assistant":
            found = (shapes.call_id(block) for block in _blocks(turn))
            open_ids = [call_id for call_id in found if call_id is not None]
        index += 1
    return notices


def _blocks(turn: Any) -> list[Any]:
    # A message that was kept as it came may hold anything.
    content = turn.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _answer(turn: Any, open_ids: list[str], notices: list[Notice], shapes: BlockShapes) -> None:
    blocks = _blocks(turn)
    results = [(call_id, block) for block in blocks if (call_id := shapes.result_id(block)) is not None]
    answered = [call_id for call_id, _ in results]
    if answered == open_ids and blocks[: len(results)] == [block for _, block in results]:
        return
    wanted = set(open_ids)
    others = [block for block in blocks if shapes.result_id(block) is None]
    if isinstance(turn.get("content"), str):
        others = [shapes.text(turn["content"])]
    orphans = [(call_id, block) for call_id, block in results if call_id not in wanted]
    missing = [call_id for call_id in open_ids if call_id not in answered]
    for call_id in missing:
        what = f"tool call {call_id!r} answered with an error"
        notices.append(Notice("contents", what, "the API refuses a call without a result after it"))
    for call_id, _ in orphans:
        what = f"tool result {call_id!r} sent as text"
        notices.append(Notice("contents", what, "the API refuses a result without a call before it"))
    turn["content"] = [
        *[block for call_id, block in results if call_id in wanted],
        *[shapes.failed(call_id, _UNANSWERED) for call_id in missing],
        *[block for _, orphan in orphans for block in _as_text(orphan, shapes)],
        *others,
    ]


def _as_text(result: Any, shapes: BlockShapes) -> list[Any]:
    shown = shapes.shown(result) or [shapes.text("(empty)")]
    return [shapes.text("Result of an earlier tool call:"), *shown]


def trim_prefill(messages: list[Any]) -> None:
    """Strip the white space at the end of a last turn of the assistant's, which the APIs refuse there.

    Args:
        messages: The wire messages of one request, changed in place; a turn of which nothing is left is taken out.
    """
    while messages and messages[-1]["role"] == "assistant":
        content = _stripped(messages[-1].get("content"))
        if content:
            messages[-1]["content"] = content
            return
        messages.pop()


def _stripped(content: Any) -> Any:
    if isinstance(content, str):
        return content.rstrip()
    if not isinstance(content, list):
        return content
    blocks = list(content)
    while blocks and isinstance(blocks[-1], dict) and isinstance(blocks[-1].get("text"), str):
        text = blocks[-1]["text"].rstrip()
        if text:
            blocks[-1] = {**blocks[-1], "text": text}
            break
        blocks.pop()
    return blocks


def read_turn(
    role: Role,
    blocks: Sequence[Any],
    item_of: Callable[[Any], ContentItem | None],
    part_of: Callable[[Any], Part],
) -> list[ContentItem]:
    """Return the items that the blocks of one turn say; neighbouring parts are one message.

    Args:
        role: Whose turn it is.
        blocks: The blocks in order.
        item_of: Returns the item that a block is by itself; None where it is a part of a message.
        part_of: Returns the part that another block is.
    """
    items: list[ContentItem] = []
    parts: list[Part] = []
    for block in blocks:
        item = item_of(block)
        if item is None:
            parts.append(part_of(block))
            continue
        if parts:
            items.append(Message(role, parts))
            parts = []
        items.append(item)
    return [*items, Message(role, parts)] if parts else items
