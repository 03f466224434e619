"""A thread: a conversation in turns."""

from __future__ import annotations

import pickle

import pytest

from triptych.content import ClientContext, ContentItem, Deleted, ErrorItem, Message, ToolCall, ToolResult
from triptych.threads import Thread, Turn, compress

RULES = Message("system", "Be brief.")
PAGE = ClientContext({"page": 1})
GO = Message("user", "go")
CALL, RESULT = ToolCall("x", "f"), ToolResult("x", "f", content=["4"])
FOUR = Message("assistant", "It is 4.")


def test_what_one_side_says_before_the_other_speaks_is_one_turn() -> None:
    items: list[ContentItem] = [RULES, PAGE, GO, CALL, RESULT, FOUR, GO]
    thread = Thread.of(items)
    assert thread == Thread(
        [Turn("system", [RULES]), Turn("user", [PAGE, GO]), Turn("assistant", [CALL, RESULT, FOUR]), Turn("user", [GO])]
    )
    assert thread.contents == items


def test_an_error_is_on_the_turn_in_which_it_came() -> None:
    stopped = ErrorItem("stopped")
    assert Thread.of([stopped, GO, stopped, FOUR, stopped]) == Thread(
        [Turn("user", [stopped, GO, stopped]), Turn("assistant", [FOUR, stopped])]
    )
    assert Thread.of([stopped]) == Thread([Turn("assistant", [stopped])])


def test_tombstones_of_an_older_record_are_left_out() -> None:
    assert Thread.of([GO, Deleted("message"), FOUR, Deleted()]) == Thread.of([GO, FOUR])
    assert Thread.of([Deleted()]) == Thread()


@pytest.mark.parametrize("cut", range(7))
def test_a_thread_that_grew_is_the_one_that_was_made_at_once(cut: int) -> None:
    items: list[ContentItem] = [GO, ErrorItem("late"), CALL, RESULT, FOUR, GO, FOUR]
    assert Thread.of(items[:cut]).extended(items[cut:]) == Thread.of(items)


def test_what_is_added_is_shown_as_it_is_after_what_was_compressed() -> None:
    early = Thread.of([GO, CALL, RESULT, FOUR, GO, CALL, RESULT])
    shrunk, _ = compress(early)
    assert shrunk.extended([FOUR]).view("deleted") == [
        *[GO, Deleted("tool_call"), Deleted("tool_result"), FOUR],
        *[GO, CALL, RESULT, FOUR],
    ]


def test_a_thread_without_variants_is_the_one_that_was_said() -> None:
    thread = Thread.of([GO, CALL, RESULT, CALL, RESULT])
    shrunk, _ = compress(thread)
    assert shrunk != thread
    assert shrunk.without_variants() == thread
    assert pickle.loads(pickle.dumps(shrunk)) == shrunk


def test_a_thread_of_something_else_is_refused_with_the_place() -> None:
    with pytest.raises(TypeError, match=r"Thread\.turns\[0\]: expected a Turn, got 'go'"):
        Thread(["go"])
    with pytest.raises(TypeError, match=r"Thread\.turns: expected a list of Turn, got 3"):
        Thread(3)
