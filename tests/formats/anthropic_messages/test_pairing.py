"""Calls and results of Anthropic Messages: each call is answered once, at once, under the same id."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from triptych.formats.anthropic_messages.pairing import SHAPES
from triptych.formats.block_turns import WireIds, pair_results


def use(*ids: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": "f", "input": {}} for i in ids]}


def result(tool_use_id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": tool_use_id.upper()}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def unanswered(tool_use_id: str) -> dict[str, Any]:
    text = "No result: this call was not answered."
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": text, "is_error": True}


WORDS = {"type": "text", "text": "w"}
EARLIER = {"type": "text", "text": "Result of an earlier tool call:"}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "user", "content": "hi"}],
        [use("a"), user(result("a"))],
        [use("a", "b"), user(result("a"), result("b"), WORDS)],
        [use("a"), user(result("a")), use("b"), user(result("b"))],
    ],
)
def test_turns_that_are_in_order_stay_as_they_are(messages: list[Any]) -> None:
    before = copy.deepcopy(messages)
    assert pair_results(messages, SHAPES) == []
    assert messages == before


@pytest.mark.parametrize(
    ("messages", "paired", "whats"),
    [
        (
            [use("a")],
            [use("a"), user(unanswered("a"))],
            ["tool call 'a' answered with an error"],
        ),
        (
            [use("a", "b"), user(result("b"))],
            [use("a", "b"), user(result("b"), unanswered("a"))],
            ["tool call 'a' answered with an error"],
        ),
        (
            [use("a"), {"role": "user", "content": "w"}],
            [use("a"), user(unanswered("a"), WORDS)],
            ["tool call 'a' answered with an error"],
        ),
        (
            [use("a"), use("b"), user(result("b"))],
            [use("a"), user(unanswered("a")), use("b"), user(result("b"))],
            ["tool call 'a' answered with an error"],
        ),
        (
            [user(result("a"))],
            [user(EARLIER, {"type": "text", "text": "A"})],
            ["tool result 'a' sent as text"],
        ),
        (
            [use("a"), user(WORDS, result("a"))],
            [use("a"), user(result("a"), WORDS)],
            [],
        ),
        (
            [use("a"), user(result("a"), result("x"), {"type": "tool_result", "tool_use_id": "y"})],
            [
                use("a"),
                user(result("a"), EARLIER, {"type": "text", "text": "X"}, EARLIER, {**WORDS, "text": "(empty)"}),
            ],
            ["tool result 'x' sent as text", "tool result 'y' sent as text"],
        ),
    ],
    ids=["none", "one of two", "a text follows", "another call follows", "no call", "words first", "two too many"],
)
def test_turns_that_are_torn_are_mended_and_named(messages: list[Any], paired: list[Any], whats: list[str]) -> None:
    notices = pair_results(messages, SHAPES)
    assert messages == paired
    assert [notice.what for notice in notices] == whats


def test_ids_stay_as_they_are_where_the_api_takes_them() -> None:
    ids = WireIds()
    assert [ids.of_call("a"), ids.of_call("b"), ids.of_result("b"), ids.of_result("a")] == ["a", "b", "b", "a"]


def test_calls_of_one_id_are_told_apart_and_answered_in_order() -> None:
    """B012."""
    ids = WireIds()
    assert [ids.of_call("a"), ids.of_call("a"), ids.of_call("a_2")] == ["a", "a_2", "a_2_2"]
    assert [ids.of_result("a"), ids.of_result("a_2"), ids.of_result("a")] == ["a", "a_2_2", "a_2"]


def test_a_result_without_a_call_keeps_its_id_in_a_form_that_the_api_takes() -> None:
    assert WireIds().of_result("x") == "x"
    assert WireIds().of_result("x y").startswith("x_y_")
