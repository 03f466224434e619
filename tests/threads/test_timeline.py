"""The exchanges of a thread."""

from __future__ import annotations

from triptych.content import ContentItem, Message, ToolCall, ToolResult
from triptych.threads import Place, Thread, Timeline

GO = Message("user", "go")


def places(*items: ContentItem) -> list[tuple[Place, ...]]:
    """Return the places of each exchange."""
    return [exchange.places for exchange in Timeline.of(Thread.of(items)).exchanges]


def call(name: str) -> ToolCall:
    """Return a call."""
    return ToolCall(name, "f")


def result(name: str) -> ToolResult:
    """Return a result."""
    return ToolResult(name, "f")


def test_parallel_calls_are_paired_by_id() -> None:
    assert places(GO, call("a"), call("b"), result("b"), result("a")) == [((1, 0), (1, 3)), ((1, 1), (1, 2))]


def test_an_id_that_comes_again_in_a_later_answer_is_another_call() -> None:
    assert places(GO, call("a"), result("a"), GO, call("a"), result("a")) == [((1, 0), (1, 1)), ((3, 0), (3, 1))]


def test_a_result_is_found_behind_what_the_user_said_meanwhile() -> None:
    assert places(call("a"), GO, result("a")) == [((0, 0), (2, 0))]


def test_a_result_that_is_repeated_belongs_to_the_same_call() -> None:
    assert places(call("a"), result("a"), result("a")) == [((0, 0), (0, 1), (0, 2))]


def test_what_has_no_partner_is_no_exchange() -> None:
    assert places(result("a"), call("a"), result("b")) == []


def test_calls_of_one_id_that_waited_together_are_not_told_apart() -> None:
    assert places(call("a"), call("a"), result("a"), result("a"), call("b"), result("b")) == [((0, 4), (0, 5))]


def test_tasks_are_counted_by_the_turns_of_the_user() -> None:
    said = Message("assistant", "4")
    line = Timeline.of(Thread.of([Message("system", "s"), GO, said, GO, said, said]))
    assert line.tasks == (0, 1, 1, 2, 2)
