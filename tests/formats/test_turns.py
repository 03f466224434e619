"""What every chat API needs of a conversation."""

from __future__ import annotations

import pytest

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
from triptych.formats.turns import DistinctIds, WaitingCalls, safe_id, sendable, unanswered
from triptych.parts import Text


def test_errors_and_tombstones_are_not_sent_and_indices_stay_those_of_the_conversation() -> None:
    kept = Message("user", "hi")
    contents: list[ContentItem] = [Deleted("message"), kept, ErrorItem("failed"), kept]
    assert list(sendable(contents)) == [(1, kept), (3, kept)]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_filler_is_sent_as_a_message_of_its_role(role: str) -> None:
    filler = CompressionFiller(role)  # type: ignore[arg-type]  # one of the two roles above
    [(_, message)] = sendable([filler])
    assert message == Message(filler.role, "<Deleted in compression>")


def test_what_the_user_was_looking_at_is_sent_as_a_marked_text() -> None:
    [(_, message)] = sendable([ClientContext({"page": "é", "n": [1]})])
    assert message == Message("user", [Text('<ctx>{"page":"é","n":[1]}</ctx>')])


@pytest.mark.parametrize(
    ("order", "calls", "results"),
    [
        ("", [], []),
        ("Aa", [], []),
        ("ABba", [], []),
        ("A", ["a"], []),
        ("ABb", ["a"], []),
        ("a", [], ["a"]),
        ("aA", ["a"], ["a"]),
        ("AaAa", [], []),
        ("AaA", ["a"], []),
        ("AAa", ["a"], []),
        ("Aaa", [], []),
    ],
)
def test_calls_without_results_and_results_without_calls_are_found(
    order: str, calls: list[str], results: list[str]
) -> None:
    contents = [ToolCall(c.lower(), "f") if c.isupper() else ToolResult(c, "f") for c in order]
    assert unanswered(contents) == (calls, results)


def test_a_result_answers_a_call_of_the_latest_turn_that_has_its_id() -> None:
    waiting: WaitingCalls[int] = WaitingCalls()
    waiting.called("a", 1)
    waiting.spoken()
    waiting.called("a", 2)
    waiting.called("a", 3)
    assert [waiting.answered("a") for _ in range(4)] == [2, 3, 1, None]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], []),
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        ([None, ""], ["call_s_0", "call_s_1"]),
        (["a", "a_2", "a"], ["a", "a_2", "a_3"]),
    ],
)
def test_ids_are_kept_or_made_distinct(given: list[str | None], expected: list[str]) -> None:
    ids = DistinctIds("s")
    assert [ids.next(tool_call_id) for tool_call_id in given] == expected


def test_no_id_of_the_conversation_before_is_given_again() -> None:
    before: list[ContentItem] = [ToolCall("a", "f"), ToolCall("a_2", "f"), ToolResult("call_s_1", "f")]
    ids = DistinctIds("s", before)
    assert [ids.next(tool_call_id) for tool_call_id in ["a", None, "b"]] == ["a_3", "call_s_1_2", "b"]


def test_a_safe_id_stays_as_it_is() -> None:
    assert safe_id("toolu_01-Ab") == "toolu_01-Ab"


def test_unsafe_ids_stay_distinct_and_the_same_each_time() -> None:
    unsafe = ["a b", "a.b", "a:b", "", "é", "\ud83c", "a" * 65, "a" * 66]
    safe = [safe_id(tool_call_id) for tool_call_id in unsafe]
    assert len(set(safe)) == len(unsafe)
    assert safe == [safe_id(tool_call_id) for tool_call_id in unsafe]
    assert all(safe_id(tool_call_id) == tool_call_id for tool_call_id in safe)
