"""Bytes that come slowly and without end, so that whoever reads them has to give up."""

import threading
from collections.abc import Iterator

from tests.faults.script import Script


def for_ever(piece: bytes, lead: bytes = b"") -> Iterator[bytes]:
    """Yield a piece again and again, every few milliseconds; that nobody gives up is a failure of the test.

    Args:
        piece: What comes again and again.
        lead: What comes first.
    """
    yield lead
    pause = threading.Event()
    for _ in range(1000):
        yield piece
        pause.wait(0.01)
    raise AssertionError("the client listened for ten seconds")


def endless(script: Script, lead: bytes = b"") -> Iterator[bytes]:
    """Yield keep-alives for ever, or a piece of an event where the framing has none."""
    for sign in script.wire.keep_alives.values():
        return for_ever(sign, lead)
    return for_ever(b"x", lead + script.wire.begun)
