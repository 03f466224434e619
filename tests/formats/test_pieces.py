"""Fields in pieces: objects are merged, lists grow, texts are joined."""

from __future__ import annotations

from typing import Any

import pytest

from triptych.formats.pieces import joined_blocks, merge, number, own, words

TEXTS = frozenset({"text", "data", "thinking"})


def test_objects_are_merged_lists_grow_and_null_replaces_nothing() -> None:
    target: dict[str, Any] = {"a": {"b": 1}, "c": [1], "d": "old", "e": 5}
    merge(target, {"a": {"f": 2}, "c": [2], "d": "new", "e": None, "g": None})
    assert target == {"a": {"b": 1, "f": 2}, "c": [1, 2], "d": "new", "e": 5, "g": None}


def test_what_was_merged_is_not_changed_by_what_comes_later() -> None:
    first: dict[str, Any] = {"a": {"b": [1]}, "c": [1]}
    target: dict[str, Any] = {}
    merge(target, first)
    merge(target, {"a": {"b": [2]}, "c": [2]})
    assert (first, own(first) == first) == ({"a": {"b": [1]}, "c": [1]}, True)


def test_neighbours_with_words_of_one_type_are_one_block() -> None:
    pieces: list[Any] = [{"type": "text", "text": word} for word in "abc"]
    other = {"type": "other"}
    expected = [{"type": "text", "text": "ab"}, other, {"type": "text", "text": "c"}]
    assert joined_blocks([*pieces[:2], other, pieces[2]], TEXTS) == expected


def test_neighbours_with_different_numbers_are_two_blocks() -> None:
    blocks = [{"type": "text", "text": "a", "index": 0}, {"type": "text", "text": "b", "index": 1}]
    assert joined_blocks(blocks, TEXTS) == blocks


def test_data_goes_on_only_under_one_number() -> None:
    sealed = {"type": "sealed", "data": "A"}
    assert joined_blocks([sealed, sealed], TEXTS) == [sealed, sealed]
    assert joined_blocks([{**sealed, "index": 0}] * 2, TEXTS) == [{**sealed, "index": 0, "data": "AA"}]


def test_words_in_parts_of_their_own_are_joined_too() -> None:
    pieces = [{"type": "thinking", "thinking": [{"type": "text", "text": word}]} for word in "ab"]
    assert joined_blocks(pieces, TEXTS) == [{"type": "thinking", "thinking": [{"type": "text", "text": "ab"}]}]


def test_the_number_of_an_event_is_a_whole_one_and_0_where_it_has_none() -> None:
    assert [number(said, "index") for said in ({}, {"index": None}, {"index": 3})] == [0, 0, 3]


@pytest.mark.parametrize("value", ["1", 1.5, [0], {"a": 1}], ids=repr)
def test_a_place_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^index: expected a whole number, got "):
        number({"index": value}, "index")


def test_the_words_of_an_event_are_a_text_and_empty_where_it_has_none() -> None:
    assert [words(said, "text") for said in ({}, {"text": None}, {"text": "a"})] == ["", "", "a"]


@pytest.mark.parametrize("value", [1, ["a"], {"a": 1}], ids=repr)
def test_words_that_are_no_text_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^text: expected a text, got "):
        words({"text": value}, "text")
