"""Tests of names of tools: what each API takes, and that each name leads back to its tool."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from triptych.dialects.tool_names import (
    ANTHROPIC_NAMES,
    BEDROCK_NAMES,
    COHERE_NAMES,
    GEMINI_NAMES,
    MISTRAL_NAMES,
    OLLAMA_NAMES,
    OPENAI_NAMES,
    NameMap,
    NameRules,
)

TAKEN: dict[str, tuple[NameRules, str]] = {
    "openai": (OPENAI_NAMES, r"[a-zA-Z0-9_-]{1,64}"),
    "anthropic": (ANTHROPIC_NAMES, r"[a-zA-Z0-9_-]{1,128}"),
    "gemini": (GEMINI_NAMES, r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}"),
    "bedrock": (BEDROCK_NAMES, r"[a-zA-Z0-9_-]{1,64}"),
    "mistral": (MISTRAL_NAMES, r"[a-zA-Z0-9_-]{1,64}"),
    "cohere": (COHERE_NAMES, r"[a-zA-Z_][a-zA-Z0-9_]{0,63}"),
    "ollama": (OLLAMA_NAMES, r"[\s\S]+"),
}
NAMES = st.text("aB9_-.: /é天", min_size=1, max_size=5) | st.text("ab.", min_size=60, max_size=140)


@pytest.mark.parametrize("api", TAKEN)
@given(names=st.lists(NAMES, max_size=8), stranger=NAMES)
@example(names=["." + "a" * 63], stranger="9")
def test_every_name_is_one_that_the_api_takes_and_leads_back(api: str, names: list[str], stranger: str) -> None:
    rules, pattern = TAKEN[api]
    mapped = NameMap(names, rules)
    wire = [mapped.to_wire(name) for name in names]
    assert all(re.fullmatch(pattern, name) for name in wire)
    assert [mapped.from_wire(name) for name in wire] == names
    assert len(set(wire)) == len(set(names))
    assert re.fullmatch(pattern, mapped.to_wire(stranger))
    assert (mapped.to_wire(stranger) in wire) == (stranger in names)


@pytest.mark.parametrize("api", TAKEN)
@given(names=st.lists(NAMES, max_size=8))
def test_a_name_that_the_api_takes_stays_as_it_is(api: str, names: list[str]) -> None:
    rules, pattern = TAKEN[api]
    mapped = NameMap(names, rules)
    assert all(mapped.to_wire(name) == name for name in names if re.fullmatch(pattern, name))


def test_a_refused_name_stays_readable_and_two_that_read_the_same_are_told_apart() -> None:
    mapped = NameMap(["weather.now", "files:read", "files/read", "weather_now_"], OPENAI_NAMES)
    assert mapped.to_wire("weather.now") == "weather_now"
    assert re.fullmatch("files_read_[0-9a-f]{12}", mapped.to_wire("files:read"))
    assert re.fullmatch("files_read_[0-9a-f]{12}", mapped.to_wire("files/read"))
    assert mapped.to_wire("files:read") != mapped.to_wire("files/read")


def test_a_name_that_reads_like_anothers_own_is_told_apart() -> None:
    mapped = NameMap(["a.b", "a_b"], OPENAI_NAMES)
    assert (mapped.to_wire("a_b"), mapped.from_wire("a_b")) == ("a_b", "a_b")
    assert mapped.from_wire(mapped.to_wire("a.b")) == "a.b"


def test_a_name_that_no_tool_has_comes_back_as_it_is() -> None:
    assert NameMap(["a"], OPENAI_NAMES).from_wire("b") == "b"
