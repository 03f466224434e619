"""The framings of streams as hosts write them, and what goes wrong with each."""

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from attrs import field, frozen

from tests.framing.aws_frames import frame, prelude

EVENT_STREAM = {"Content-Type": "text/event-stream"}
_AWS = {"Content-Type": "application/vnd.amazon.eventstream"}


@frozen(eq=False)
class Wire:
    """One framing.

    Args:
        name: What it is called.
        headers: The headers of a stream.
        raw: Makes the bytes of one event of its data, which need not be JSON.
        begun: The first bytes of an event that may grow for ever.
        keep_alives: What a host sends to keep the connection, by what it is.
        opening: The bytes before the first event.
        ends: Where the bytes may end without being broken: between two events, at the end of the stream, or anywhere.
    """

    name: str
    headers: Mapping[str, str]
    raw: Callable[[bytes], bytes]
    begun: bytes
    keep_alives: Mapping[str, bytes] = field(factory=dict)
    opening: bytes = b""
    ends: Literal["anywhere", "between events", "once closed"] = "anywhere"

    def frame(self, data: object) -> bytes:
        """Return the bytes of one event of a JSON value."""
        return self.raw(as_json(data))


def as_json(data: object) -> bytes:
    """Return a value as JSON."""
    return json.dumps(data, ensure_ascii=False).encode()


def event(data: object, name: str | None = None) -> bytes:
    """Return the bytes of one server-sent event whose data is this value as JSON."""
    head = "" if name is None else f"event: {name}\n"
    return b"%bdata: %b\n\n" % (head.encode(), as_json(data))


def named_frame(data: Mapping[str, Any], kind: str = "event") -> bytes:
    """Return the frame of an event of ConverseStream, or of an exception: an object with the name as its only key."""
    ((name, payload),) = data.items()
    return _frame(kind, name, as_json(payload))


def chunk_frame(data: object) -> bytes:
    """Return the frame of InvokeModel that holds an event of the model."""
    return _chunk(as_json(data))


def _chunk(data: bytes) -> bytes:
    return _frame("event", "chunk", as_json({"bytes": base64.b64encode(data).decode(), "p": "abcd"}))


def exception_frame(name: str, message: str) -> bytes:
    """Return the frame of an exception."""
    return named_frame({name: {"message": message}}, "exception")


def _frame(kind: str, name: str, payload: bytes) -> bytes:
    headers = {f":{kind}-type": name, ":content-type": "application/json", ":message-type": kind}
    return frame(headers, payload)


SSE = Wire(
    "events",
    EVENT_STREAM,
    lambda data: b"data: %b\n\n" % data,
    begun=b"data: ",
    keep_alives={"comment": b": keep-alive\n\n", "blank": b"\n"},
)
LINES = Wire(
    "lines",
    {"Content-Type": "application/x-ndjson"},
    lambda data: data + b"\n",
    begun=b'{"message": "',
    keep_alives={"blank": b"\n"},
)
ARRAY = Wire(
    "array",
    {"Content-Type": "application/json"},
    lambda data: data + b"\r\n,",
    begun=b'{"candidates": "',
    keep_alives={"blank": b"\r\n"},
    opening=b"[",
    ends="once closed",
)
NAMED_FRAMES = Wire(
    "frames",
    _AWS,
    lambda data: _frame("event", "messageStop", data),
    begun=prelude(1_000_000, 0),
    ends="between events",
)
CHUNK_FRAMES = Wire(
    "chunks",
    _AWS,
    _chunk,
    begun=prelude(1_000_000, 0),
    keep_alives={"ping": chunk_frame({"type": "ping"})},
    ends="between events",
)
