"""Whole answers of OpenAI Chat Completions, played as the streams that hosts send of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.formats.knife import Knife
from tests.formats.streams import DONE, Wire

Delta = dict[str, Any]

_WORDS = frozenset({"content", "refusal", "reasoning", "reasoning_content"})
_BLOCK_TEXTS = ("text", "summary", "signature", "data")
_MANNERS = ("indexed", "gaps")
_MANNERS_BY_ID = ("reused", "first id", "each id")


@st.composite
def streams(draw: st.DrawFn, answer: Mapping[str, Any], side_by_side: bool = True) -> list[Wire]:
    """Return a stream that says what `answer` says, cut somewhere and told in one of the hosts' manners.

    Args:
        draw: What hypothesis gives.
        answer: The answer.
        side_by_side: Whether choices may grow in turns.
    """
    knife = Knife(draw)
    top = {key: value for key, value in answer.items() if key not in ("choices", "usage", "object")}
    frame = {"object": "chat.completion.chunk"}
    each = knife.one_of(True, False)
    queues = [_choice(knife, choice, place) for place, choice in enumerate(answer["choices"])]
    told = knife.woven(queues) if side_by_side else [piece for queue in queues for piece in queue]
    chunks: list[Wire] = [{**frame, **(top if each or not at else {}), "choices": [c]} for at, c in enumerate(told)]
    if not chunks:
        chunks = [{**frame, **top, "choices": []}]
    if knife.one_of(True, False):  # Azure's first chunk
        chunks.insert(0, {"id": "", "model": "", **frame, "choices": [], "prompt_filter_results": []})
    if "usage" in answer:
        _say_usage(knife, chunks, answer["usage"])
    whole = all(choice.get("finish_reason") is not None for choice in answer["choices"])
    return [*chunks, *([] if whole and answer["choices"] and knife.one_of(True, False) else [DONE])]


def _say_usage(knife: Knife, chunks: list[Any], usage: Any) -> None:
    manner = knife.one_of("last chunk", "own chunk", "growing", "nulls before")
    if manner == "nulls before":
        for chunk in chunks:
            chunk["usage"] = None
    if manner == "growing" and isinstance(usage, dict):
        for chunk in chunks:
            chunk["usage"] = {key: 1 if isinstance(value, int) else value for key, value in usage.items()}
    if manner == "last chunk":
        chunks[-1]["usage"] = usage
    else:
        chunks.append({"object": "chat.completion.chunk", "choices": [], "usage": usage})


def _choice(knife: Knife, choice: Mapping[str, Any], place: int) -> list[dict[str, Any]]:
    """Return the pieces of one choice, in order."""
    index = choice.get("index", place)
    other = {key: value for key, value in choice.items() if key not in ("index", "message", "finish_reason")}
    message = choice["message"]
    deltas = [
        {"role": message.get("role"), **({"content": ""} if message.get("content") else {})},
        *_deltas(knife, message),
    ]
    chunks: list[dict[str, Any]] = [{"index": index, "delta": delta, "finish_reason": None} for delta in deltas]
    if knife.one_of(True, False):
        odd: Any = knife.one_of({}, {"delta": None}, {"delta": {}})
        chunks.insert(1, {"index": index, "finish_reason": None, **odd})
    end = {"finish_reason": choice["finish_reason"]} if "finish_reason" in choice else {}
    if knife.one_of(True, False):
        chunks[-1] = {**chunks[-1], **end, **other}
    else:
        chunks.append({"index": index, "delta": {}, **end, **other})
    return chunks


def _deltas(knife: Knife, message: Mapping[str, Any]) -> list[Delta]:
    thoughts: list[Delta] = []
    words: list[Delta] = []
    calls: list[Delta] = []
    for name, value in message.items():
        if name == "tool_calls" and value:
            calls += _calls(knife, value)
        elif name == "function_call" and value:
            calls += [{name: piece} for piece in _function(knife, value)]
        elif name in ("reasoning", "reasoning_content", "reasoning_details") and value:
            thoughts.extend(_thought(knife, name, value))
        elif name in _WORDS and isinstance(value, str):
            words += [{name: piece} for piece in knife.pieces(value)]
        elif name == "content" and isinstance(value, list):
            words += _blocks(knife, value)
        elif name == "audio" and value:
            words += [{name: piece} for piece in _audio(knife, value)]
        elif name == "annotations" and value:
            words += [{name: [annotation]} for annotation in value]
        elif name != "role":
            words.append({name: value})
    # Calls may begin before the words have ended.
    return [*thoughts, *(knife.woven([words, calls]) if knife.one_of(True, False) else [*words, *calls])]


def _thought(knife: Knife, name: str, value: Any) -> Iterable[Delta]:
    if isinstance(value, str):
        return [{name: piece} for piece in knife.pieces(value)]
    if isinstance(value, list):
        return [{name: [piece]} for detail in value for piece in _block_pieces(knife, detail)]
    return [{name: value}]


def _block_pieces(knife: Knife, block: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a block in pieces, each with what tells it from others: its type, index and id."""
    words = next((name for name in _BLOCK_TEXTS if isinstance(block.get(name), str)), None)
    if words is None:
        return [dict(block)]
    label = {key: value for key, value in block.items() if key in ("type", "index", "id", "format")}
    pieces = [{**label, words: piece} for piece in knife.pieces(block[words])]
    pieces[-1] = {**block, **pieces[-1]}
    return pieces


def _blocks(knife: Knife, blocks: Sequence[Any]) -> Iterable[Delta]:
    """Return content that is a list: its blocks in pieces, texts also as plain words."""
    several = len({block.get("type") for block in blocks if isinstance(block, dict)}) > 1
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "thinking" and isinstance(block["thinking"], list):
            for part in block["thinking"]:
                for piece in _block_pieces(knife, part):
                    yield {"content": [{**block, "thinking": [piece]}]}
        elif kind == "text" and block.keys() == {"type", "text"}:
            plain = several and knife.one_of(True, False)
            for words in filter(None, knife.pieces(block["text"])):
                yield {"content": words if plain else [{"type": "text", "text": words}]}
        else:
            yield {"content": [block]}


def _audio(knife: Knife, audio: Mapping[str, Any]) -> list[dict[str, Any]]:
    cut = {name: value for name, value in audio.items() if name in ("data", "transcript") and isinstance(value, str)}
    rest = {name: value for name, value in audio.items() if name not in cut}
    queues = [[{name: piece} for piece in knife.pieces(value)] for name, value in cut.items()]
    return [rest, *knife.woven(queues)]


def _function(knife: Knife, function: Mapping[str, Any], arguments: str = "arguments") -> list[dict[str, Any]]:
    """Return a function object in pieces: its name, then its arguments."""
    given = function.get(arguments)
    names: list[dict[str, Any]] = [{"name": piece} for piece in knife.name_pieces(function.get("name") or "")]
    if not isinstance(given, str):  # an object, null or nothing: it comes whole
        return [*names[:-1], {**function, **names[-1]}]
    pieces = [{arguments: piece} for piece in knife.pieces(given)]
    if knife.one_of(True, False):
        return [*names, *pieces]
    return [*names[:-1], {**names[-1], **pieces[0]}, *pieces[1:]]


def _calls(knife: Knife, calls: Sequence[Mapping[str, Any]]) -> Iterable[Delta]:
    """Return tool calls in pieces, in one of the manners in which hosts tell them apart."""
    ids = [call.get("id") for call in calls]
    by_id = all(ids) and len(set(ids)) == len(ids)
    placed = ("places",) if by_id or not any(ids) else ()
    manner = knife.one_of(*_MANNERS, *(_MANNERS_BY_ID if by_id else ()), *placed)
    if manner == "places":
        return [{"tool_calls": [dict(call) for call in calls]}]
    queues = [_pieces_of_call(knife, call, place, manner) for place, call in enumerate(calls)]
    if manner in ("indexed", "gaps"):
        mixed = knife.woven(queues)
    elif manner == "each id":  # what has no index stands in the order in which it began
        mixed = [*(queue[0] for queue in queues), *knife.woven([queue[1:] for queue in queues])]
    else:
        mixed = [piece for queue in queues for piece in queue]
    if manner in _MANNERS_BY_ID or knife.one_of(True, False):
        return [{"tool_calls": [piece]} for piece in mixed]
    middle = len(mixed) // 2
    parts = mixed[:middle], mixed[middle:]
    return [{"tool_calls": part} for part in parts if part]


def _pieces_of_call(knife: Knife, call: Mapping[str, Any], place: int, manner: str) -> list[dict[str, Any]]:
    without: list[dict[str, Any]] = [{}, {"index": None}]
    index: dict[str, Any] = {
        "indexed": {"index": place},
        "gaps": {"index": 2 * place + 1},
        "reused": {"index": 0},
        "first id": knife.one_of(*without),
        "each id": {},
    }[manner]
    given: Any = call.get("id")
    same = {"id": given}
    again: dict[str, Any] = same if manner == "each id" else knife.one_of({}, {"id": ""}, {"id": None}, same)
    kind = "custom" if (call.get("custom") or {}).get("name") else "function"
    rest = {key: value for key, value in call.items() if key not in ("index", "function", "custom")}
    if kind not in call:
        return [{**rest, **index}]
    pieces = _function(knife, call[kind], "input" if kind == "custom" else "arguments")
    if knife.one_of(True, False):  # the name repeated as an empty text, as DashScope does
        pieces[1:] = [{"name": "", **piece} for piece in pieces[1:]]
    first = {**rest, **index, kind: pieces[0]}
    return [first, *[{**index, **again, kind: piece} for piece in pieces[1:]]]
