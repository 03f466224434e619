"""Whole answers of Cohere's chat API of every kind, and the streams that the provider sends of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.formats.knife import Knife
from tests.formats.strategies import names
from tests.formats.streams import DONE, Wire

Answer = dict[str, Any]

_texts = st.one_of(st.text(max_size=8), st.sampled_from(["a\u2028b", "\x85", "😀", "<think>so</think>", " \n"]))
_objects = st.dictionaries(_texts, st.one_of(st.none(), st.booleans(), st.integers(0, 9), _texts), max_size=2)
_arguments = st.sampled_from(["", "{}", '{"a": 1}', '{"a":"\\u00e9"}', "null", "[1]", "{cut", '"{\\"a\\":1}"'])
_calls = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["call_1", "call_2", "", None]),
        "type": st.just("function"),
        "function": st.fixed_dictionaries({"name": names, "arguments": _arguments}),
    },
    optional={"own": _objects},
)
_blocks = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": _texts}),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": _texts}),
    st.fixed_dictionaries({"type": st.just("novel"), "data": _objects}),
)
_sources = st.one_of(
    st.fixed_dictionaries({"type": st.just("document"), "id": names, "document": _objects}),
    st.fixed_dictionaries({"type": st.just("tool"), "id": names, "tool_output": _objects}),
)
_citations = st.fixed_dictionaries(
    {"start": st.integers(0, 9), "end": st.integers(0, 9), "text": _texts, "sources": st.lists(_sources, max_size=2)},
    optional={"content_index": st.integers(0, 2), "type": st.sampled_from(["TEXT_CONTENT", "PLAN"])},
)
_messages = st.fixed_dictionaries(
    {"role": st.just("assistant")},
    optional={
        "content": st.one_of(st.none(), st.lists(_blocks, max_size=3)),
        "tool_plan": st.one_of(st.none(), _texts),
        "tool_calls": st.one_of(st.none(), st.lists(_calls, max_size=3)),
        "citations": st.one_of(st.none(), st.lists(_citations, max_size=2)),
    },
)
_usage = st.sampled_from(
    [
        {},
        {"billed_units": {"input_tokens": 5, "output_tokens": 7}},
        {"billed_units": {}, "tokens": {"input_tokens": 9.0, "output_tokens": 8.0}, "cached_tokens": 4},
        {"tokens": {"input_tokens": 9, "output_tokens": 8, "reasoning_tokens": 3, "image_tokens": 20}},
    ]
)
_ends = st.one_of(
    st.fixed_dictionaries(
        {"finish_reason": st.sampled_from(["COMPLETE", "STOP_SEQUENCE", "MAX_TOKENS", "TOOL_CALL", "TIMEOUT", "NOVEL"])}
    ),
    st.fixed_dictionaries(
        {"finish_reason": st.just("ERROR")},
        optional={"error": st.just("it broke"), "error_type": st.sampled_from(["INVALID_TOOL_GENERATION", "NOVEL"])},
    ),
)


def answers() -> SearchStrategy[Answer]:
    """Return whole answers."""
    return st.builds(
        lambda answer_id, message, usage, end: {"id": answer_id, "message": message, "usage": usage, **end},
        st.sampled_from(["r1", ""]),
        _messages,
        _usage,
        _ends,
    )


def _event(kind: str, index: int | None = None, **message: Any) -> Wire:
    return {
        "type": kind,
        **({} if index is None else {"index": index}),
        **({"delta": {"message": message}} if message else {}),
    }


def _block_events(knife: Knife, index: int, block: Mapping[str, Any]) -> list[Wire]:
    field = block["type"] if block["type"] in ("text", "thinking") else None
    if field is None:
        return [_event("content-start", index, content=dict(block)), _event("content-end", index)]
    first, *pieces = knife.pieces(block[field])
    if first and knife.one_of(True, False):
        first, pieces = "", [first, *pieces]
    return [
        _event("content-start", index, content={"type": field, field: first}),
        *(_event("content-delta", index, content={field: piece}) for piece in pieces),
        _event("content-end", index),
    ]


def _call_events(knife: Knife, index: int, call: Mapping[str, Any]) -> list[Wire]:
    function = call["function"]
    pieces = knife.pieces(function["arguments"])
    start = {**call, "function": {**function, "arguments": ""}}
    return [
        _event("tool-call-start", index, tool_calls=start),
        *(_event("tool-call-delta", index, tool_calls={"function": {"arguments": piece}}) for piece in pieces),
        _event("tool-call-end", index),
    ]


@st.composite
def streams(draw: st.DrawFn, answer: Mapping[str, Any]) -> list[Wire]:
    """Return a stream that says what `answer` says, its texts cut somewhere, its calls one by one or side by side.

    Args:
        draw: What hypothesis gives.
        answer: The answer.
    """
    knife, message = Knife(draw), answer["message"]
    blocks = [_block_events(knife, index, block) for index, block in enumerate(message.get("content") or [])]
    cited = [
        event
        for index, citation in enumerate(message.get("citations") or [])
        for event in (_event("citation-start", index, citations=citation), _event("citation-end", index))
    ]
    content = knife.woven([[event for events in blocks for event in events], cited])
    plan = [_event("tool-plan-delta", tool_plan=piece) for piece in knife.pieces(message.get("tool_plan") or "")]
    queues = [_call_events(knife, index, call) for index, call in enumerate(message.get("tool_calls") or [])]
    # Those that stand side by side begin in their order all the same.
    starts = [queue.pop(0) for queue in queues] if knife.one_of(True, False) else []
    calls = knife.woven(queues) if starts else [event for queue in queues for event in queue]
    empty = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    end = {name: value for name, value in answer.items() if name not in ("id", "message")}
    return [
        {"type": "message-start", "id": answer["id"], "delta": {"message": empty}},
        *content,
        *plan,
        *starts,
        *calls,
        {"type": "message-end", "delta": end},
        *([DONE] if knife.one_of(True, False) else []),
    ]
