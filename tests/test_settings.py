"""Tests of Settings and Timeout: what may be set, what a wrong value is told, and how settings are laid over others."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from attrs import asdict
from attrs.exceptions import FrozenInstanceError

from triptych import Settings, Timeout
from triptych.settings import SETTING_NAMES, check_names

FULL: dict[str, Any] = {
    "temperature": 0.2,
    "top_p": 0.9,
    "top_k": 40,
    "max_tokens": 100,
    "stop": ["END"],
    "seed": 7,
    "frequency_penalty": -1,
    "presence_penalty": 0.5,
    "logprobs": True,
    "top_logprobs": 3,
    "parallel_tool_calls": False,
    "reasoning": "low",
    "user": "u1",
    "metadata": {"team": "a"},
    "service_tier": "flex",
    "extra_body": {"novel": 1},
}
KNOWN = (
    "known settings: temperature, top_p, top_k, max_tokens, stop, seed, frequency_penalty, presence_penalty, logprobs, "
    "top_logprobs, parallel_tool_calls, reasoning, user, metadata, service_tier, extra_body; what only one provider "
    "has goes into extra_body"
)


def test_the_settings_are_exactly_these() -> None:
    assert tuple(FULL) == SETTING_NAMES


def test_every_setting_is_kept_as_given_and_unset_by_default() -> None:
    assert asdict(Settings(**FULL)) == FULL
    assert asdict(Settings()) == dict.fromkeys(SETTING_NAMES)


@pytest.mark.parametrize(
    ("given", "kept"), [("END", ["END"]), (("a", "b"), ["a", "b"]), (["a"], ["a"]), ([], []), (None, None)]
)
def test_stop_is_a_list_of_sequences(given: Any, kept: list[str] | None) -> None:
    assert Settings(stop=given).stop == kept


@pytest.mark.parametrize("value", ["none", "low", "xhigh", 0, 2048])
def test_reasoning_is_an_effort_or_a_number_of_tokens(value: str | int) -> None:
    assert Settings(reasoning=value).reasoning == value


def test_a_copy_is_equal() -> None:
    settings = Settings(**FULL)
    for again in (copy.copy(settings), copy.deepcopy(settings), pickle.loads(pickle.dumps(settings))):
        assert again == settings
    assert hash(Settings(temperature=0)) == hash(Settings(temperature=0))


def test_they_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().temperature = 1  # type: ignore[misc]  # the mistake is the point


def test_settings_are_laid_over_others() -> None:
    base = Settings(temperature=0, max_tokens=10, extra_body={"a": 1})
    merged = base.with_({"temperature": 1, "max_tokens": None, "extra_body": {"b": 2}})
    assert merged == Settings(temperature=1, extra_body={"b": 2})
    assert base == Settings(temperature=0, max_tokens=10, extra_body={"a": 1})
    assert base.with_({}) == base


def test_whether_a_setting_takes_a_value() -> None:
    assert Settings.takes("temperature", 1)
    assert not Settings.takes("temperature", "hot")
    assert not Settings.takes("heat", 1)


@pytest.mark.parametrize("check", [Settings.named, check_names, Settings().with_])
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"temprature": 0.2}, f"unknown setting 'temprature' = 0.2 (float) (did you mean 'temperature'?); {KNOWN}"),
        ({"max_token": 5}, f"unknown setting 'max_token' = 5 (int) (did you mean 'max_tokens'?); {KNOWN}"),
        ({"top_p": 1, "zzz": None}, f"unknown setting 'zzz' = None (NoneType); {KNOWN}"),
    ],
    ids=repr,
)
def test_an_unknown_setting_is_told_the_nearest(check: Any, values: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError) as caught:
        check(values)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"temperature": "0"}, "Settings.temperature: expected int or float or None, got '0' (str)"),
        ({"temperature": True}, "Settings.temperature: expected int or float or None, got True (bool)"),
        ({"top_p": [1]}, "Settings.top_p: expected int or float or None, got [1] (list)"),
        ({"top_k": 1.5}, "Settings.top_k: expected int or None, got 1.5 (float)"),
        ({"max_tokens": "100"}, "Settings.max_tokens: expected int or None, got '100' (str)"),
        ({"stop": 5}, "Settings.stop: expected a list of str, got 5 (int)"),
        ({"stop": ["a", None]}, "Settings.stop[1]: expected str, got None (NoneType)"),
        ({"seed": 1.0}, "Settings.seed: expected int or None, got 1.0 (float)"),
        ({"frequency_penalty": "x"}, "Settings.frequency_penalty: expected int or float or None, got 'x' (str)"),
        ({"presence_penalty": "x"}, "Settings.presence_penalty: expected int or float or None, got 'x' (str)"),
        ({"logprobs": 1}, "Settings.logprobs: expected bool or None, got 1 (int)"),
        ({"top_logprobs": True}, "Settings.top_logprobs: expected int or None, got True (bool)"),
        ({"parallel_tool_calls": "no"}, "Settings.parallel_tool_calls: expected bool or None, got 'no' (str)"),
        ({"reasoning": True}, "Settings.reasoning: expected str or int or None, got True (bool)"),
        ({"user": 5}, "Settings.user: expected str or None, got 5 (int)"),
        ({"metadata": "x"}, "Settings.metadata: expected dict or None, got 'x' (str)"),
        ({"service_tier": 5}, "Settings.service_tier: expected str or None, got 5 (int)"),
        ({"extra_body": [1]}, "Settings.extra_body: expected dict or None, got [1] (list)"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("make", [lambda values: Settings(**values), Settings.named, Settings().with_])
def test_a_setting_of_a_wrong_type_is_named(make: Any, values: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError) as caught:
        make(values)
    assert str(caught.value) == words


def test_a_timeout_has_four_clocks() -> None:
    """B170, B171: silence ends a stream by default, and the length of a whole call does not."""
    assert Timeout() == Timeout(connect=10.0, first_event=600.0, idle=120.0, total=None)
    assert asdict(Timeout(connect=1, first_event=2, idle=3, total=None)) == {
        "connect": 1,
        "first_event": 2,
        "idle": 3,
        "total": None,
    }
    assert Timeout(connect=None).connect is None


@pytest.mark.parametrize(
    ("value", "timeout"),
    [(None, Timeout()), (5, Timeout(total=5)), (0.5, Timeout(total=0.5)), (Timeout(idle=1), Timeout(idle=1))],
)
def test_a_number_of_seconds_is_a_limit_in_total(value: Any, timeout: Timeout) -> None:
    assert Timeout.of(value) == timeout


def test_a_copy_of_a_timeout_is_equal() -> None:
    timeout = Timeout(total=5)
    for again in (copy.copy(timeout), copy.deepcopy(timeout), pickle.loads(pickle.dumps(timeout))):
        assert again == timeout
        assert hash(again) == hash(timeout)
    with pytest.raises(FrozenInstanceError):
        timeout.total = 6  # type: ignore[misc]  # the mistake is the point


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        ("5", TypeError, "Timeout.total: expected int or float or None, got '5' (str)"),
        (True, TypeError, "Timeout.total: expected int or float or None, got True (bool)"),
        ((3, 5), TypeError, "Timeout.total: expected int or float or None, got (3, 5) (tuple)"),
        (0, ValueError, "Timeout.total: expected more than 0 seconds, got 0"),
        (-1, ValueError, "Timeout.total: expected more than 0 seconds, got -1"),
        (float("nan"), ValueError, "Timeout.total: expected more than 0 seconds, got nan"),
    ],
)
@pytest.mark.parametrize("make", [Timeout.of, lambda value: Timeout(total=value)])
def test_a_wrong_time_is_named(make: Any, value: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        make(value)
    assert str(caught.value) == words


@pytest.mark.parametrize("clock", ["connect", "first_event", "idle", "total"])
def test_every_clock_is_checked(clock: str) -> None:
    with pytest.raises(ValueError, match=rf"^Timeout\.{clock}: expected more than 0 seconds, got 0$"):
        Timeout(**{clock: 0})
    with pytest.raises(TypeError, match=rf"^Timeout\.{clock}: expected int or float or None, got '1' \(str\)$"):
        Timeout(**{clock: "1"})  # type: ignore[arg-type]  # the mistake is the point
