"""A real HTTP server on the loopback whose answers a test scripts, and the sending of requests to it."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import requests
from attrs import define, field, frozen
from requests.adapters import HTTPAdapter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from triptych.recorder import Recorder


@frozen
class Seen:
    """A request as the server got it."""

    path: str
    headers: dict[str, str]
    body: bytes


@frozen
class Answer:
    """What the server sends back: with several pieces, chunked; a cut one closes before the announced end."""

    body: bytes = b"{}"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    pieces: tuple[bytes, ...] | None = None
    cut: bool = False


@define
class Loopback:
    """The server of a test."""

    url: str
    answer: Callable[[Seen], Answer]
    seen: list[Seen] = field(factory=list)
    gate: threading.Event = field(factory=threading.Event)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    loopback: Loopback

    def do_POST(self) -> None:
        """Note the request and send the scripted answer."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        seen = Seen(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        self.loopback.seen.append(seen)
        answer = self.loopback.answer(seen)
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.pieces is None:
            self.send_header("Content-Length", str(len(answer.body) + (10 if answer.cut else 0)))
            self.end_headers()
            self.wfile.write(answer.body)
        else:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._send_pieces(answer.pieces)
        self.close_connection = answer.cut

    def _send_pieces(self, pieces: tuple[bytes, ...]) -> None:
        for number, piece in enumerate(pieces):
            if number:
                self.loopback.gate.wait(5)
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *args: object) -> None:
        """Keep the output of the tests clean."""


def echo(seen: Seen) -> Answer:
    """Answer with the body that was sent."""
    return Answer(seen.body)


class _Server(ThreadingHTTPServer):
    # Room for all threads of a test to connect at once; the default of 5 makes the others wait seconds.
    request_queue_size = 64


@contextmanager
def serving(answer: Callable[[Seen], Answer] = echo) -> Iterator[Loopback]:
    """Run a server while the block runs."""
    handler = type("Handler", (_Handler,), {})
    with _Server(("127.0.0.1", 0), handler) as server:
        loopback = Loopback(f"http://127.0.0.1:{server.server_address[1]}", answer)
        loopback.gate.set()
        handler.loopback = loopback  # type: ignore[attr-defined]  # made by type() two lines above
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield loopback
        finally:
            loopback.gate.set()
            server.shutdown()
            thread.join()


def prepared(url: str, body: object = None, **headers: str) -> requests.PreparedRequest:
    """Prepare a POST; a body that is neither bytes nor text is sent as JSON. `_` in a header name stands for `-`."""
    data = body if isinstance(body, (bytes, str)) or body is None else json.dumps(body)
    names = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.Request("POST", url, data=data, headers=names).prepare()


def open_response(
    recorder: Recorder, request: requests.PreparedRequest, secrets: tuple[str, ...] = ()
) -> requests.Response:
    """Send a request through a recorder; the body of the response is unread."""
    adapter = HTTPAdapter()
    return recorder.send(request, lambda: adapter.send(request, stream=True, timeout=10), secrets)


def send(
    recorder: Recorder, url: str, body: object = None, secrets: tuple[str, ...] = (), **headers: str
) -> requests.Response:
    """Send a POST through a recorder and read the response whole."""
    with open_response(recorder, prepared(url, body, **headers), secrets) as response:
        _ = response.content
    return response
