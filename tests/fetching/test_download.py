"""Tests of fetching on real sockets: sizes, time, redirects, what is sent and what is not."""

import gzip
import itertools
import socket
import threading
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fetching.names import Names
from tests.servers.script import Reply, ScriptedServer, in_turn, serve
from triptych.fetching.media import fetch
from triptych.fetching.rules import FetchError
from triptych.parts import Image

PNG = b"\x89PNG\r\n\x1a\n" + bytes(92)


def picture(url: str, **options: Any) -> Image:
    """Return the picture behind a loopback URL."""
    return fetch(Image(url), **{"allow_http": True, "allow_private": True, **options})


def refusal(url: str, **options: Any) -> str:
    """Return why there is no picture."""
    with pytest.raises(FetchError) as caught:
        picture(url, **options)
    return caught.value.reason


def test_a_plain_get_is_all_that_is_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login user password word")
    monkeypatch.setenv("NETRC", str(netrc))
    with serve(Reply(headers={"Set-Cookie": "a=b"}, body=PNG)) as server:
        for _ in range(2):
            picture(f"{server.url}/a/x.png?sig=1#f")
    for request in server.requests:
        assert (request.method, request.path, request.body) == ("GET", "/a/x.png?sig=1", b"")
        assert sorted(request.headers) == ["accept", "accept-encoding", "host", "user-agent"]
        assert request.headers["accept-encoding"] == "identity"
        assert request.headers["host"] == f"127.0.0.1:{server.port}"


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Reply(body=PNG)) as server, serve(Reply(status=500)) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert picture(f"{server.url}/x.png").data == PNG
        assert proxy.accepted == 0


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=PNG),
        Reply(body=PNG, framing="chunked"),
        Reply(body=[PNG[:7], PNG[7:]]),
        Reply(body=PNG, framing="close"),
        Reply(body=gzip.compress(PNG), headers={"Content-Encoding": "gzip"}),
        Reply(body=[gzip.compress(PNG)], headers={"Content-Encoding": "GZIP"}),
        Reply(body=zlib.compress(PNG), headers={"Content-Encoding": "deflate"}),
    ],
    ids=["length", "chunk", "chunks", "close", "gzip", "gzip chunk", "deflate"],
)
def test_a_file_of_just_the_allowed_size_comes_whole_however_it_is_framed(reply: Reply) -> None:
    with serve(reply) as server:
        assert picture(f"{server.url}/x.png", max_bytes=len(PNG)).data == PNG


def test_a_file_that_is_called_too_large_is_not_read() -> None:
    with serve(Reply(body=PNG, content_length=10**12, stall_after=0)) as server:
        assert refusal(f"{server.url}/x.png", max_bytes=99) == "it has 1000000000000 bytes, and max_bytes is 99"


def test_a_file_without_an_end_is_left_at_the_limit() -> None:
    endless = itertools.repeat(bytes(1 << 16))
    with serve(lambda _: Reply(body=endless)) as server:
        assert refusal(f"{server.url}/x.png", max_bytes=1 << 20) == "it has more than 1048576 bytes, which is max_bytes"


def test_a_small_body_that_is_large_when_decompressed_is_left_at_the_limit() -> None:
    bomb = gzip.compress(bytes(64 << 20))
    with serve(Reply(body=bomb, headers={"Content-Encoding": "gzip"})) as server:
        tracemalloc.start()
        reason = refusal(f"{server.url}/x.png", max_bytes=100_000)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert reason == "it has more than 100000 bytes, which is max_bytes"
    assert peak < 8 << 20


@pytest.mark.parametrize(
    ("coding", "body", "reason"),
    [
        ("gzip", PNG, "it cannot be decompressed: Error -3 while decompressing data: incorrect header check"),
        ("gzip", gzip.compress(PNG)[:-9], "it cannot be decompressed: it does not end where it should"),
        ("gzip", gzip.compress(PNG) + b"more", "it cannot be decompressed: it does not end where it should"),
        ("br", PNG, "it is compressed ('br'), though its host was asked not to"),
        ("gzip, gzip", PNG, "it is compressed ('gzip, gzip'), though its host was asked not to"),
        ("identity", b"", "it is empty"),
    ],
    ids=["not-packed", "cut", "too-long", "unknown", "twice", "empty"],
)
def test_a_body_that_cannot_be_what_it_was_is_refused(coding: str, body: bytes, reason: str) -> None:
    with serve(Reply(headers={"Content-Encoding": coding}, body=body)) as server:
        assert refusal(f"{server.url}/x.png") == reason


@pytest.mark.parametrize("status", [204, 206, 304, 401, 403, 404, 500])
def test_any_status_but_200_is_told(status: int) -> None:
    with serve(Reply(status=status, framing="close")) as server:
        assert refusal(f"{server.url}/x.png") == f"its host answers with the status {status}"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(body=PNG, cut_after=50), "the answer broke off"),
        (Reply(body=[PNG], cut_after=50), "the answer broke off"),
        (Reply(raw=b"SSH-2.0-OpenSSH_9.6\r\n"), "the answer broke off"),
        (Reply(raw=b"HTTP/1.1 200 OK\r\nX: " + bytes(70_000)), "the answer broke off"),
        (Reply(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"0" * 70_000), "the answer broke off"),
        (Reply(hang_up=True), "the answer broke off"),
    ],
    ids=["cut", "cut in a chunk", "not HTTP", "a long header", "a long chunk size", "no answer"],
)
def test_an_answer_that_is_no_whole_one_is_refused(reply: Reply, reason: str) -> None:
    with serve(reply) as server:
        assert refusal(f"{server.url}/x.png") == reason


def test_a_host_that_takes_no_connection_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert refusal(f"http://127.0.0.1:{port}/x.png").startswith("no connection to the host: ")


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """An event that is set when the test is over, for servers that would else go on."""
    event = threading.Event()
    yield event
    event.set()


LATE = "it did not come within 0.2 seconds"


def test_a_body_that_trickles_ends_with_the_time(over: threading.Event) -> None:
    def trickle() -> Iterator[bytes]:
        yield PNG
        for _ in range(1000):
            over.wait(0.01)
            yield b"."

    with serve(lambda _: Reply(body=trickle())) as server:
        assert refusal(f"{server.url}/x.png", timeout=0.2) == LATE


def test_headers_that_trickle_end_with_the_time_and_their_connection_is_closed(over: threading.Event) -> None:
    def trickle(listener: socket.socket) -> None:
        accepted, _ = listener.accept()
        with accepted:
            try:
                accepted.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                while not over.wait(0.01):
                    accepted.sendall(b".")
            except OSError:
                pass  # the client has gone, as it should

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=trickle, args=(listener,))
        thread.start()
        assert refusal(f"http://127.0.0.1:{listener.getsockname()[1]}/x.png", timeout=0.2) == LATE
        thread.join(5)
        assert not thread.is_alive()


@pytest.mark.parametrize("reply", [Reply(body=PNG, stall_after=20), Reply(body=[PNG], stall_after=20)])
def test_a_body_that_stops_ends_with_the_time_and_its_connection_is_closed(reply: Reply) -> None:
    with serve(reply) as server:
        assert refusal(f"{server.url}/x.png", timeout=0.2) == LATE
        assert server.wait_until_closed()


def test_a_look_up_without_an_end_ends_with_the_time(monkeypatch: pytest.MonkeyPatch, over: threading.Event) -> None:
    # The system's resolver is the one thing that no loopback socket can stand for.
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: over.wait(10) and [])
    assert refusal("https://slow.example/x.png", timeout=0.2) == LATE
    over.set()


def to(server: ScriptedServer, path: str) -> Reply:
    """Return a redirect to a path of a server."""
    return Reply(302, {"Location": f"{server.url}{path}", "Set-Cookie": "a=b"})


def test_a_redirect_is_told_and_not_followed() -> None:
    with serve(Reply(body=PNG)) as other, serve(lambda _: to(other, "/y.png?sig=1")) as server:
        assert refusal(f"{server.url}/x.png") == (
            f"it redirects to {other.url}/y.png, and none may be followed: see redirects="
        )
        assert other.accepted == 0


def test_as_many_redirects_as_are_allowed_are_followed() -> None:
    onward = [Reply(status, {"Location": "y.png"}) for status in (301, 302, 303, 307, 308)]
    with serve(in_turn(*onward, Reply(body=PNG))) as server:
        part = picture(f"{server.url}/a/x.png", redirects=5)
    assert (part.data, part.name) == (PNG, "x.png")
    assert [request.path for request in server.requests] == ["/a/x.png"] + ["/a/y.png"] * 5
    assert {tuple(sorted(r.headers)) for r in server.requests} == {("accept", "accept-encoding", "host", "user-agent")}
    with serve(Reply(302, {"Location": "/y.png"})) as server:
        assert refusal(f"{server.url}/x.png", redirects=2) == (
            f"it redirects to {server.url}/y.png, and 2 may be followed: see redirects="
        )
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("file:///etc/passwd", "expected the scheme https or http, got 'file'"),
        ("ftp://127.0.0.1/x.png", "expected the scheme https or http, got 'ftp'"),
        ("data:image/png;base64,iVBORw0KGgo=", "expected the scheme https or http, got 'data'"),
        ("http://user:word@127.0.0.1/x.png", "it has a user or a password, which are not sent"),
        ("http://[::1/x.png", "Invalid IPv6 URL"),
    ],
)
def test_a_redirect_is_checked_like_the_first_url(location: str, reason: str) -> None:
    with serve(Reply(302, {"Location": location})) as server:
        assert refusal(f"{server.url}/x.png", redirects=1) == reason


def test_a_name_is_looked_up_once_and_the_connection_goes_to_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    names = Names(monkeypatch, rebind_example=[["127.0.0.1"], ["127.0.0.2"]])
    with serve(Reply(body=PNG)) as server:
        assert picture(f"http://rebind.example:{server.port}/x.png").data == PNG
    assert names.asked == ["rebind.example"]
    assert [request.headers["host"] for request in server.requests] == [f"rebind.example:{server.port}"]


def test_one_private_address_among_public_ones_is_enough_to_refuse_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    Names(monkeypatch, mixed_example=[["8.8.8.8", "2606:4700::1111", "10.0.0.7"]])
    assert refusal("https://mixed.example/x.png", allow_private=False) == (
        "its host is at 10.0.0.7, a private address: allow_private=True takes it"
    )


def test_each_redirect_is_looked_up_and_checked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    names = Names(monkeypatch, turn_example=[["127.0.0.1"], []])
    with serve(Reply(302, {"Location": "/y.png"})) as server:
        assert (
            refusal(f"http://turn.example:{server.port}/x.png", redirects=1)
            == "no connection to the host: its host has no address"
        )
    assert names.asked == ["turn.example", "turn.example"]


def test_the_next_address_is_tried_where_one_takes_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    Names(monkeypatch, two_example=[["127.0.0.9", "127.0.0.1"]])
    with serve(Reply(body=PNG)) as server:
        assert picture(f"http://two.example:{server.port}/x.png").data == PNG


def test_a_name_that_nobody_knows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert refusal("https://none.example/x.png", allow_private=False) == (
        "no address is known of its host 'none.example': [Errno -2] Name or service not known"
    )


def test_no_thread_is_left_when_a_file_has_come() -> None:
    with serve(Reply(body=PNG)) as server:
        picture(f"{server.url}/x.png")
        for thread in threading.enumerate():
            if thread.name == "triptych-download":
                thread.join(5)
        assert [thread.name for thread in threading.enumerate() if thread.name == "triptych-download"] == []
