"""Places where no HTTP answer comes: nobody listens, nobody accepts, nobody speaks, or TLS fails."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from attrs import frozen

from tests.faults.sockets import connections_to, reset
from tests.test_transport_tls import secure

Certificates = tuple[Path, Path, Path]


@frozen
class Place:
    """Where a client is sent.

    Args:
        url: Scheme, host and port.
        port: The port.
        accepted: How many connections were accepted so far; None where nobody counts.
        others: How many connections others have there.
    """

    url: str
    port: int
    accepted: Callable[[], int | None] = lambda: None
    others: int = 0


@contextlib.contextmanager
def refusing(_: Certificates) -> Iterator[Place]:
    """Give a port that nobody listens at, and nobody else can have meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        yield Place(f"http://127.0.0.1:{port}", port)


@contextlib.contextmanager
def full(__: Certificates) -> Iterator[Place]:
    """Give a port whose queue is full: Linux does not answer there."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        port: int = listener.getsockname()[1]
        for _ in range(4):
            stranger = stack.enter_context(socket.socket())
            stranger.setblocking(False)
            stranger.connect_ex(listener.getsockname())
        yield Place(f"http://127.0.0.1:{port}", port, others=connections_to(port))


@contextlib.contextmanager
def untrusted(certificates: Certificates) -> Iterator[Place]:
    """Give a server whose certificate nobody trusts."""
    with secure(*certificates[:2]) as url:
        port = int(url.rpartition(":")[2].partition("/")[0])
        yield Place(f"https://127.0.0.1:{port}", port)


@contextlib.contextmanager
def secret(certificates: Certificates) -> Iterator[Place]:
    """Give a server that speaks TLS alone, to those who speak none."""
    with untrusted(certificates) as place:
        yield Place(place.url.replace("https", "http"), place.port)


Door = Callable[[Certificates], AbstractContextManager[Place]]
Behave = Callable[[socket.socket], None]


def _door(scheme: str, behave: Behave) -> Door:
    """Return what gives a port that does this with each connection once its first bytes are there, and then ends it."""

    @contextlib.contextmanager
    def opened(_: Certificates) -> Iterator[Place]:
        accepted: list[threading.Thread] = []

        def serve(connection: socket.socket) -> None:
            with connection, contextlib.suppress(OSError):  # whoever is turned away may go first
                connection.recv(65_536)
                behave(connection)

        def accept() -> None:
            while True:
                connection, _ = listener.accept()
                if over.is_set():
                    connection.close()
                    return
                thread = threading.Thread(target=serve, args=(connection,))
                accepted.append(thread)
                thread.start()

        over = threading.Event()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port: int = listener.getsockname()[1]
            acceptor = threading.Thread(target=accept)
            acceptor.start()
            try:
                yield Place(f"{scheme}://127.0.0.1:{port}", port, lambda: len(accepted))
            finally:
                over.set()
                socket.create_connection(("127.0.0.1", port)).close()  # wakes the acceptor
                for thread in (acceptor, *accepted):
                    thread.join()

    return opened


def _hold_still(connection: socket.socket) -> None:
    while connection.recv(65_536):
        pass


def _speak_plainly(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")


def _hang_up(_: socket.socket) -> None:
    """Do nothing more: the connection is ended."""


silent = _door("http", _hold_still)
silent_tls = _door("https", _hold_still)
plain = _door("https", _speak_plainly)
cut_tls = _door("https", _hang_up)
reset_tls = _door("https", reset)
