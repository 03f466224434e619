"""The scripted server does on the wire what its replies say."""

import contextlib
import http.client
import socket
import threading
from collections.abc import Iterator

import pytest
import requests

from tests.servers.script import Reply, Request, ScriptedServer, in_turn, serve


def _connection(server: ScriptedServer) -> contextlib.closing[http.client.HTTPConnection]:
    return contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=5))


def _bytes_until_close(server: ScriptedServer) -> bytes:
    """Send one request on a bare socket and return all that comes back before the server closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(b"GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
        return b"".join(iter(lambda: connection.recv(4096), b""))


def test_a_request_is_recorded_whole() -> None:
    with serve(Reply(204)) as server, _connection(server) as connection:
        connection.request("PUT", "/a?b=c", body=b'{"d": 1}', headers={"X-One": "1", "Accept": "text/plain"})
        connection.getresponse().read()
        (request,) = server.requests
    assert (request.method, request.path, request.body, request.connection) == ("PUT", "/a?b=c", b'{"d": 1}', 0)
    assert request.json() == {"d": 1}
    assert request.headers == {
        "host": f"127.0.0.1:{server.port}",
        "accept-encoding": "identity",
        "content-length": "8",
        "x-one": "1",
        "accept": "text/plain",
    }


def test_a_chunked_request_body_is_joined() -> None:
    with serve(Reply()) as server, _connection(server) as connection:
        connection.request("POST", "/", body=iter([b"one ", b"two"]))
        connection.getresponse().read()
        connection.request("GET", "/next")
        connection.getresponse().read()
        assert [request.body for request in server.requests] == [b"one two", b""]


def test_a_repeated_header_keeps_all_its_values() -> None:
    with serve(Reply()) as server, _connection(server) as connection:
        connection.putrequest("GET", "/")
        connection.putheader("X-Many", "1")
        connection.putheader("X-Many", "2")
        connection.endheaders()
        connection.getresponse().read()
        assert server.requests[0].headers["x-many"] == "1, 2"


def test_a_connection_is_kept_for_the_next_request_and_closed_at_the_end() -> None:
    with serve(Reply.of_json({"ok": True})) as server:
        with requests.Session() as session:
            assert [session.get(server.url).json() for _ in range(3)] == [{"ok": True}] * 3
            assert (server.accepted, server.open_connections) == (1, 1)
            assert [request.connection for request in server.requests] == [0, 0, 0]
        assert server.wait_until_closed()
        assert server.open_connections == 0


def test_the_handler_sees_the_request_and_chooses_status_headers_and_body() -> None:
    def shout(request: Request) -> Reply:
        return Reply(418, {"X-Path": request.path}, request.body.upper())

    with serve(shout) as server:
        response = requests.post(f"{server.url}/tea", data=b"hello", timeout=5)
    assert (response.status_code, response.headers["X-Path"], response.content) == (418, "/tea", b"HELLO")


def test_pieces_travel_as_chunks_and_the_connection_is_kept() -> None:
    with serve(in_turn(Reply(body=[b"one ", b"", b"two"]), Reply(body=b"next"))) as server:
        with requests.Session() as session:
            first = session.get(server.url, timeout=5)
            assert (first.headers["Transfer-Encoding"], first.content) == ("chunked", b"one two")
            assert session.get(server.url, timeout=5).content == b"next"
        assert server.accepted == 1


def test_each_piece_is_sent_before_the_next_is_asked_for() -> None:
    seen = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b"first"
        assert seen.wait(5)
        yield b"second"

    with serve(Reply(body=pieces())) as server, requests.get(server.url, stream=True, timeout=5) as response:
        arriving = response.raw.stream()
        assert next(arriving) == b"first"
        seen.set()
        assert list(arriving) == [b"second"]


def test_a_body_without_framing_ends_with_its_connection() -> None:
    with serve(Reply(body=[b"one ", b"two"], framing="close")) as server:
        assert _bytes_until_close(server) == b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\none two"


def test_pieces_can_have_a_length() -> None:
    with serve(Reply(body=[b"one ", b"two"], framing="length", close=True)) as server:
        assert _bytes_until_close(server) == (
            b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\none two"
        )


@pytest.mark.parametrize(
    ("reply", "on_the_wire"),
    [
        (Reply(body=b"hello", cut_after=2), b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"),
        (Reply(body=b"hello", cut_after=0), b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
        (
            Reply(body=[b"hello", b"you"], cut_after=6),
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3\r\ny",
        ),
        (
            Reply(body=[b"hello"], cut_after=9),
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        ),
        (
            Reply(body=b"hello", content_length=9, close=True),
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nhello",
        ),
        (Reply(hang_up=True), b""),
        (Reply(raw=b"no http at all"), b"no http at all"),
    ],
    ids=["cut", "cut before the body", "cut inside a chunk", "cut after the end", "false length", "hang up", "raw"],
)
def test_a_fault_leaves_exactly_these_bytes_on_the_wire(reply: Reply, on_the_wire: bytes) -> None:
    with serve(reply) as server:
        assert _bytes_until_close(server) == on_the_wire


def test_a_reset_breaks_the_connection() -> None:
    with serve(Reply(hang_up=True, reset=True)) as server, pytest.raises(ConnectionResetError):
        _bytes_until_close(server)


def test_a_stalled_reply_holds_still_until_the_peer_goes() -> None:
    with serve(Reply(body=b"hello", stall_after=2)) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
            received = b""
            while not received.endswith(b"\r\n\r\nhe"):
                received += connection.recv(4096)
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):
                connection.recv(1)
            assert server.open_connections == 1
        assert server.wait_until_closed()


def test_stopping_ends_stalled_and_idle_connections_and_every_thread() -> None:
    before = set(threading.enumerate())
    with contextlib.ExitStack() as peers, serve(Reply(body=b"hello", stall_after=0)) as server:
        for _ in range(2):
            peer = peers.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
        peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert server.wait_for_requests(1)
    assert set(threading.enumerate()) == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=5)


def test_dropped_connections_are_closed_and_new_ones_are_answered() -> None:
    with serve(Reply(body=b"ok")) as server:
        with _connection(server) as first:
            first.request("GET", "/")
            first.getresponse().read()
            server.drop_connections()
            assert server.wait_until_closed()
        assert requests.get(server.url, timeout=5).content == b"ok"


def test_a_failing_handler_answers_500_and_its_failure_is_raised_at_the_end() -> None:
    def fail(request: Request) -> Reply:
        raise AssertionError("no such question")

    def ask() -> None:
        with serve(fail) as server:
            response = requests.get(server.url, timeout=5)
            assert (response.status_code, response.content) == (500, b"AssertionError('no such question')")

    with pytest.raises(AssertionError, match="no such question"):
        ask()


def test_one_request_more_than_scripted_is_a_failure() -> None:
    too_many = "no reply left for GET /: 1 were scripted"
    with pytest.raises(AssertionError, match=too_many), serve(in_turn(Reply())) as server:
        assert [requests.get(server.url, timeout=5).status_code for _ in range(2)] == [200, 500]


def test_what_is_no_request_is_a_failure() -> None:
    def send_nonsense() -> None:
        with serve(Reply()) as server, socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            connection.sendall(b"nonsense\r\n\r\n")
            assert connection.recv(1) == b""

    with pytest.raises(ValueError, match="not enough values"):
        send_nonsense()


def test_half_a_request_is_not_recorded() -> None:
    with serve(Reply()) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhel")
        assert server.wait_until_closed()
        assert server.requests == []
