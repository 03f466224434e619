"""The JSON in an answer's text, and in the beginning of one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.json_answers import json_candidates, partial_json


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 1}', [{"a": 1}]),
        (" \n[1, 2]\n", [[1, 2]]),
        ("\ufeff{}", [{}]),
        ("42", [42]),
        ('"words"', ["words"]),
        ("null", [None]),
        ('```json\n{"a": 1}\n```', [{"a": 1}, {"a": 1}]),
        ('```\n[1]\n``` and ```JSON\r\n{"b": 2}\n```', [[1], {"b": 2}, [1], {"b": 2}]),
        ('Sure! {"a": {"b": [1]}} Anything else?', [{"a": {"b": [1]}}]),
        ('By [1] and {cut and {"a": 1}', [[1], {"a": 1}]),
        ('{"a": "two\nlines"}', [{"a": "two\nlines"}]),
        ('{"a": "}"} trailing', [{"a": "}"}]),
        ("", []),
        ("no JSON here", []),
        ('{"a": 1', []),
    ],
)
def test_the_values_that_a_text_may_mean_come_the_likeliest_first(text: str, values: list[Any]) -> None:
    assert list(json_candidates(text)) == values


def test_a_text_of_brackets_alone_is_given_up_soon() -> None:
    assert list(json_candidates("[{" * 100_000)) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("Here it is", None),
        ("{", {}),
        ("```json\n[", []),
        ('{"na', {}),
        ('{"name"', {}),
        ('{"name":', {}),
        ('{"name": "', {"name": ""}),
        ('{"name": "Ad', {"name": "Ad"}),
        ('{"name": "Ada"', {"name": "Ada"}),
        ('{"name": "Ada", ', {"name": "Ada"}),
        ('{"name": "Ada", "age": 3', {"name": "Ada"}),
        ('{"name": "Ada", "age": 36,', {"name": "Ada", "age": 36}),
        ('{"ok": tru', {}),
        ('{"ok": true}', {"ok": True}),
        ('[{"a": [1, {"b": "c', [{"a": [1, {"b": "c"}]}]),
        ('["x\\', ["x"]),
        ('["x\\\\', ["x\\"]),
        ('["x\\u00e', ["x"]),
        ('["x\\ud83d', ["x"]),
        ('["x\\ud83d\\ude0', ["x"]),
        ('["x\\ud83d\\ude00', ["x😀"]),
        ('{"a": 1} and more {', {"a": 1}),
        ('{"a" 1', {}),
        ("[1, 2}", [1, 2]),
        ("[,", []),
    ],
)
def test_the_beginning_of_a_text_says_what_has_come(text: str, value: Any) -> None:
    assert partial_json(text) == value


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
).filter(lambda value: isinstance(value, (dict, list)))


def begins(grown: Any, whole: Any) -> bool:
    """Return whether a value may have grown into another."""
    if isinstance(grown, dict) and isinstance(whole, dict):
        return all(name in whole and begins(value, whole[name]) for name, value in grown.items())
    if isinstance(grown, list) and isinstance(whole, list):
        return len(grown) <= len(whole) and all(map(begins, grown, whole))
    if isinstance(grown, str) and isinstance(whole, str):
        return whole.startswith(grown)
    return bool(grown == whole)


@settings(max_examples=300, deadline=None)
@given(value=_values, ascii_only=st.booleans(), indent=st.sampled_from([None, 2]))
def test_every_beginning_is_what_the_whole_grows_from(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    for end in range(1, len(text) + 1):
        assert begins(partial_json(text[:end]), value)
    assert partial_json(text) == value
    assert list(json_candidates(text)) == [value]
