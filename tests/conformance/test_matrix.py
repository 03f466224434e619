"""The translation matrix: what was said to one API, said to another, passes that one's own package."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import pytest

from tests.conformance import drawn, official, recorded
from tests.conformance.conftest import Listed
from tests.conformance.translation import Body, converted, said
from tests.formats import strategies
from tests.formats.corpus import Exchange
from triptych import formats
from triptych.errors import LlmError

PAIRS = [(source, target) for source in formats.names() for target in formats.names() if source != target]
pairs = pytest.mark.parametrize(("source", "target"), PAIRS, ids=[f"{source}-{target}" for source, target in PAIRS])


def faults_of(
    bodies: Iterable[tuple[str, Body | LlmError, bool]], source: str, target: str, listed: Listed
) -> list[str]:
    """Return what the target's package has against translated bodies; list those that cannot be said there.

    Args:
        bodies: Each with its name, and whether a stream is asked for.
        source: The wire format that they are from.
        target: The wire format that they are in.
        listed: Takes what is refused before it is sent.
    """
    faults = []
    for name, body, stream in bodies:
        if isinstance(body, LlmError):
            listed(f"{source} cannot be said to {target}", f"{name}: {body.kind}: {body.message[:100]}")
        else:
            faults += [f"{name}: {fault}" for fault in official.of(target).faults(body, stream)]
    return faults


def translated(exchange: Exchange, target: str) -> tuple[str, Body | LlmError, bool]:
    """Return a recorded request in the form of another API, with its name and whether it asks for a stream."""
    request = copy.deepcopy(exchange.request)
    stream = formats.load(exchange.format).read_request(request).stream
    return exchange.id, converted(request, exchange.format, target), stream


@pairs
def test_every_recorded_request_is_accepted_by_the_target(source: str, target: str, listed: Listed) -> None:
    chosen = [exchange for exchange in recorded.exchanges() if exchange.format == source]
    if not chosen:
        pytest.skip("no recorded exchanges")
    bodies = (translated(exchange, target) for exchange in chosen)
    assert faults_of(bodies, source, target, listed) == []


@pairs
def test_every_drawn_conversation_is_accepted_by_the_target(source: str, target: str, listed: Listed) -> None:
    if source not in strategies.PRIVATE:
        pytest.skip(f"no conversations are drawn for {source} yet")
    calls = [drawn.without_inventions(call, target) for call in drawn.conversations(source)]
    bodies = ((f"drawn {index}", said(call, target), call.stream) for index, call in enumerate(calls))
    assert faults_of(bodies, source, target, listed) == []
