"""Bytes one by one, compressed, with and without framing: the same answer, and each event as soon as it is there."""

import threading
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.faults.scripts import Script, event_scripts
from tests.faults.watch import Watch, both_ways, every_script, watched
from tests.servers.script import Reply
from triptych.events import StreamEvent

FRAMINGS: dict[str, dict[str, Any]] = {
    "chunked": {"framing": "chunked"},
    "unframed": {"framing": "close"},
    "with a length": {"framing": "length"},
}


@pytest.mark.parametrize("framing", FRAMINGS.values(), ids=FRAMINGS)
@every_script
def test_single_bytes_make_the_same_answer(script: Script, framing: dict[str, Any], watch: Watch) -> None:
    pieces = [bytes([byte]) for byte in b"".join(script.sent())]
    seen = watched(watch, script.host, script.reply(pieces, **framing))
    assert (seen.response, seen.events) == (script.response(), script.yields())
    assert seen.kept == (framing["framing"] != "close")


@pytest.mark.parametrize("ending", [b"\r\n", b"\r"], ids=["CRLF", "CR"])
@event_scripts
@both_ways
def test_other_line_ends_make_the_same_answer(script: Script, ending: bytes, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply([piece.replace(b"\n", ending) for piece in script.sent()]))
    assert (seen.response, seen.events, seen.kept) == (script.response(), script.yields(), 1)


def as_it_is(pieces: list[bytes]) -> list[bytes]:
    """Return the pieces."""
    return pieces


def zipped(pieces: list[bytes]) -> list[bytes]:
    """Return the pieces compressed, each so that it can be decompressed without the next."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    packed = [packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH) for piece in pieces]
    return [*packed[:-1], packed[-1] + packer.flush()]


WIRES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], dict[str, Any]]] = {
    "chunked": (as_it_is, {}),
    "unframed": (as_it_is, {"framing": "close"}),
    "gzip in chunks": (zipped, {"headers": {"Content-Encoding": "gzip"}}),
    "gzip unframed": (zipped, {"headers": {"Content-Encoding": "gzip"}, "framing": "close"}),
}


@pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)
@every_script
def test_an_event_is_there_before_the_next_is_sent(script: Script, wire: Any, watch: Watch) -> None:
    prepare, options = wire
    arrived = threading.Semaphore(0)

    def pieces() -> Iterator[bytes]:
        for step, piece in zip(script.steps, prepare(script.sent()), strict=True):
            yield piece
            for _ in step.yields:
                assert arrived.acquire(timeout=10), "an event was held back"

    def note(_: StreamEvent) -> None:
        arrived.release()

    headers = {**script.wire.headers, **options.get("headers", {})}
    reply = Reply(**{**options, "headers": headers, "body": pieces()})
    seen = watched(watch, script.host, reply, each=note)
    assert (seen.response, seen.events) == (script.response(), script.yields())
