"""Histories in which there is much to compress: filler, calls made twice, tasks that are done; and all else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.formats import strategies
from triptych.content import ClientContext, ContentItem, Message, Reasoning, ToolCall, ToolResult

_filler: SearchStrategy[list[ContentItem]] = st.sampled_from(
    ["Ok.", "Let me check that.", "", "Sure, one moment."]
).map(lambda text: [Message("assistant", text)])
_words: SearchStrategy[list[ContentItem]] = st.sampled_from(["It is 4.", "Done: 3 files."]).map(
    lambda text: [Message("assistant", text)]
)
_seals: SearchStrategy[Mapping[str, Any] | None] = st.sampled_from([None, None, {"own": 1}])


@st.composite
def _looks(draw: st.DrawFn) -> list[ContentItem]:
    """Draw parallel calls of few kinds, so that some are made again, with their results in any order."""
    ids = draw(st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=3, unique=True))
    made = [
        ToolCall(one, draw(st.sampled_from(["f", "g"])), {"x": draw(st.integers(0, 1))}, provider_data=draw(_seals))
        for one in ids
    ]
    status: Any = st.sampled_from(["success", "success", "error"])
    answers = [ToolResult(call.tool_call_id, call.name, draw(status), ["4"]) for call in draw(st.permutations(made))]
    thought: list[ContentItem] = draw(st.sampled_from([[], [Reasoning("so")]]))
    return [*thought, *made, *answers]


def _users(name: str) -> SearchStrategy[list[ContentItem]]:
    said = st.sampled_from(["go", "Shall I?"]).map(lambda text: Message("user", text))
    context: SearchStrategy[list[ContentItem]] = st.lists(
        st.builds(ClientContext, st.just({"page": 1})), max_size=1
    ).map(list)
    return st.tuples(context, said).map(lambda both: [*both[0], both[1]])


def whole_histories(name: str) -> SearchStrategy[list[ContentItem]]:
    """Return histories in which every call has its result and every result its call."""
    groups = st.one_of(_users(name), _filler, _words, _looks(), _looks(), strategies.turns(name))
    return st.lists(groups, max_size=12).map(_joined)


def torn_histories(name: str) -> SearchStrategy[list[ContentItem]]:
    """Return histories that were mixed: calls without results, results without calls, in any order."""
    return st.one_of(strategies.torn_conversations(name), whole_histories(name).flatmap(st.permutations).map(list))


def _joined(groups: list[list[ContentItem]]) -> list[ContentItem]:
    return [item for group in groups for item in group]
