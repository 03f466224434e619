"""Whole answers of Ollama's chat API of every kind, and the streams that servers send of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.formats.knife import Knife
from tests.formats.strategies import names
from tests.formats.streams import DONE, Wire

Answer = dict[str, Any]

_END = ("done_reason", "total_duration", "load_duration", "prompt_eval_count", "eval_count")
_texts = st.one_of(st.text(max_size=8), st.sampled_from(["a\u2028b", "\x85", "😀", "<think>so</think>", " \n"]))
_objects = st.dictionaries(_texts, st.one_of(st.none(), st.booleans(), st.integers(0, 9), _texts), max_size=2)
# Arguments as they should be, and as servers have sent them.
_arguments = st.one_of(_objects, st.sampled_from(["", "{}", '{"a": 1}', "{cut", "[1]", '"{\\"a\\":1}"', None, [1], 5]))
_calls = st.fixed_dictionaries(
    {
        "function": st.fixed_dictionaries(
            {"name": names, "arguments": _arguments}, optional={"index": st.integers(0, 3)}
        )
    },
    optional={"id": st.sampled_from(["call_1", "call_2", "", None]), "type": st.just("function"), "own": _objects},
)
_novel_calls = st.fixed_dictionaries({"novel": _objects})
_messages = st.fixed_dictionaries(
    {"role": st.just("assistant")},
    optional={
        "content": st.one_of(_texts, st.none()),
        "thinking": st.one_of(_texts, st.none()),
        "tool_calls": st.one_of(st.none(), st.lists(st.one_of(_calls, _novel_calls), max_size=3)),
        "images": st.lists(st.just("AAAA"), max_size=1),
        "annotations": st.lists(names, max_size=2),
    },
)


def answers() -> SearchStrategy[Answer]:
    """Return whole answers."""
    counts = st.integers(0, 90)
    return st.fixed_dictionaries(
        {"model": names, "created_at": st.just("2026-08-17T15:57:12Z"), "message": _messages, "done": st.just(True)},
        optional={
            "done_reason": st.sampled_from(["stop", "length", "load", "novel"]),
            "prompt_eval_count": counts,
            "eval_count": counts,
            "total_duration": counts,
            "logprobs": st.lists(st.builds(lambda token: {"token": token, "logprob": -0.5}, _texts), max_size=3),
        },
    )


@st.composite
def streams(draw: st.DrawFn, answer: Mapping[str, Any]) -> list[Wire]:
    """Return a stream that says what `answer` says, its texts cut somewhere, its calls together or one by one.

    Args:
        draw: What hypothesis gives.
        answer: The answer.
    """
    knife, message = Knife(draw), answer["message"]
    said: list[dict[str, Any]] = []
    for name in ("thinking", "content"):
        if isinstance(message.get(name), str):
            said += [{"content": "", name: piece} for piece in knife.pieces(message[name])]
    calls = message.get("tool_calls") or []
    grouped = [calls] if calls and knife.one_of(True, False) else [[call] for call in calls]
    queue = [{"content": "", "tool_calls": group} for group in grouped]
    pieces = knife.woven([said, queue])
    rest = {key: value for key, value in message.items() if key not in ("content", "thinking", "tool_calls")}
    scores = [{"logprobs": [score]} for score in answer.get("logprobs", [])]
    top = {"model": answer["model"], "created_at": answer["created_at"]}
    end = {key: answer[key] for key in _END if key in answer}
    last = {"message": {"role": "assistant", "content": ""}} if knife.one_of(True, False) else {}  # B127
    return [
        *({**top, "message": {"role": "assistant", **piece}, "done": False} for piece in pieces),
        *({**top, "message": {"role": "assistant", "content": ""}, **score, "done": False} for score in scores),
        {**top, "message": rest, "done": False},
        {**top, **last, "done": True, **end},
        *([DONE] if knife.one_of(True, False) else []),
    ]
