"""What the rules of compression take out."""

from __future__ import annotations

from typing import Any

import pytest

from triptych.content import ContentItem, Message, ToolCall, ToolResult
from triptych.threads import ExchangeRule, Place, Thread, Timeline, filler_text, finished, superseded
from triptych.threads.rules import Cut

GO, ON, MAY = Message("user", "go"), Message("user", "on"), Message("user", "Shall I?")
OK, FOUR = Message("assistant", "Ok."), Message("assistant", "It is 4.")


def line(*items: ContentItem) -> Timeline:
    """Return the timeline of items."""
    return Timeline.of(Thread.of(items))


def exchange(number: int, arguments: Any = None, status: Any = "success", name: str = "f") -> list[ContentItem]:
    """Return a call with its result."""
    tool_call_id = f"c{number}"
    return [ToolCall(tool_call_id, name, arguments), ToolResult(tool_call_id, name, status, [number])]


def gone(rule: ExchangeRule, *items: ContentItem) -> list[str]:
    """Return the ids of the calls that a rule takes out, in order."""
    named = [one for one in rule(line(*items)) if not isinstance(one, Cut)]
    return sorted(one.call.tool_call_id for one in named)


@pytest.mark.parametrize(
    ("keep", "places"), [(0, [(1, 0), (3, 0), (5, 1)]), (1, [(1, 0), (3, 0)]), (2, [(1, 0)]), (9, [])]
)
def test_filler_goes_but_for_that_of_the_last_turns(keep: int, places: list[Place]) -> None:
    items = [GO, OK, FOUR, ON, OK, GO, FOUR, OK]
    assert list(filler_text(keep=keep)(line(*items))) == places


def test_filler_that_answers_a_question_stays() -> None:
    assert list(filler_text(keep=0)(line(MAY, OK, MAY, OK, FOUR, GO, OK))) == [(3, 0), (5, 0)]


def test_what_is_filler_is_the_callers_to_say() -> None:
    assert list(filler_text(filler=lambda text: "4" in text, keep=0)(line(GO, OK, FOUR))) == [(1, 1)]


def test_a_call_that_succeeded_again_later_supersedes_the_earlier() -> None:
    items = [GO, *exchange(1, {"x": 1, "y": [2]}), *exchange(2), *exchange(3, {"y": [2], "x": 1}), *exchange(4)]
    assert gone(superseded(), *items) == ["c1", "c2"]


@pytest.mark.parametrize(
    "later",
    [
        exchange(2, {"x": 2}),
        exchange(2, {"x": 1}, name="g"),
        exchange(2, {"x": 1}, "error"),
        exchange(2, {"x": True}),
        exchange(2, {"x": 1.0}),
        exchange(2, {"x": "1"}),
        exchange(2, {"x": 1})[:1],
    ],
)
def test_another_call_or_one_that_failed_supersedes_nothing(later: list[ContentItem]) -> None:
    assert gone(superseded(), GO, *exchange(1, {"x": 1}), *later) == []


def test_an_earlier_failure_is_superseded_too() -> None:
    assert gone(superseded(), GO, *exchange(1, None, "error"), *exchange(2)) == ["c1"]


def test_malformed_calls_are_the_same_when_their_text_is() -> None:
    items: list[ContentItem] = []
    for number, raw in enumerate(["{bad", "{worse", "{bad", ""]):
        items += [ToolCall(f"c{number}", "f", raw_arguments=raw), ToolResult(f"c{number}", "f")]
    assert gone(superseded(), *items) == ["c0"]


def test_tools_whose_every_answer_counts_are_left_out() -> None:
    items = [*exchange(1), *exchange(2), *exchange(3, name="dice"), *exchange(4, name="dice")]
    assert gone(superseded(tools=["f"]), *items) == ["c1"]


def test_what_is_still_needed_is_the_callers_to_say() -> None:
    def differs(earlier: Any, later: Any) -> bool:
        return bool(earlier.results[0].content != later.results[0].content)

    assert gone(superseded(needed=differs), *exchange(1), *exchange(2)) == []


@pytest.mark.parametrize(("after", "ids"), [(0, ["c1", "c2", "c4"]), (1, ["c1", "c2"]), (3, ["c1"]), (4, [])])
def test_exchanges_of_tasks_that_ended_in_words_go_when_they_are_old_enough(after: int, ids: list[str]) -> None:
    items = [GO, *exchange(1), FOUR, ON, OK, *exchange(2), FOUR, GO, *exchange(3), OK, ON, *exchange(4), FOUR]
    assert gone(finished(after=after), *items) == ids


def test_words_before_the_call_do_not_finish_a_task() -> None:
    assert gone(finished(after=0), GO, FOUR, *exchange(1)) == []


def test_a_call_that_the_user_spoke_into_is_of_the_task_in_which_it_ended() -> None:
    call, result = exchange(1)
    assert gone(finished(after=1), GO, call, ON, result, FOUR) == []
    assert gone(finished(after=1), GO, call, ON, result, FOUR, GO) == ["c1"]
