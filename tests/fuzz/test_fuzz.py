"""Every target with drawn input: a few seconds of it among the tests, or TRIPTYCH_FUZZ_SECONDS by hand."""

from __future__ import annotations

import logging
import os
import resource
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.fuzz.regressions import REGRESSIONS, Found
from tests.fuzz.target import Target
from tests.fuzz.targets import FAMILIES, TARGETS

# For all targets together; read before tests take such variables from the environment.
_SECONDS = float(os.environ.get("TRIPTYCH_FUZZ_SECONDS") or 0)
_EXAMPLES = 200 if _SECONDS else 8
_PAGES = Path("/proc/self/statm")
# Bytes that the process may take beyond what it has, and that one input may take at once, whatever its size.
_MOST_OF_PROCESS = 4 << 30
_MOST = 48 << 20


@pytest.fixture(autouse=True)
def bounded(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Keep a target that runs wild from taking the machine's memory; say nothing of what is wrong in each answer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(_PAGES.read_text().split()[0]) * resource.getpagesize() if _PAGES.exists() else 0
    resource.setrlimit(resource.RLIMIT_AS, (taken + _MOST_OF_PROCESS, hard))
    with caplog.at_level(logging.CRITICAL + 1, "triptych"):
        yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@st.composite
def edited(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """Draw a seed that was cut, or into which something was put."""
    seed = draw(st.sampled_from(seeds))
    start = draw(st.integers(0, len(seed)))
    end = draw(st.integers(start, min(len(seed), start + 20)))
    return seed[:start] + draw(st.binary(max_size=8)) + seed[end:]


def inputs(target: Target) -> SearchStrategy[bytes]:
    """Return input for a target: what its choices are made by, and what it was made for with a fault in it."""
    return st.one_of(st.binary(max_size=60), st.binary(min_size=20, max_size=80), edited(target.seeds()))


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_nothing_but_the_documented_error_comes_out_and_memory_is_bounded(target: Target) -> None:
    for seed in target.seeds()[:3]:
        target(seed)  # what is imported and kept once is no matter of the input

    @settings(max_examples=_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(inputs(target))
    def read(data: bytes) -> None:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        target(data)
        _, peak = tracemalloc.get_traced_memory()
        assert peak - before < _MOST

    until = time.monotonic() + _SECONDS / len(TARGETS)
    tracemalloc.start()
    try:
        read()
        while time.monotonic() < until:
            read()
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("found", REGRESSIONS, ids=lambda found: f"{found.target}: {found.what}")
def test_what_was_found_once_does_not_come_out_again(found: Found) -> None:
    TARGETS[found.target](found.data)


def test_a_family_gives_its_input_to_the_target_that_the_first_byte_names() -> None:
    for family in FAMILIES:
        for index, target in enumerate(family.targets):
            assert family.chosen(bytes([index]) + b"rest") == (target, b"rest")


def test_targets_have_names_of_their_own() -> None:
    assert len(TARGETS) == sum(len(family.targets) for family in FAMILIES)
