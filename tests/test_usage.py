"""Tests of Usage: one meaning for all providers, and numbers only."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from attrs.exceptions import FrozenInstanceError
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych import Usage
from triptych.usage import count

USAGES = st.builds(Usage, *[st.integers(0, 10**9)] * 5)


def test_nothing_was_used_unless_said() -> None:
    assert Usage() == Usage(0, 0, 0, 0, 0)
    assert Usage().raw is None


def test_the_total_is_input_and_output() -> None:
    assert Usage(10, 5, cache_read_tokens=8, reasoning_tokens=3).total_tokens == 15


@settings(deadline=None)
@given(USAGES, USAGES)
def test_two_calls_together_used_the_sum(one: Usage, other: Usage) -> None:
    both = one + other
    assert both.total_tokens == one.total_tokens + other.total_tokens
    assert both == other + one
    assert both.cache_read_tokens == one.cache_read_tokens + other.cache_read_tokens
    assert both.cache_write_tokens == one.cache_write_tokens + other.cache_write_tokens
    assert both.reasoning_tokens == one.reasoning_tokens + other.reasoning_tokens


def test_a_sum_leaves_the_raw_counts_behind() -> None:
    assert (Usage(1, raw={"prompt_tokens": 1}) + Usage(2, raw={"prompt_tokens": 2})).raw is None


def test_the_raw_counts_are_kept_but_make_no_difference() -> None:
    usage = Usage(1, 2, raw={"prompt_tokens": 1, "cost": 0.1})
    assert usage.raw == {"prompt_tokens": 1, "cost": 0.1}
    assert usage == Usage(1, 2)
    assert hash(usage) == hash(Usage(1, 2))
    assert repr(usage) == (
        "Usage(input_tokens=1, output_tokens=2, cache_read_tokens=0, cache_write_tokens=0, reasoning_tokens=0, "
        "attempts=0)"
    )


def test_a_copy_is_equal_and_keeps_the_raw_counts() -> None:
    usage = Usage(1, 2, 3, 4, 5, raw={"a": [1]})
    for again in (copy.copy(usage), copy.deepcopy(usage), pickle.loads(pickle.dumps(usage))):
        assert again == usage
        assert again.raw == {"a": [1]}


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Usage().input_tokens = 1  # type: ignore[misc]  # the mistake is the point


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"input_tokens": "5"}, "Usage.input_tokens: expected int, got '5' (str)"),
        ({"input_tokens": None}, "Usage.input_tokens: expected int, got None (NoneType)"),
        ({"output_tokens": 1.5}, "Usage.output_tokens: expected int, got 1.5 (float)"),
        ({"cache_read_tokens": True}, "Usage.cache_read_tokens: expected int, got True (bool)"),
        ({"cache_write_tokens": []}, "Usage.cache_write_tokens: expected int, got [] (list)"),
        ({"reasoning_tokens": "x"}, "Usage.reasoning_tokens: expected int, got 'x' (str)"),
    ],
    ids=repr,
)
def test_a_wrong_count_is_named(values: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError) as caught:
        Usage(**values)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("counts", "names", "number"),
    [
        ({"a": 3}, ["a"], 3),
        ({"a": 3, "b": 4}, ["b", "a"], 4),
        ({"b": 4}, ["a", "b"], 4),
        ({"a": 0, "b": 4}, ["a", "b"], 4),
        ({"a": None, "b": 4}, ["a", "b"], 4),
        ({"a": 3.0}, ["a"], 3),
        ({"a": "3"}, ["a"], 0),
        ({"a": -1}, ["a"], 0),
        ({"a": float("nan")}, ["a"], 0),
        ({"a": float("inf")}, ["a"], 0),
        ({"a": True}, ["a"], 0),
        ({"a": [3]}, ["a"], 0),
        ({}, ["a"], 0),
        (None, ["a"], 0),
        ([3], ["a"], 0),
    ],
    ids=repr,
)
def test_a_count_is_the_first_number_under_its_names(counts: Any, names: list[str], number: int) -> None:
    assert count(counts, *names) == number
