"""What `compress` makes of a thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from triptych.content import (
    ClientContext,
    CompressionFiller,
    ContentItem,
    Deleted,
    ErrorItem,
    Message,
    Reasoning,
    ToolCall,
    ToolResult,
)
from triptych.parts import Opaque
from triptych.threads import Cut, Removal, Rules, Thread, Timeline, compress, filler_text, finished, superseded

GO, ON = Message("user", "go"), Message("user", "on")
OK, FOUR = Message("assistant", "Ok."), Message("assistant", "It is 4.")
GONE = Deleted("message")
CALL_GONE, RESULT_GONE = Deleted("tool_call"), Deleted("tool_result")
FILLER = CompressionFiller("assistant")
ALL = Rules(messages=[], exchanges=[lambda line: line.exchanges])


def exchange(number: int, **call: Any) -> list[ContentItem]:
    """Return a call with its result."""
    tool_call_id = f"c{number}"
    return [ToolCall(tool_call_id, "f", {"x": number}, **call), ToolResult(tool_call_id, "f", content=["4"])]


def shown(items: Sequence[ContentItem], rules: Rules | None = None) -> list[ContentItem]:
    """Return what is left of items."""
    return compress(Thread.of(items), rules=rules)[0].view("deleted")


def test_a_run_of_filler_becomes_tombstones() -> None:
    assert shown([GO, OK, Message("assistant", "Let me check that."), FOUR, ON]) == [GO, GONE, GONE, FOUR, ON]


def test_a_turn_of_filler_alone_becomes_one_filler_item() -> None:
    assert shown([GO, OK, OK, ErrorItem("stopped"), ON]) == [GO, FILLER, ON]


def test_the_deletion_pass_takes_out_call_and_result_of_a_finished_task() -> None:
    page = ClientContext({"page": 1})
    items = [page, GO, OK, *exchange(1), FOUR, ON, FOUR, GO, FOUR, ON]
    thread, report = compress(Thread.of(items))
    assert thread.view() == items
    assert thread.view("message") == [page, GO, GONE, *exchange(1), FOUR, ON, FOUR, GO, FOUR, ON]
    assert thread.view("deleted") == [page, GO, GONE, CALL_GONE, RESULT_GONE, FOUR, ON, FOUR, GO, FOUR, ON]
    assert report.removals == (
        Removal((1, 0), "message", "filler_text", 1),
        Removal((1, 1), "tool_call", "finished", 3, "f"),
        Removal((1, 2), "tool_result", "finished", 1, "f"),
    )
    assert (report.tokens_before - report.tokens_after, report.tokens_saved, report.fillers) == (5, 5, ())


def test_a_turn_has_a_variant_only_in_the_tiers_that_changed_it() -> None:
    items = [GO, OK, *exchange(1), FOUR, ON, OK, FOUR, GO, FOUR, ON]
    thread, _ = compress(Thread.of(items))
    assert [list(turn.variants) for turn in thread.turns] == [[], ["message", "deleted"], [], ["message"], [], [], []]


def test_the_message_tier_leaves_exchanges_and_drops_the_tier_that_was_made_of_an_older_one() -> None:
    items = [GO, OK, *exchange(1), FOUR, ON, FOUR, GO, FOUR, ON]
    thread, _ = compress(Thread.of(items))
    again, _ = compress(thread, tier="message")
    assert again.view("deleted") == [GO, GONE, *exchange(1), FOUR, ON, FOUR, GO, FOUR, ON]


def test_a_turn_that_held_nothing_but_an_exchange_becomes_one_filler_item() -> None:
    thread, report = compress(Thread.of([GO, *exchange(1), ON]), rules=ALL)
    assert thread.view("deleted") == [GO, FILLER, ON]
    assert (report.fillers, report.tokens_after - report.tokens_before) == ((1,), 6 - 4)


def test_an_exchange_that_the_user_spoke_into_goes_from_both_turns() -> None:
    call, result = exchange(1)
    assert shown([GO, call, ON, result, FOUR], ALL) == [GO, FILLER, ON, RESULT_GONE, FOUR]


def test_what_only_one_provider_reads_stays_beside_the_filler() -> None:
    block = Opaque({"type": "server_tool_use"})
    call, result = exchange(1)
    assert shown([GO, block, call, result, ON], ALL) == [GO, block, FILLER, RESULT_GONE, ON]


def test_a_call_without_a_result_and_a_result_without_a_call_stay() -> None:
    items: list[ContentItem] = [GO, ToolCall("x", "f"), ToolResult("y", "f"), FOUR]
    assert shown(items, ALL) == items


def test_reasoning_goes_with_all_that_it_led_to() -> None:
    first, second = Reasoning("so", signature="seal"), Reasoning("then")
    call, result = exchange(1)
    assert shown([GO, first, call, result, second, FOUR], ALL) == [
        *[GO, Deleted("reasoning"), CALL_GONE, RESULT_GONE],
        *[second, FOUR],
    ]
    report = compress(Thread.of([GO, first, call, result, second, FOUR]), rules=ALL)[1]
    assert report.removals[0] == Removal((1, 0), "reasoning", "reasoning", 1)


def test_reasoning_stays_with_what_is_left_of_its_step() -> None:
    thought, (call, result) = Reasoning("so"), exchange(1)
    items: list[ContentItem] = [GO, thought, OK, call, result, FOUR, ON]
    assert shown(items) == [GO, thought, GONE, call, result, FOUR, ON]
    assert shown([GO, thought, call, FOUR, result], ALL) == [GO, thought, CALL_GONE, FOUR, RESULT_GONE]


def test_a_call_with_a_providers_data_goes_with_its_whole_step_only() -> None:
    (sealed, first), (plain, second) = exchange(1, provider_data={"thoughtSignature": "seal"}), exchange(2)
    items = [GO, sealed, plain, first, second, FOUR]
    assert shown(items, ALL) == [GO, CALL_GONE, CALL_GONE, RESULT_GONE, RESULT_GONE, FOUR]
    one = Rules(exchanges=[lambda line: line.exchanges[:1]])
    assert shown(items, one) == items
    other = Rules(exchanges=[lambda line: line.exchanges[1:]])
    assert shown(items, other) == [GO, sealed, CALL_GONE, first, RESULT_GONE, FOUR]


def test_an_error_in_between_keeps_no_reasoning() -> None:
    call, result = exchange(1)
    stopped = ErrorItem("stopped")
    assert shown([GO, Reasoning("so"), stopped, call, result, FOUR], ALL) == [
        *[GO, Deleted("reasoning"), stopped, CALL_GONE],
        *[RESULT_GONE, FOUR],
    ]


def test_calls_with_reasoning_between_them_go_together_only() -> None:
    (one, first), (two, second) = exchange(1), exchange(2)
    items: list[ContentItem] = [GO, Reasoning("so"), one, Reasoning("then"), two, first, second, FOUR]
    assert shown(items, Rules(exchanges=[lambda line: line.exchanges[:1]])) == items
    thought = Deleted("reasoning")
    assert shown(items, ALL) == [
        *[GO, thought, CALL_GONE, thought, CALL_GONE],
        *[RESULT_GONE, RESULT_GONE, FOUR],
    ]


def test_a_cut_leaves_its_summary_in_the_place_of_the_first_call() -> None:
    def told(line: Timeline) -> list[Cut]:
        return [Cut(line.exchanges, "Two looks: 4.")]

    items = [GO, *exchange(1), *exchange(2), FOUR]
    summary = Message("assistant", "Two looks: 4.")
    assert shown(items, Rules(exchanges=[told])) == [GO, summary, RESULT_GONE, CALL_GONE, RESULT_GONE, FOUR]
    assert shown(items[:-1], Rules(exchanges=[told])) == [GO, summary, RESULT_GONE, CALL_GONE, RESULT_GONE]


def test_the_first_rule_that_names_an_exchange_has_it() -> None:
    items = [GO, *exchange(1), *exchange(1), FOUR]
    _, report = compress(Thread.of(items), rules=Rules(exchanges=[superseded(), finished(after=0)]))
    assert [removal.rule for removal in report.removals] == ["superseded", "superseded", "finished", "finished"]


def test_a_users_words_cannot_be_taken_out_by_any_rule() -> None:
    rules = Rules(messages=[lambda line: [(0, 0)]])
    with pytest.raises(
        ValueError, match=r"expected the place of an assistant's words, got \(0, 0\): Message\(role='user'"
    ):
        compress(Thread.of([GO, OK]), rules=rules)


def test_an_exchange_of_another_thread_is_refused() -> None:
    other = Timeline.of(Thread.of(exchange(1))).exchanges
    with pytest.raises(ValueError, match="expected exchanges of the timeline, got Exchange"):
        compress(Thread.of([GO, *exchange(1)]), rules=Rules(exchanges=[lambda line: other]))


def test_an_unknown_tier_is_refused() -> None:
    tier: Any = "all"
    with pytest.raises(ValueError, match="expected a tier of 'message', 'deleted', got 'all'"):
        compress(Thread.of([GO]), tier=tier)


def test_tokens_are_counted_as_the_caller_says() -> None:
    items = [GO, OK, FOUR, ON]
    _, report = compress(Thread.of(items), estimate=lambda item: 0 if isinstance(item, Deleted) else 7)
    assert (report.tokens_before, report.tokens_after, report.tokens_saved) == (28, 21, 7)
    assert report.removals == (Removal((1, 0), "message", "filler_text", 7),)


def test_nothing_to_take_out_leaves_the_thread_as_it_is() -> None:
    thread = Thread.of([GO, FOUR])
    assert compress(thread, rules=Rules(messages=[filler_text()], exchanges=[]))[0] == thread
    assert compress(Thread())[0] == Thread()
