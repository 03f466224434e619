"""The same bytes cut in different places: what a decoder makes of them must not change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Event = TypeVar("Event")
Event_co = TypeVar("Event_co", covariant=True)

# One byte at a time, a few, sizes that fall out of step with whatever repeats, and what a network read may give.
SIZES = (1, 2, 3, 7, 61, 1024, 65536)


class Decoder(Protocol[Event_co]):
    """What every framing's decoder does."""

    def feed(self, chunk: bytes, /) -> Sequence[Event_co]:
        """Return the events that end in a chunk."""

    def finish(self) -> Sequence[Event_co]:
        """Return the events that only the end of the bytes makes whole."""


def pieces(body: bytes, size: int) -> Iterator[bytes]:
    """Cut bytes into pieces of one size, the last one shorter."""
    return (body[start : start + size] for start in range(0, len(body), size))


def halves(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Cut bytes in two, at every place in turn."""
    return ((body[:place], body[place:]) for place in range(len(body) + 1))


@st.composite
def cut(draw: st.DrawFn, bodies: SearchStrategy[bytes]) -> list[bytes]:
    """Draw a body in pieces, some of which may be empty."""
    body = draw(bodies)
    places = sorted(draw(st.lists(st.integers(0, len(body)), max_size=8)))
    return [body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True)]


def decoded(decoder: Decoder[Event], chunks: Iterable[bytes]) -> list[Event]:
    """Return all events that a decoder makes of these chunks."""
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [*events, *decoder.finish()]


def outcome(decoder: Decoder[Event], chunks: Iterable[bytes]) -> tuple[list[Event], str | None]:
    """Return the events that come before the end or a fault in the framing, and what the fault is."""
    events: list[Event] = []
    try:
        for chunk in chunks:
            events += decoder.feed(chunk)
        events += decoder.finish()
    except ValueError as fault:
        return events, str(fault)
    return events, None


def every_way(decoder: Callable[[], Decoder[Event]], body: bytes) -> tuple[list[Event], str | None]:
    """Return the events of a body and what is wrong with it, once it is sure that no cutting changes them."""
    whole = outcome(decoder(), [body])
    for cutting in [*halves(body), list(pieces(body, 1))]:
        assert outcome(decoder(), cutting) == whole, cutting
    return whole
