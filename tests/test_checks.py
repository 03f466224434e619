"""Tests of the validators: what they say to the person who gave a wrong value."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import field, frozen

from triptych.checks import did_you_mean, is_a, list_of, nearest, one_of, shown


@frozen
class Sample:
    """A class with one field of each kind."""

    count: int = field(default=0, validator=is_a(int))
    share: float | None = field(default=None, validator=is_a(int, float, optional=True))
    flag: bool = field(default=False, validator=is_a(bool))
    mood: str = field(default="calm", validator=one_of("calm", "cross"))
    names: list[str] = field(factory=list, validator=list_of(str))


class Clumsy:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"count": "1"}, TypeError, "Sample.count: expected int, got '1' (str)"),
        ({"count": True}, TypeError, "Sample.count: expected int, got True (bool)"),
        ({"count": None}, TypeError, "Sample.count: expected int, got None (NoneType)"),
        ({"count": 1.0}, TypeError, "Sample.count: expected int, got 1.0 (float)"),
        ({"share": "0.5"}, TypeError, "Sample.share: expected int or float or None, got '0.5' (str)"),
        ({"share": False}, TypeError, "Sample.share: expected int or float or None, got False (bool)"),
        ({"flag": 1}, TypeError, "Sample.flag: expected bool, got 1 (int)"),
        (
            {"mood": "clam"},
            ValueError,
            "Sample.mood: expected one of 'calm', 'cross', got 'clam' (str) (did you mean 'calm'?)",
        ),
        ({"mood": "zzz"}, ValueError, "Sample.mood: expected one of 'calm', 'cross', got 'zzz' (str)"),
        ({"mood": None}, TypeError, "Sample.mood: expected one of 'calm', 'cross', got None (NoneType)"),
        ({"mood": ["calm"]}, TypeError, "Sample.mood: expected one of 'calm', 'cross', got ['calm'] (list)"),
        ({"names": "ab"}, TypeError, "Sample.names: expected a list of str, got 'ab' (str)"),
        ({"names": ("a",)}, TypeError, "Sample.names: expected a list of str, got ('a',) (tuple)"),
        ({"names": ["a", 2]}, TypeError, "Sample.names[1]: expected str, got 2 (int)"),
    ],
    ids=repr,
)
def test_a_wrong_value_is_named_with_its_field_and_what_was_expected(
    values: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as caught:
        Sample(**values)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    "values", [{"count": 3}, {"share": 1}, {"share": 0.5}, {"share": None}, {"flag": True}, {"names": ["a"]}], ids=repr
)
def test_a_right_value_passes(values: dict[str, Any]) -> None:
    assert {name: getattr(Sample(**values), name) for name in values} == values


def test_a_long_value_is_shown_in_part() -> None:
    assert shown("x" * 200) == "'" + "x" * 78 + "… (str)"
    assert shown([1, 2]) == "[1, 2] (list)"


def test_a_value_that_cannot_be_shown_is_named_by_its_type() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(Clumsy()) == "… (Clumsy)"
    assert shown(deep) == "… (list)"


@pytest.mark.parametrize(
    ("name", "match"),
    [("temprature", "temperature"), ("TEMPERATURE", None), ("max_token", "max_tokens"), ("xyz", None)],
)
def test_the_nearest_name_is_found_and_none_where_nothing_is_near(name: str, match: str | None) -> None:
    known = ["temperature", "max_tokens"]
    assert nearest(name, known) == match
    assert did_you_mean(name, known) == (f" (did you mean {match!r}?)" if match else "")


def test_what_is_no_name_is_like_nothing() -> None:
    assert did_you_mean(5, ["a"]) == ""
