"""Targets: a client as a whole, the answers of whose host are arbitrary; nothing is sent anywhere."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter

from tests.chat_hosts import ALL_HOSTS, KEY, ChatHost
from tests.faults.scripts import SCRIPTS
from tests.formats.streams import DONE
from tests.fuzz import materials
from tests.fuzz.checks import check_events, check_response
from tests.fuzz.documents import mutated
from tests.fuzz.draws import Draw
from tests.fuzz.target import Family, Target
from tests.fuzz.wire_formats import headers
from triptych import LlmClient, LlmRequest
from triptych.events import StreamEvent
from triptych.response import LlmResponse

_ADAPTER = HTTPAdapter()
_STATUSES = (200, 200, 200, 200, 400, 429, 500, 302)
_PACKINGS: Mapping[str, Callable[[bytes], bytes]] = {"": bytes, "gzip": gzip.compress, "deflate": zlib.compress}
_QUESTION = LlmRequest(contents="hi")


class _Pieces(io.BytesIO):
    """A body that comes in pieces."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        super().__init__(b"".join(pieces))
        self._sizes = [len(piece) for piece in pieces if piece]

    def read1(self, size: int | None = -1, /) -> bytes:
        """Return the next piece, or of a longer one as much as is asked for."""
        return super().read1(min(self._sizes.pop(0) if self._sizes else 1 << 16, 1 << 16))


class _Host:
    """Stands where a recorder does, and answers each request with the same bytes.

    Attributes:
        answer: The status, the headers and the pieces of the body.
    """

    offline = True

    def __init__(self) -> None:
        self.answer: tuple[int, Mapping[str, str], Sequence[bytes]] = (200, {}, ())

    def send(
        self, request: requests.PreparedRequest, live: Callable[[], requests.Response], secrets: Sequence[str]
    ) -> requests.Response:
        """Return the answer, its body unread."""
        status, given, pieces = self.answer
        raw = urllib3.HTTPResponse(
            body=_Pieces(pieces),
            headers=urllib3.HTTPHeaderDict(given),
            status=status,
            preload_content=False,
            decode_content=False,
        )
        return _ADAPTER.build_response(request, raw)


@cache
def _client(model: str) -> tuple[LlmClient, _Host]:
    host = _Host()
    return LlmClient(model, api_key=KEY, retries=0, cassette=host), host


def _answer(draw: Draw, body: bytes) -> tuple[int, Mapping[str, str], Sequence[bytes]]:
    """Return an answer with this body, which may be cut, compressed, and broken then."""
    status, given = draw.pick(_STATUSES), dict(headers(draw)) if draw.number(2) else {}
    packing = draw.pick(("", "", "", *_PACKINGS))
    body = _PACKINGS[packing](body)
    if packing and draw.number(2):
        at = draw.number(len(body) + 1)
        body = body[:at] + draw.some(2) + body[at + draw.number(2) :]
    return status, {**given, **({"content-encoding": packing} if packing else {})}, draw.cut(body)


def _generated(host: ChatHost) -> Callable[[Draw], tuple[LlmResponse, int]]:
    def read(draw: Draw) -> tuple[LlmResponse, int]:
        client, answering = _client(host.model)
        documents = [*materials.answers(host.name), *materials.errors(host.name)]
        body = mutated(draw, draw.pick(documents)).encode() if draw.number(8) else draw.some(30)
        answering.answer = _answer(draw, body)
        return client.generate(_QUESTION), len(body)

    return read


def _streamed(host: ChatHost) -> Callable[[Draw], tuple[LlmResponse, list[StreamEvent], int]]:
    frame = next(script.wire.raw for script in SCRIPTS if script.host is host)

    def read(draw: Draw) -> tuple[LlmResponse, list[StreamEvent], int]:
        client, answering = _client(host.model)
        body = _framed(draw, draw.pick(materials.streams(host.name)), frame)
        answering.answer = _answer(draw, body)
        stream = client.stream(_QUESTION)
        events = list(stream)
        return stream.response, events, len(body)

    return read


def _framed(draw: Draw, events: Sequence[Any], frame: Callable[[bytes], bytes]) -> bytes:
    """Return a stream of which one event was changed, or left out, or is none, or whose bytes were."""
    at = draw.number(len(events) + 1)
    data = [b"[DONE]" if event == DONE else b"%b" % mutated(Draw(b""), event).encode() for event in events]
    if at < len(events) and events[at] != DONE:
        data[at : at + 1] = [mutated(draw, events[at]).encode() for _ in range(draw.number(3))]
    body = b"".join(map(frame, data))
    if not draw.number(3):
        place = draw.number(len(body) + 1)
        body = body[:place] + draw.some(draw.number(8)) + body[place + draw.number(8) :]
    return body


def _check_stream(came: tuple[LlmResponse, list[StreamEvent], int]) -> None:
    response, events, size = came
    check_response(response, size)
    check_events(events, size)


GENERATE = Family(
    "generate",
    tuple(
        Target(f"generate-{host.provider}", _generated(host), check=lambda came: check_response(*came))
        for host in ALL_HOSTS
    ),
)
STREAM = Family(
    "stream",
    tuple(Target(f"client-stream-{host.provider}", _streamed(host), check=_check_stream) for host in ALL_HOSTS),
)
