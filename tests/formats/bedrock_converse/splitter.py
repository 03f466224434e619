"""Whole answers of Bedrock Converse of every kind, and the streams that the service sends of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.formats.knife import Knife
from tests.formats.strategies import names
from tests.formats.streams import Wire

Answer = dict[str, Any]

_texts = st.one_of(st.text(max_size=8), st.sampled_from(["a\u2028b", "😀", "<think>so</think>", " \n"]))
_objects = st.dictionaries(_texts, st.one_of(st.none(), st.booleans(), st.integers(0, 9), _texts), max_size=2)
_ids = st.sampled_from(["tooluse_a", "tooluse_b", ""])
_citations = st.lists(
    st.fixed_dictionaries(
        {"location": st.just({"web": {"url": "https://h.example", "domain": "h.example"}})},
        optional={"title": names, "sourceContent": st.just([{"text": "source"}])},
    ),
    min_size=1,
    max_size=2,
)


def _cited(text: str, citations: Any) -> Any:
    return {"citationsContent": {**({"content": [{"text": text}]} if text else {}), "citations": citations}}


def _block(kind: str, inner: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.fixed_dictionaries({kind: inner})


_thoughts = st.one_of(
    _block("reasoningText", st.fixed_dictionaries({"text": _texts}, optional={"signature": names})),
    _block("redactedContent", st.sampled_from(["", "c2VhbA==", "AAEC"])),
)
_uses = st.fixed_dictionaries({"toolUseId": _ids, "name": names, "input": _objects})
_served = st.fixed_dictionaries(
    {"toolUseId": names, "name": names, "input": _objects, "type": st.just("server_tool_use")}
)
_results = st.fixed_dictionaries(
    {"toolUseId": names, "content": st.lists(st.one_of(_block("text", _texts), _block("json", _objects)), min_size=1)},
    optional={"type": st.just("nova_grounding_result"), "status": st.just("success")},
)
_blocks = st.one_of(
    _block("text", _texts),
    st.builds(_cited, _texts, _citations),
    _block("reasoningContent", _thoughts),
    _block("toolUse", st.one_of(_uses, _served)),
    _block("toolResult", _results),
    _block("image", st.just({"format": "png", "source": {"bytes": "iVBORw0KGgo="}})),
    _block("novelContent", st.fixed_dictionaries({"own": _objects})),
)


def answers() -> SearchStrategy[Answer]:
    """Return whole answers."""
    counts = st.integers(0, 90)
    message = st.fixed_dictionaries({"role": st.just("assistant"), "content": st.lists(_blocks, max_size=4)})
    return st.fixed_dictionaries(
        {
            "output": st.fixed_dictionaries({"message": message}),
            "stopReason": st.sampled_from(["end_turn", "tool_use", "max_tokens", "malformed_tool_use", "novel"]),
            "usage": st.fixed_dictionaries(
                {"inputTokens": counts, "outputTokens": counts, "totalTokens": counts},
                optional={"cacheReadInputTokens": counts, "cacheWriteInputTokens": counts},
            ),
            "metrics": st.just({"latencyMs": 5}),
        },
        optional={
            "additionalModelResponseFields": _objects,
            "trace": st.just({"promptRouter": {"invokedModelId": "arn:aws:bedrock:us-east-1::foundation-model/m"}}),
        },
    )


def _started(knife: Knife, kind: str, said: Any) -> tuple[Any, list[Any]]:
    """Return the start of a block, None where it has none, and its pieces."""
    if kind == "text":
        return None, [{"text": piece} for piece in knife.pieces(said)]
    if kind == "citationsContent":
        words = [{"text": piece} for part in said.get("content", []) for piece in knife.pieces(part["text"])]
        return None, knife.woven([words, [{"citation": citation} for citation in said["citations"]]])
    if kind == "reasoningContent":
        thought = said.get("reasoningText", said)
        return None, [
            {"reasoningContent": {name: piece}}
            for name, text in thought.items()
            for piece in (knife.pieces(text) if name != "redactedContent" else [text])
        ]
    if kind == "toolUse":
        start = {name: value for name, value in said.items() if name != "input"}
        silent = not said["input"] and knife.one_of(True, False)
        pieces = [] if silent else knife.json_pieces(said["input"])
        return {kind: start}, [{"toolUse": {"input": piece}} for piece in pieces]
    if kind == "toolResult":
        start = {name: value for name, value in said.items() if name != "content"}
        return {kind: start}, [{"toolResult": [part]} for part in said["content"]]
    if kind == "image":
        return {kind: {"format": said["format"]}}, [{"image": {"source": said["source"]}}]
    return {kind: {}}, [{kind: said}]


def _events(knife: Knife, index: int, block: Mapping[str, Any]) -> Iterator[Wire]:
    [(kind, said)] = block.items()
    start, pieces = _started(knife, kind, said)
    if start is not None:
        yield {"contentBlockStart": {"contentBlockIndex": index, "start": start, "p": "ab"}}
    for piece in pieces:
        yield {"contentBlockDelta": {"contentBlockIndex": index, "delta": piece, "p": "abc"}}
    yield {"contentBlockStop": {"contentBlockIndex": index, "p": "a"}}


@st.composite
def streams(draw: st.DrawFn, answer: Mapping[str, Any]) -> list[Wire]:
    """Return a stream that says what `answer` says.

    Args:
        draw: What hypothesis gives.
        answer: The answer.
    """
    knife = Knife(draw)
    blocks = enumerate(answer["output"]["message"]["content"])
    last = ("stopReason", "additionalModelResponseFields")
    costs = {name: value for name, value in answer.items() if name not in ("output", *last)}
    return [
        {"messageStart": {"role": "assistant", "p": "abcd"}},
        *(event for index, block in blocks for event in _events(knife, index, block)),
        {"messageStop": {name: answer[name] for name in last if name in answer}},
        {"metadata": {**costs, "p": "abcdef"}},
    ]
