"""Responses from a cassette, and responses that are being recorded, read like live ones."""

from __future__ import annotations

import gzip
import zlib
from functools import partial
from typing import TYPE_CHECKING

import pytest
import urllib3
from requests.adapters import HTTPAdapter

from tests.replay.loopback import Answer, Loopback, open_response, prepared, send
from triptych.replay import Tape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import requests

BODY = b'data: {"n": 1}\n\ndata: {"n": 22}\n\ndata: [DONE]\n\n'


def until_empty(read: Callable[[], bytes]) -> Iterable[bytes]:
    """Call a reader until it has nothing left."""
    return iter(read, b"")


def bodies(tape: Tape) -> list[bytes]:
    """List the response bodies that were recorded."""
    return [exchange.response_body for exchange in tape.recorded]


READERS: dict[str, Callable[[requests.Response], Iterable[bytes]]] = {
    "content": lambda response: [response.content],
    "iter_content(None)": lambda response: response.iter_content(None),
    "iter_content(1)": lambda response: response.iter_content(1),
    "iter_content(7)": lambda response: response.iter_content(7),
    "iter_lines": lambda response: [line + b"\n" for line in response.iter_lines()],
    "stream()": lambda response: response.raw.stream(),
    "stream(None)": lambda response: response.raw.stream(None, decode_content=True),
    "stream(1)": lambda response: response.raw.stream(1, decode_content=True),
    "stream(7)": lambda response: response.raw.stream(7, decode_content=True),
    "stream(65536)": lambda response: response.raw.stream(65536),
    "read()": lambda response: until_empty(response.raw.read),
    "read(1)": lambda response: until_empty(lambda: response.raw.read(1)),
    "read(7)": lambda response: until_empty(lambda: response.raw.read(7, decode_content=True)),
    "read1()": lambda response: until_empty(response.raw.read1),
    "read1(1)": lambda response: until_empty(lambda: response.raw.read1(1)),
    "read1(65536)": lambda response: until_empty(lambda: response.raw.read1(65536, decode_content=True)),
    "data": lambda response: [response.raw.data],
}


@pytest.fixture(params=READERS)
def read(request: pytest.FixtureRequest) -> Callable[[requests.Response], bytes]:
    """Each way to read a body."""
    reader = READERS[request.param]
    return lambda response: b"".join(reader(response))


@pytest.mark.parametrize("pieces", [None, (BODY[:20], BODY[20:])], ids=["length", "chunked"])
def test_every_way_to_read_ends_and_gives_the_whole_body(
    server: Loopback, path: Path, read: Callable[[requests.Response], bytes], pieces: tuple[bytes, ...] | None
) -> None:
    """B197, B198."""
    server.answer = lambda seen: Answer(BODY, pieces=pieces)
    tape = Tape(path, "once")
    with open_response(tape, prepared(server.url)) as live:
        assert read(live) == BODY
    tape.close()
    with open_response(Tape(path), prepared(server.url)) as played:
        assert read(played) == BODY


def test_status_reason_headers_url_and_request_are_those_of_the_recording(server: Loopback, path: Path) -> None:
    headers = (("Content-Type", "text/plain; charset=utf-8"), ("Retry-After", "1"))
    server.answer = lambda seen: Answer("é".encode(), 429, headers)
    tape = Tape(path, "once")
    live = send(tape, f"{server.url}/v1")
    tape.close()
    played = send(Tape(path), f"{server.url}/v1")
    for response in (live, played):
        assert (response.status_code, response.reason, response.text) == (429, "Too Many Requests", "é")
        assert (response.url, response.request.url) == (f"{server.url}/v1", f"{server.url}/v1")
        assert response.headers["content-type"] == "text/plain; charset=utf-8"
        assert response.raw.headers["retry-after"] == "1"
    assert dict(played.headers) == {"content-type": "text/plain; charset=utf-8", "retry-after": "1"}


@pytest.mark.parametrize(
    ("coding", "compress"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("deflate, gzip", lambda b: gzip.compress(zlib.compress(b)))],
)
def test_a_compressed_body_is_stored_as_text_without_headers_that_are_no_longer_true(
    server: Loopback, path: Path, coding: str, compress: Callable[[bytes], bytes]
) -> None:
    """B199."""
    headers = (("Content-Type", "text/event-stream"), ("Content-Encoding", coding))
    server.answer = lambda seen: Answer(compress(BODY), headers=headers)
    tape = Tape(path, "once")
    live = send(tape, server.url)
    tape.close()
    played = send(Tape(path), server.url)
    assert (live.content, played.content) == (BODY, BODY)
    assert dict(played.headers) == {"content-type": "text/event-stream"}
    assert "        data: [DONE]\n" in path.read_text()


def test_a_body_in_an_encoding_that_nobody_here_knows_is_kept_as_it_is(server: Loopback, path: Path) -> None:
    server.answer = lambda seen: Answer(b"\xff\x01packed", headers=(("Content-Encoding", "x-new"),))
    tape = Tape(path, "once")
    live = send(tape, server.url)
    tape.close()
    for response in (live, send(Tape(path), server.url)):
        assert (response.content, response.headers["content-encoding"]) == (b"\xff\x01packed", "x-new")


def test_a_stream_is_handed_on_while_it_is_recorded(server: Loopback, path: Path) -> None:
    server.gate.clear()
    server.answer = lambda seen: Answer(pieces=(b"data: 1\n\n", b"data: 2\n\n"))
    tape = Tape(path, "once")
    with open_response(tape, prepared(server.url)) as response:
        # The server sends the second piece only when the first has arrived here.
        assert response.raw.read1() == b"data: 1\n\n"
        assert bodies(tape) == []
        server.gate.set()
        assert response.raw.read1() == b"data: 2\n\n"
        assert response.raw.read1() == b""
    assert bodies(tape) == [b"data: 1\n\ndata: 2\n\n"]


@pytest.mark.parametrize(
    ("media_type", "recorded"),
    [("text/event-stream; charset=utf-8", [b"data: 1\n\n"]), ("application/json", [])],
)
def test_only_of_a_stream_the_beginning_is_recorded_when_it_is_closed_early(
    server: Loopback, path: Path, media_type: str, recorded: list[bytes]
) -> None:
    server.gate.clear()
    server.answer = lambda seen: Answer(
        headers=(("Content-Type", media_type),), pieces=(b"data: 1\n\n", b"data: 2\n\n")
    )
    tape = Tape(path, "once")
    response = open_response(tape, prepared(server.url))
    assert response.raw.read1() == b"data: 1\n\n"
    response.close()
    response.close()
    assert bodies(tape) == recorded


@pytest.mark.parametrize("read", [lambda raw: raw.read(), lambda raw: b"".join(iter(lambda: raw.read1(9), b""))])
def test_a_body_that_breaks_off_raises_as_without_a_cassette_and_is_not_recorded(
    server: Loopback, path: Path, read: Callable[[urllib3.HTTPResponse], bytes]
) -> None:
    server.answer = lambda seen: Answer(b"half of", cut=True)
    tape = Tape(path, "once")
    response = open_response(tape, prepared(server.url))
    with pytest.raises(urllib3.exceptions.ProtocolError, match="7 bytes read, 10 more expected"):
        read(response.raw)
    response.close()
    tape.close()
    assert tape.recorded == ()
    assert not path.exists()


def test_a_response_closed_unread_is_not_recorded(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once")
    open_response(tape, prepared(server.url, "{}")).close()
    assert tape.recorded == ()


def test_an_empty_body_is_recorded_and_played(server: Loopback, path: Path) -> None:
    server.answer = lambda seen: Answer(b"", 204)
    tape = Tape(path, "once")
    assert send(tape, server.url).status_code == 204
    tape.close()
    played = send(Tape(path), server.url)
    assert (played.status_code, played.content) == (204, b"")


def test_the_connection_goes_back_to_its_pool_after_recording(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once")
    adapter = HTTPAdapter(pool_connections=1, pool_maxsize=1, pool_block=True)
    for n in range(3):
        request = prepared(server.url, {"n": n})
        response = tape.send(request, partial(adapter.send, request, stream=True, timeout=5), ())
        assert response.json() == {"n": n}
    adapter.close()
