"""Targets: every framing, whole and in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tests.faults.scripts import SCRIPTS
from tests.framing.aws_frames import Value, frame, prelude, sealed
from tests.framing.cuts import Decoder, outcome
from tests.fuzz.draws import Draw
from tests.fuzz.target import Family, Target
from triptych.framing.aws_event_stream import AwsEventStreamDecoder
from triptych.framing.aws_json import AwsChunkEvents, AwsNamedEvents
from triptych.framing.chunked import ChunkedDecoder
from triptych.framing.json_array import JsonArrayDecoder
from triptych.framing.ndjson import NdjsonDecoder
from triptych.framing.sse import SseDecoder
from triptych.framing.sse_or_array import SseOrArrayDecoder


def _both_ways(decoder: Callable[[], Decoder[Any]], draw: Draw, body: bytes) -> None:
    """Check that cutting a body anywhere changes neither its events nor what is wrong with it."""
    pieces = draw.cut(body)
    whole = outcome(decoder(), [body])
    assert outcome(decoder(), pieces) == whole, pieces
    assert sum(len(event) for event in whole[0] if isinstance(event, bytes)) <= 2 * len(body) + 1000 * len(whole[0])


def _of_bytes(decoder: Callable[[], Decoder[Any]]) -> Callable[[Draw], None]:
    def read(draw: Draw) -> None:
        head = Draw(draw.some(9))  # where it is cut
        _both_ways(decoder, head, draw.rest())

    return read


def _of_frames(decoder: Callable[[], Decoder[Any]]) -> Callable[[Draw], None]:
    """Return a reader of frames with sound checksums, since others are refused at once, and of some that are broken."""

    def read(draw: Draw) -> None:
        body = b"".join(_frame(draw) for _ in range(1 + draw.number(3)))
        if not draw.number(4):
            at = draw.number(len(body) + 1)
            body = body[:at] + draw.some(4) + body[at + draw.number(4) :]
        _both_ways(decoder, draw, body)

    return read


_HEADERS = (":message-type", ":event-type", ":exception-type", ":error-code", ":error-message", "other")
_KINDS = ("event", "exception", "error")
_VALUES: tuple[Value, ...] = (*_KINDS, "chunk", "contentBlockDelta", "throttlingException", "", b"\xff", 7, True)
_PAYLOADS = (b"", b"{}", b'{"bytes":"e30="}', b'{"bytes":"="}', b'{"bytes":5}', b"[" * 3000, b'{"message":7}')


def _frame(draw: Draw) -> bytes:
    kind = draw.number(8)
    if kind == 0:
        return sealed(draw.some(draw.number(30)), draw.some(draw.number(8)))
    if kind == 1:
        return prelude(draw.number(1 << 32), draw.number(1 << 32)) + draw.some(8)
    headers: dict[str, Value] = {draw.pick(_HEADERS): draw.pick(_VALUES) for _ in range(draw.number(5))}
    if kind < 6:
        headers[":message-type"] = draw.pick(_KINDS)
    return frame(headers, draw.pick(_PAYLOADS) if draw.number(3) else draw.some(draw.number(60)))


def _chunked(draw: Draw) -> None:
    head = Draw(draw.some(9))
    body = draw.rest()
    whole, cut = ChunkedDecoder(), ChunkedDecoder()
    words, pieces = whole.feed(body), b"".join(map(cut.feed, head.cut(body)))
    assert (pieces, cut.ended, cut.fault is None) == (words, whole.ended, whole.fault is None)
    assert len(words) <= len(body)


def _recorded(*names: str) -> Callable[[], Iterable[bytes]]:
    return lambda: [bytes(9) + b"".join(script.sent()) for script in SCRIPTS if script.wire.name in names]


def _written(*bodies: bytes) -> Callable[[], Iterable[bytes]]:
    return lambda: [bytes(9) + body for body in bodies]


_ARRAYS = _written(b'[{"a": [1, "]"]},\r\n{"b": "\\"}"}]', b'{"a": 1}', b"\xef\xbb\xbf[1, true, null]", b"[[[]]]")

FRAMINGS = Family(
    "framings",
    (
        Target("framing-sse", _of_bytes(SseDecoder), seeds=_recorded("events")),
        Target("framing-ndjson", _of_bytes(NdjsonDecoder), seeds=_recorded("lines")),
        Target("framing-json-array", _of_bytes(JsonArrayDecoder), seeds=_ARRAYS),
        Target("framing-sse-or-array", _of_bytes(SseOrArrayDecoder), seeds=_recorded("events", "array")),
        Target(
            "framing-chunked", _chunked, seeds=_written(b"5\r\nhello\r\n0\r\n\r\n", b"1;x=y\r\na\r\n0\r\nT: v\r\n\r\n")
        ),
        Target("framing-aws-event-stream", _of_frames(AwsEventStreamDecoder)),
        Target("framing-aws-named", _of_frames(AwsNamedEvents)),
        Target("framing-aws-chunks", _of_frames(AwsChunkEvents)),
        Target("framing-aws-raw", _of_bytes(AwsNamedEvents), seeds=_recorded("frames", "chunks")),
    ),
)
