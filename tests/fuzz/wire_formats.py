"""Targets: what every wire format reads (answers, streams, errors, requests) from JSON that was right once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from requests.structures import CaseInsensitiveDict

from tests.formats.streams import CUT
from tests.fuzz import materials
from tests.fuzz.checks import check_error, check_events, check_response
from tests.fuzz.documents import mutated
from tests.fuzz.draws import Draw
from tests.fuzz.target import Family, Target, Unusable
from triptych import formats, jsontext, retry
from triptych.conversion import convert
from triptych.errors import LlmError
from triptych.events import StreamEvent
from triptych.formats import Call
from triptych.formats.wrong_form import WRONG_FORM
from triptych.request import LlmRequest
from triptych.response import LlmResponse

# A byte in place of a number of documents or headers: what follows is no choice, but is read as it stands.
AS_IT_IS = 255
_CALLS = (None, Call(LlmRequest(contents="hi"), "m"))
_HEADERS = (
    "content-type",
    "date",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-amzn-errortype",
    "x-ratelimit-remaining-tokens",
    "x-ratelimit-reset",
    "x-ratelimit-reset-tokens",
    "anthropic-ratelimit-tokens-reset",
    "x-should-retry",
)
_VALUES = (
    "Wed, 21 Oct 2026 07:28:00 GMT",
    "Wed, 21 Oct 2026 07:28:00 -0000",
    "Mon, 01 Jan 0001 00:00:00 -0000",
    "Fri, 31 Dec 9999 23:59:59 -2359",
    "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
    "2026-10-21T07:28:00Z",
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59-23:59",
    "6m0s",
    "76ms",
    "0",
    "1e400",
    "nan",
    "-1",
    "9" * 5000,
    "١٢",
    "true",
    "text/html",
    "a#ThrottlingException:b",
)
_STATUSES = (400, 401, 429, 500, 503, 529, 100, 200, 302, 599, 999)


def _text(draw: Draw, documents: Sequence[Any]) -> bytes:
    """Return a changed document; or the bytes that are left as they are, after one that says so."""
    which = draw.number(256)
    return draw.rest() if which == AS_IT_IS else mutated(draw, documents[which % len(documents)]).encode()


def _json(draw: Draw, documents: Sequence[Any]) -> tuple[Any, int]:
    """Return what a document says, and its size in bytes; see `_text`.

    Raises:
        Unusable: it is no JSON any more, or refused as such before a format sees it.
    """
    text = _text(draw, documents)
    try:
        return jsontext.decode(text), len(text)
    except ValueError as fault:
        raise Unusable from fault


def _answer(name: str) -> Callable[[Draw], tuple[LlmResponse, int]]:
    def read(draw: Draw) -> tuple[LlmResponse, int]:
        call = draw.pick(_CALLS)
        body, size = _json(draw, materials.answers(name))
        return materials.wire(name).parse_response(body, call), size

    return read


def _stream(name: str) -> Callable[[Draw], tuple[LlmResponse, list[StreamEvent], int]]:
    def read(draw: Draw) -> tuple[LlmResponse, list[StreamEvent], int]:
        error = draw.pick((None, CUT))
        parser = materials.wire(name).stream_parser(draw.pick(_CALLS))
        sent, size = _json(draw, materials.streams(name))
        events: list[StreamEvent] = []
        for event in sent if isinstance(sent, list) else [sent]:
            if isinstance(event, dict):
                with contextlib.suppress(*WRONG_FORM):  # whoever reads the stream makes an error of it
                    events += parser.feed(event)
            else:
                parser.end_marker()
        return parser.finish(parser.error or error), events, size

    return read


def _check_stream(came: tuple[LlmResponse, list[StreamEvent], int]) -> None:
    response, events, size = came
    check_response(response, size)
    check_events(events, size)


def headers(draw: Draw) -> Mapping[str, str]:
    """Return headers of an answer, with values that fit or do not; or the lines that are left as they are."""
    drawn = CaseInsensitiveDict[str]()
    how_many = draw.number(256)
    if how_many == AS_IT_IS:
        for line in draw.rest().decode("utf-8", "replace").splitlines():
            name, _, value = line.partition(": ")
            drawn[name] = value
        return drawn
    for _ in range(how_many % 5):
        drawn[draw.pick(_HEADERS)] = draw.pick(_VALUES) if draw.number(3) else draw.text()
    return drawn


def _refused(name: str) -> Callable[[Draw], LlmError]:
    def read(draw: Draw) -> LlmError:
        status, given = draw.pick(_STATUSES), headers(draw)
        body = _text(draw, materials.errors(name))
        return retry.advised(materials.wire(name).parse_error(status, given, body), given)

    return read


def _request(name: str) -> Callable[[Draw], bytes]:
    def read(draw: Draw) -> bytes:
        target = draw.pick(formats.names())
        body, _ = _json(draw, materials.requests(name))
        return jsontext.encode(convert(body, source=name, target=target).body)

    return read


def _family(kind: str, make: Callable[[str], Target]) -> Family:
    return Family(kind, tuple(make(name) for name in formats.names()))


ANSWERS = _family(
    "answers", lambda name: Target(f"answer-{name}", _answer(name), check=lambda came: check_response(*came))
)
STREAMS = _family("streams", lambda name: Target(f"stream-{name}", _stream(name), check=_check_stream))
ERRORS = _family("errors", lambda name: Target(f"error-{name}", _refused(name), check=check_error))
REQUESTS = _family("requests", lambda name: Target(f"request-{name}", _request(name), (LlmError,)))
