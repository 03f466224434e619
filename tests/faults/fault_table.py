"""Every fault of a host that answers, and what a program is told of it: of a whole answer and of a stream.

Read a row as: what the host does, what a call for the whole answer is told, what a stream is told.
"""

import gzip
import json
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple

from attrs import frozen

from tests.faults.script import Script
from tests.faults.slow import for_ever
from tests.servers.script import Reply
from triptych import Limits, Timeout

JSON = {"Content-Type": "application/json"}
PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<body>data: who are you?</body></html>\n"
SHORT = 0.03  # seconds, where the host holds still


class Says(NamedTuple):
    """An error as a program decides by it."""

    kind: str
    code: str | None
    status: int | None
    retryable: bool


class Answer(Enum):
    """What is no fault: the answer is there, as it was asked for or as one object where a stream was asked for."""

    AS_ASKED = "as it was asked for"
    OBJECT = "an object"


BROKEN_OFF = Says("connection", "incomplete_response", None, True)
TOO_LATE = Says("timeout", "read_timeout", None, True)
UNPACKED = Says("connection", "undecodable", None, True)
MALFORMED = Says("malformed_response", None, 200, False)
TOO_LARGE = Says("malformed_response", "response_too_large", 200, False)
CUT = Says("stream_interrupted", None, None, True)
CUT_OFF = Says("stream_interrupted", "incomplete_response", None, True)
CUT_UNPACKED = Says("stream_interrupted", "undecodable", None, True)
TORN = Says("stream_interrupted", "bad_framing", None, True)
REDIRECTED = Says("connection", "redirect", 307, False)


@frozen
class Fault:
    """What a host does, and what becomes of a call.

    Args:
        reply: Makes the reply to one request of a script's host; the second argument is whether a stream was asked for.
        whole: What a call for the whole answer is told; None where the fault is one of streams alone.
        streamed: What a stream is told.
        stage: How far the stream has got by then; None where nothing has come of it.
        kept: Whether the connection is still there, of a call for the whole answer and of a stream.
        options: Of the client.
        once: Whether nothing is tried again, though it may pass: no time is left.
    """

    reply: Callable[[Script, bool], Reply]
    whole: Says | Answer | None
    streamed: Says | Answer
    stage: str | None = None
    kept: tuple[bool, bool] = (False, False)
    options: Mapping[str, Any] = {}
    once: bool = False


def answer(script: Script, stream: bool) -> bytes:
    """Return the body of the whole answer."""
    return b"".join(script.sent()) if stream else json.dumps(script.host.answer("whole")).encode()


def half(script: Script, stream: bool) -> bytes:
    """Return as much of the answer as ends in the middle of a value; of a stream, in the middle of an event."""
    if not stream:
        whole = answer(script, stream)
        return whole[: len(whole) // 2]
    sent = script.sent("speaking")
    torn = script.steps[len(sent)].sent
    return b"".join(sent) + torn[: len(torn) // 2]


def headers(script: Script, stream: bool) -> dict[str, str]:
    """Return the headers that describe the body of the answer."""
    return dict(script.wire.headers) if stream else JSON


def raw(head: str, script: Script, stream: bool) -> Reply:
    """Return a reply that sends these lines, and then the answer as it should be until the connection ends."""
    lines = [f"{head}HTTP/1.1 200 OK", *(f"{name}: {value}" for name, value in headers(script, stream).items())]
    return Reply(raw="\r\n".join([*lines, "Connection: close", "", ""]).encode() + answer(script, stream))


def broken(**how: Any) -> Callable[[Script, bool], Reply]:
    """Return what makes replies that say the answer in this way; a function is called with the script."""

    def reply(script: Script, stream: bool) -> Reply:
        made = {name: value(script, stream) if callable(value) else value for name, value in how.items()}
        return Reply(**{"headers": headers(script, stream), "body": answer(script, stream), **made})

    return reply


def saying(body: bytes | list[bytes], **how: Any) -> Callable[[Script, bool], Reply]:
    """Return what makes replies with this body."""
    return broken(body=body, **how)


def just(**how: Any) -> Callable[[Script, bool], Reply]:
    """Return what makes replies that have nothing of the answer."""
    return lambda _, __: Reply(**how)


def _half_length(script: Script, stream: bool) -> int:
    return len(half(script, stream))


def _packed(pack: Callable[[bytes], bytes], name: str = "gzip") -> Callable[[Script, bool], Reply]:
    return broken(
        headers=lambda script, stream: {**headers(script, stream), "Content-Encoding": name},
        body=lambda script, stream: pack(answer(script, stream)),
    )


_QUICK = {"timeout": Timeout(first_event=SHORT, idle=SHORT), "retries": 1}
_HEAD = b"HTTP/1.1 200 OK\r\n"

BEFORE_THE_BODY: Mapping[str, Fault] = {
    "closed before the answer": Fault(just(hang_up=True), BROKEN_OFF, BROKEN_OFF),
    "reset before the answer": Fault(just(hang_up=True, reset=True), BROKEN_OFF, BROKEN_OFF),
    "another protocol": Fault(just(raw=b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), BROKEN_OFF, BROKEN_OFF),
    "cut in the status line": Fault(just(raw=b"HTTP/1.1 20"), BROKEN_OFF, BROKEN_OFF),
    "cut between headers": Fault(just(raw=_HEAD + b"Content-Ty"), BROKEN_OFF, BROKEN_OFF),
    "cut in a header after the length": Fault(just(raw=_HEAD + b"Content-Length: 100\r\nX-Na"), BROKEN_OFF, BROKEN_OFF),
    "two lengths": Fault(
        just(raw=_HEAD + b"Content-Length: 5\r\nContent-Length: 9\r\n\r\n{}       "), BROKEN_OFF, BROKEN_OFF
    ),
    "headers byte by byte": Fault(
        lambda _, __: Reply(raw=for_ever(b"y", _HEAD + b"X: ")), TOO_LATE, TOO_LATE, options=_QUICK
    ),
    "headers alone": Fault(broken(stall_after=0), TOO_LATE, TOO_LATE, options=_QUICK),
    "a redirect": Fault(
        just(status=307, headers={"Location": "http://127.0.0.1:9/?k=1"}), REDIRECTED, REDIRECTED, kept=(True, True)
    ),
    "100 first": Fault(
        lambda script, stream: raw("HTTP/1.1 100 Continue\r\n\r\n", script, stream), Answer.AS_ASKED, Answer.AS_ASKED
    ),
    "103 first": Fault(
        lambda script, stream: raw("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", script, stream),
        Answer.AS_ASKED,
        Answer.AS_ASKED,
    ),
}
IN_THE_BODY: Mapping[str, Fault] = {
    "cut short of its length": Fault(broken(cut_after=_half_length), BROKEN_OFF, CUT_OFF, "speaking"),
    "cut in a chunk": Fault(
        broken(body=lambda *asked: [answer(*asked)], cut_after=_half_length), BROKEN_OFF, CUT_OFF, "speaking"
    ),
    "cut between chunks": Fault(
        broken(body=lambda *asked: [half(*asked), b" "], cut_after=_half_length), BROKEN_OFF, CUT_OFF, "speaking"
    ),
    "cut between events": Fault(
        broken(
            body=lambda script, _: [*script.sent("speaking"), b" "],
            cut_after=lambda script, _: sum(map(len, script.sent("speaking"))),
        ),
        None,
        CUT_OFF,
        "speaking",
    ),
    "cut before the first word": Fault(
        broken(
            body=lambda script, _: [*script.sent("opened"), b" "],
            cut_after=lambda script, _: sum(map(len, script.sent("opened"))),
        ),
        None,
        CUT_OFF,
        "opened",
    ),
    "cut without any framing": Fault(broken(body=half, framing="close"), MALFORMED, CUT, "speaking"),
    "no chunks": Fault(just(raw=_HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"), BROKEN_OFF, CUT_OFF),
    "a length too small": Fault(broken(content_length=_half_length), MALFORMED, CUT, "speaking", (True, True)),
    "a length too great": Fault(
        broken(content_length=lambda *asked: len(answer(*asked)) + 9, close=True), BROKEN_OFF, Answer.AS_ASKED
    ),
    "a length that is none": Fault(broken(content_length="many", close=True), Answer.AS_ASKED, Answer.AS_ASKED),
    "silence": Fault(
        broken(stall_after=_half_length),
        TOO_LATE,
        Says("timeout", "idle_timeout", None, True),
        "speaking",
        options={"timeout": Timeout(idle=SHORT), "retries": 1},
    ),
    "a trickle without end": Fault(
        broken(body=lambda script, stream: for_ever(b" ", half(script, stream))),
        Says("timeout", "total_timeout", None, True),
        Says("timeout", "total_timeout", None, True),
        "speaking",
        options={"timeout": Timeout(total=5 * SHORT)},
        once=True,
    ),
}
OF_THE_BODY: Mapping[str, Fault] = {
    "a page": Fault(saying(PAGE, headers={"Content-Type": "text/html"}), MALFORMED, MALFORMED, kept=(True, True)),
    "a page by another type": Fault(saying(PAGE), MALFORMED, MALFORMED, kept=(True, True)),
    "words": Fault(saying(b"upstream connect error"), MALFORMED, CUT, kept=(True, True)),
    "half an object": Fault(saying(b'{"id": "x", "mod'), MALFORMED, MALFORMED, kept=(True, True)),
    "an empty list": Fault(saying(b"[]"), MALFORMED, MALFORMED, kept=(True, True)),
    "nothing": Fault(saying(b""), MALFORMED, CUT, kept=(True, True)),
    "blank lines": Fault(saying(b"\r\n \n"), MALFORMED, CUT, kept=(True, True)),
    "no chunk at all": Fault(saying([]), MALFORMED, CUT, kept=(True, True)),
    "204": Fault(just(status=204), Says("malformed_response", None, 204, False), CUT, kept=(True, True)),
    "an answer as text": Fault(
        broken(headers={"Content-Type": "text/plain"}), Answer.AS_ASKED, Answer.AS_ASKED, kept=(True, True)
    ),
    "an answer without a type": Fault(broken(headers={}), Answer.AS_ASKED, Answer.AS_ASKED, kept=(True, True)),
    "an object for a stream, a stream for an object": Fault(
        broken(
            headers=lambda script, stream: headers(script, not stream),
            body=lambda script, stream: answer(script, not stream),
        ),
        MALFORMED,
        Answer.OBJECT,
        kept=(True, True),
    ),
    "not packed as it says": Fault(_packed(lambda body: body), UNPACKED, CUT_UNPACKED, kept=(True, True)),
    "not packed as it says, in chunks": Fault(
        broken(
            headers=lambda *asked: {**headers(*asked), "Content-Encoding": "gzip"}, body=lambda *asked: [answer(*asked)]
        ),
        UNPACKED,
        CUT_UNPACKED,
    ),
    "packed with a wrong checksum": Fault(
        _packed(lambda body: gzip.compress(body)[:-8] + b"\1" * 8), UNPACKED, CUT_UNPACKED, kept=(True, True)
    ),
    "packed in a way that was not asked for": Fault(
        _packed(lambda _: b"\x8b\x03\x80abcdef\x03", "br"), MALFORMED, CUT, kept=(True, True)
    ),
    "more than is taken": Fault(
        broken(stall_after=lambda *asked: len(answer(*asked)) - 1),
        TOO_LARGE,
        TOO_LARGE,
        options={"limits": Limits(response_bytes=100)},
    ),
    "an event larger than is taken": Fault(
        broken(
            body=lambda script, _: b"".join(script.sent("speaking")) + script.wire.begun + b"x" * 40_000,
            stall_after=lambda script, _: len(b"".join(script.sent("speaking"))) + 39_000,
        ),
        None,
        Says("malformed_response", "event_too_large", None, False),
        "speaking",
        options={"limits": Limits(event_bytes=30_000)},
    ),
}
FAULTS: Mapping[str, Fault] = {**BEFORE_THE_BODY, **IN_THE_BODY, **OF_THE_BODY}

_FRAMES = ("bedrock-frames", "bedrock-anthropic-chunks")  # these say where each event ends: bytes too few are seen
_ARRAY = "gemini-array"  # so does an array: it is closed
# Where one object alone is a stream, half of it is a stream that was cut; and of Google's arrays [] is an empty one.
_LONE = {"gemini": TORN, _ARRAY: TORN, "ollama-lines": CUT}
EXCEPTIONS_STREAMED: Mapping[str, Mapping[str, Says]] = {
    "cut without any framing": dict.fromkeys((*_FRAMES, _ARRAY), TORN),
    "a length too small": dict.fromkeys((*_FRAMES, _ARRAY), TORN),
    "words": dict.fromkeys(_FRAMES, TORN),
    "half an object": _LONE,
    "an empty list": {"gemini": CUT, _ARRAY: CUT},
    "packed in a way that was not asked for": dict.fromkeys(_FRAMES, TORN),
}
EXCEPTIONS_WHOLE: Mapping[str, Mapping[str, Says]] = {
    "an empty list": {"gemini": Says("stream_interrupted", None, 200, True)},
}
