"""A scripted HTTP/1.1 server: a handler decides each reply, down to the faults on the wire."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

from tests.servers.exchange import HangUp, Reply, Request, read_request, send

__all__ = ["Handler", "Reply", "Request", "ScriptedServer", "in_turn", "serve"]

Handler = Callable[[Request], Reply]


def in_turn(*replies: Reply) -> Handler:
    """Return a handler that gives these replies one after the other; one request too many is a failure of the test."""
    remaining = iter(replies)
    lock = threading.Lock()

    def answer(request: Request) -> Reply:
        with lock:
            reply = next(remaining, None)
        if reply is None:
            raise AssertionError(f"no reply left for {request.method} {request.path}: {len(replies)} were scripted")
        return reply

    return answer


class ScriptedServer:
    """The running server; made by ``serve``.

    Attributes:
        url: Base URL, without a slash at the end.
        requests: Every request so far, in order of arrival.
        accepted: Connections accepted since the start.
        failures: Exceptions that the handler raised, and requests that were none; ``serve`` raises the first of them
            when its block ends.
    """

    def __init__(self, handler: Handler) -> None:
        self.requests: list[Request] = []
        self.accepted = 0
        self.failures: list[BaseException] = []
        self._handler = handler
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition()
        self._stopping = False
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._acceptor = threading.Thread(target=self._accept, name="scripted-server")
        self._acceptor.start()

    @property
    def open_connections(self) -> int:
        """Number of connections that neither side has closed."""
        with self._changed:
            return len(self._open)

    def wait_until_closed(self, timeout: float = 5.0) -> bool:
        """Wait until no connection is open; return False when ``timeout`` seconds were not enough."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._open, timeout)

    def wait_for_requests(self, count: int, timeout: float = 5.0) -> bool:
        """Wait until ``count`` requests have arrived; return False when ``timeout`` seconds were not enough."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.requests) >= count, timeout)

    def drop_connections(self) -> None:
        """End every open connection from this side, as a server does with idle ones."""
        with self._changed:
            for connection in self._open:
                with contextlib.suppress(OSError):  # the peer may have gone first
                    connection.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        """Stop accepting, end what is open, and join every thread."""
        with self._changed:
            self._stopping = True
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            pass  # this connection wakes the acceptor, which blocks in accept()
        self._acceptor.join()
        self._listener.close()
        self.drop_connections()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with self._changed:
                if self._stopping:
                    connection.close()
                    return
                number, self.accepted = self.accepted, self.accepted + 1
                self._open.add(connection)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            thread = threading.Thread(target=self._converse, args=(connection, number), name=f"scripted-{number}")
            self._threads.append(thread)
            thread.start()

    def _converse(self, connection: socket.socket, number: int) -> None:
        """Answer the requests of one connection until either side ends it."""
        try:
            with connection, connection.makefile("rb") as stream:
                while (request := read_request(stream, number)) is not None:
                    send(connection, stream, self._answer(request))
        except (OSError, HangUp):
            pass  # the reply ended so, or the peer left in the middle, which tests of clients do on purpose
        except Exception as failure:  # a malformed request, or a body generator that failed
            self.failures.append(failure)
        finally:
            with self._changed:
                self._open.discard(connection)
                self._changed.notify_all()

    def _answer(self, request: Request) -> Reply:
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
        try:
            return self._handler(request)
        except BaseException as failure:
            self.failures.append(failure)
            return Reply(500, body=repr(failure).encode(), close=True)


@contextlib.contextmanager
def serve(handler: Handler | Reply) -> Iterator[ScriptedServer]:
    """Run a scripted server for the length of a ``with`` block.

    Args:
        handler: Called with each request, in the thread of its connection; or one reply for every request.

    Yields:
        The server. When the block ends every thread of it is joined and every socket closed.

    Raises:
        BaseException: The first of the server's ``failures``, unless the block itself failed.
    """
    server = ScriptedServer(_always(handler) if isinstance(handler, Reply) else handler)
    try:
        yield server
    finally:
        server.stop()
    if server.failures:
        raise server.failures[0]


def _always(reply: Reply) -> Handler:
    return lambda request: reply
