"""Whole answers of Anthropic Messages, played as the streams that hosts send of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

from tests.formats.knife import Knife
from tests.formats.streams import DONE, Wire

_CLOSING = ("stop_reason", "stop_sequence", "stop_details", "container")
PING = {"type": "ping"}


@st.composite
def streams(draw: st.DrawFn, answer: Mapping[str, Any], side_by_side: bool = True) -> list[Wire]:
    """Return a stream that says what `answer` says, cut somewhere and told in one of the hosts' manners.

    Args:
        draw: What hypothesis gives.
        answer: The answer.
        side_by_side: Whether blocks may grow in turns.
    """
    knife = Knife(draw)
    early, late = _usage(knife, answer.get("usage"))
    opening = {**answer, "content": [], **{key: None for key in _CLOSING if key in answer}, **early}
    closing = {key: answer[key] for key in _CLOSING if key in answer}
    numbers = knife.one_of("counted", "gaps", "reused", "missing")
    queues = [list(_block(knife, block, _index(numbers, place))) for place, block in enumerate(answer["content"])]
    woven = side_by_side and numbers in ("counted", "gaps") and knife.one_of(True, False)
    blocks = _interleaved(knife, queues) if woven else [event for queue in queues for event in queue]
    events: list[Wire] = [
        {"type": "message_start", "message": opening},
        *blocks,
        {"type": "message_delta", "delta": closing, **late},
        {"type": "message_stop"},
    ]
    if knife.one_of(True, False):
        events.insert(knife.draw(st.integers(1, len(events) - 1)), PING)
    return [*events, *([DONE] if knife.one_of(True, False) else [])]


def _interleaved(knife: Knife, queues: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the events of all blocks as one: they begin in their order, and go on side by side."""
    starts = [queue[0] for queue in queues]
    return [*starts, *knife.woven([queue[1:] for queue in queues])]


def _index(numbers: str, place: int) -> dict[str, Any]:
    table: Mapping[str, dict[str, Any]] = {"counted": {"index": place}, "gaps": {"index": 3 * place + 1}}
    return table.get(numbers, {"index": 0} if numbers == "reused" else {})


def _usage(knife: Knife, usage: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the usage as the opening and the closing event say it: one of them, both, or each a part."""
    if not isinstance(usage, dict):
        return {"usage": usage}, {}
    manner = knife.one_of("start and delta", "parts", "delta alone", "start alone")
    if manner == "start alone":
        return {"usage": usage}, {}
    if manner == "delta alone":
        return {}, {"usage": usage}
    if manner == "parts":
        read = {key: value for key, value in usage.items() if "output" not in key}
        return {"usage": {**read, "output_tokens": 1}}, {"usage": {k: v for k, v in usage.items() if k not in read}}
    small = {key: min(value, 1) if isinstance(value, int) else value for key, value in usage.items()}
    return {"usage": small}, {"usage": usage}


def _block(knife: Knife, block: Mapping[str, Any], index: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of one block."""
    start, deltas = _cut(knife, dict(block))
    yield {"type": "content_block_start", **index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", **index, "delta": delta}
    yield {"type": "content_block_stop", **index}


def _cut(knife: Knife, block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    kind = block["type"]
    if kind == "text":
        first, *pieces = ["", *knife.pieces(block["text"])]
        if knife.one_of(True, False):  # gateways put words into the opening event
            first, *pieces = [first + pieces[0], *pieces[1:]]
        words = [{"type": "text_delta", "text": piece} for piece in pieces]
        sources = [{"type": "citations_delta", "citation": source} for source in block.get("citations") or []]
        return {**block, "text": first, **({"citations": []} if sources else {})}, knife.woven([words, sources])
    if kind == "thinking":
        pieces = knife.pieces(block["thinking"])
        deltas: list[dict[str, Any]] = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
        if block.get("signature"):
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {**block, "thinking": "", **({"signature": ""} if block.get("signature") else {})}, deltas
    if "input" in block:
        return _cut_input(knife, block)
    return block, []


def _cut_input(knife: Knife, block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    manner = knife.one_of("start", "start and an empty piece", "deltas")
    if manner == "deltas" or (not isinstance(block["input"], dict)):
        given = block["input"]
        pieces = knife.pieces(given) if isinstance(given, str) else knife.json_pieces(given)
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        return {**block, "input": knife.one_of({}, {}, {"stale": 1})}, deltas
    empty = [{"type": "input_json_delta", "partial_json": ""}] if manner != "start" else []
    return block, empty
