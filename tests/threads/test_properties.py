"""What compression keeps, whatever thread it is given."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.bodies import built
from tests.threads.histories import torn_histories, whole_histories
from triptych import formats
from triptych.content import (
    ContentItem,
    Deleted,
    ErrorItem,
    Message,
    Reasoning,
    ToolCall,
    ToolResult,
)
from triptych.errors import LlmError
from triptych.formats.turns import sendable, unanswered
from triptych.threads import TIERS, Rules, Thread, Tier, compress, filler_text, finished, superseded
from triptych.threads.turn import role_of

# Rules that take out as much as they can.
HARSH = Rules(messages=[filler_text(keep=0)], exchanges=[superseded(), finished(after=0)])
EVERYTHING = Rules(messages=[filler_text(keep=0, filler=lambda text: True)], exchanges=[lambda line: line.exchanges])
NAME = "openai_chat"

rule_sets = st.sampled_from([Rules(), HARSH, EVERYTHING])
tiers: st.SearchStrategy[Tier] = st.sampled_from(TIERS)
histories = st.one_of(whole_histories(NAME), torn_histories(NAME))
quick = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def said(items: list[ContentItem]) -> list[ContentItem]:
    """Return items without tombstones, which no thread holds."""
    return [item for item in items if not isinstance(item, Deleted)]


def identities(items: list[ContentItem]) -> Counter[int]:
    """Return how often each object is there."""
    return Counter(map(id, items))


def body_of(name: str, items: list[ContentItem]) -> Mapping[str, Any] | None:
    """Return the body that a format builds, or None where the conversation was refused with an error that says so."""
    try:
        return built(name, items).body
    except LlmError as refused:
        if refused.kind == "invalid_request":
            return None
        raise


@quick
@given(histories, tiers, rule_sets)
def test_originals_are_unchanged(items: list[ContentItem], tier: Tier, rules: Rules) -> None:
    thread = Thread.of(items)
    before = copy.deepcopy(thread)
    shrunk, _ = compress(thread, tier=tier, rules=rules)
    assert thread == before
    assert [turn.original for turn in shrunk.turns] == [turn.original for turn in before.turns]
    assert shrunk.contents == said(items)


@quick
@given(histories, tiers, rule_sets)
def test_a_view_can_be_made_again(items: list[ContentItem], tier: Tier, rules: Rules) -> None:
    shrunk, report = compress(Thread.of(items), tier=tier, rules=rules)
    assert compress(shrunk, tier=tier, rules=rules) == (shrunk, report)
    assert compress(shrunk.without_variants(), tier=tier, rules=rules) == (shrunk, report)


@quick
@given(histories, tiers, rule_sets)
def test_no_word_of_a_user_and_no_system_text_is_lost(items: list[ContentItem], tier: Tier, rules: Rules) -> None:
    shrunk, _ = compress(Thread.of(items), tier=tier, rules=rules)
    kept = identities(shrunk.view(tier))
    assert all(kept[id(item)] for item in items if role_of(item) in ("user", "system"))
    assert not any(turn.variants for turn in shrunk.turns if turn.role != "assistant")


@quick
@given(whole_histories(NAME), tiers, rule_sets)
def test_every_call_that_is_left_has_its_result(items: list[ContentItem], tier: Tier, rules: Rules) -> None:
    shrunk, _ = compress(Thread.of(items), tier=tier, rules=rules)
    assert unanswered(shrunk.view(tier)) == ([], [])


@quick
@given(torn_histories(NAME), tiers, rule_sets)
def test_no_call_loses_its_result_and_no_result_its_call(items: list[ContentItem], tier: Tier, rules: Rules) -> None:
    shrunk, _ = compress(Thread.of(items), tier=tier, rules=rules)
    calls, results = unanswered(items)
    left_calls, left_results = unanswered(shrunk.view(tier))
    assert set(left_calls) <= set(calls)
    assert Counter(left_results) <= Counter(results)


@quick
@given(histories, tiers, rule_sets)
def test_who_speaks_when_stays_and_no_turn_falls_silent(items: list[ContentItem], tier: Tier, rules: Rules) -> None:
    shrunk, _ = compress(Thread.of(items), tier=tier, rules=rules)
    for turn in shrunk.turns:
        assert {role_of(item) for item in turn.view(tier)} <= {turn.role, None}
        before = [item for _, item in sendable(turn.original)]
        after = [item for _, item in sendable(turn.view(tier))]
        assert bool(after) >= bool(before)
    # The roles of the views follow one another as those of the turns do: all were told apart by role.
    again = Thread.of(shrunk.view(tier))
    assert [turn.role for turn in again.turns] == [
        turn.role for turn in shrunk.turns if any(not isinstance(item, Deleted) for item in turn.view(tier))
    ]


@quick
@given(histories, rule_sets)
def test_only_whole_exchanges_words_and_their_reasoning_are_taken_out(items: list[ContentItem], rules: Rules) -> None:
    thread = Thread.of(items)
    shrunk, report = compress(thread, rules=rules)
    gone = identities(thread.contents) - identities(shrunk.view("deleted"))
    removed = [thread.turns[turn].original[index] for turn, index in (one.place for one in report.removals)]
    emptied = [item for number in report.fillers for item in thread.turns[number].original]
    assert gone <= identities(removed) + identities([item for item in emptied if isinstance(item, ErrorItem)])
    assert all(isinstance(item, Message | ToolCall | ToolResult | Reasoning) for item in removed)
    calls = {item.tool_call_id for item in removed if isinstance(item, ToolCall)}
    assert calls == {item.tool_call_id for item in removed if isinstance(item, ToolResult)}


@quick
@given(histories, tiers, rule_sets, histories)
def test_a_thread_that_goes_on_keeps_its_views_and_adds_what_is_said(
    items: list[ContentItem], tier: Tier, rules: Rules, more: list[ContentItem]
) -> None:
    shrunk, _ = compress(Thread.of(items), tier=tier, rules=rules)
    longer = shrunk.extended(more)
    assert longer.contents == said([*items, *more])
    assert longer.view(tier) == [*shrunk.view(tier), *said(more)]


@pytest.mark.parametrize("name", formats.names())
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_a_body_built_of_a_compressed_thread_has_the_form_of_its_schema(name: str, data: st.DataObject) -> None:
    items = data.draw(st.one_of(whole_histories(name), torn_histories(name)))
    tier = data.draw(tiers)
    shrunk, _ = compress(Thread.of(items), tier=tier, rules=data.draw(rule_sets))
    body_of(name, shrunk.view(tier))  # is held against the closed schema there


@quick
@given(whole_histories("anthropic_messages"), rule_sets)
def test_every_call_in_an_anthropic_body_of_a_compressed_thread_is_answered_next(
    items: list[ContentItem], rules: Rules
) -> None:
    shrunk, _ = compress(Thread.of(items), rules=rules)
    body = body_of("anthropic_messages", shrunk.view("deleted"))
    messages: list[dict[str, Any]] = body["messages"] if body else []
    waiting: set[str] = set()
    for message in messages:
        assert message["content"] not in ("", [])
        blocks = [block for block in message["content"] if isinstance(block, dict)]
        assert {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"} == waiting
        waiting = {block["id"] for block in blocks if block["type"] == "tool_use"}
    assert waiting == set()
