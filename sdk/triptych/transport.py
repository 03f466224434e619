"""HTTP, and nothing of chat: posts bodies to one address and returns what came back, whole or as an error."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import requests
import urllib3
from attrs import define, field, frozen
from requests.structures import CaseInsensitiveDict
from urllib3 import exceptions as network

from triptych.errors import LlmError
from triptych.framing.chunked import ChunkedDecoder
from triptych.line import Line
from triptych.recorder import Recorder
from triptych.settings import Timeout

_CHUNK = 1 << 16


@frozen
class Reply:
    """An HTTP answer, whole.

    Args:
        status: The HTTP status.
        headers: By name without regard to case.
        body: The body, decompressed.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    def shows(self, secret: str) -> bool:
        """Return whether the secret is to be seen in the body or in a header."""
        return secret.encode() in self.body or any(secret in value for value in self.headers.values())

    def without(self, secret: str) -> Reply:
        """Return the answer with the secret blotted out wherever it is."""
        headers = CaseInsensitiveDict({name: value.replace(secret, "***") for name, value in self.headers.items()})
        return Reply(self.status, headers, self.body.replace(secret.encode(), b"***"))


class Incoming:
    """An HTTP answer that is being read.

    Args:
        status: The HTTP status.
        headers: By name without regard to case.
        raw: The answer as urllib3 has it, its body unread.
        secrets: What must not be in the words of an error.
    """

    def __init__(self, status: int, headers: Mapping[str, str], raw: Any, secrets: Sequence[str]) -> None:
        self.status = status
        self.headers = headers
        self._raw = raw
        self._secrets = secrets
        self._pieces = _pieces(raw)
        self._socket = _socket(raw)
        self._closed = False

    def read(self, until: float | None) -> bytes:
        """Return the next piece of the body as soon as it is there, decompressed; nothing at the end.

        Args:
            until: The moment (`time.monotonic`) to give up at; None is never.

        Raises:
            LlmError: the body broke off, or nothing came in time; the connection is closed then.
        """
        try:
            piece: bytes | None = b""
            while piece == b"":  # part of what frames the body came, and no body
                self._limit_wait(until)
                piece = next(self._pieces, None)
        except BaseException as fault:
            self._raw.close()
            if self._closed and isinstance(fault, Exception):
                return b""  # closed from another thread, in the middle of this read
            if isinstance(fault, _NETWORK_FAULTS):
                raise _failure(fault, self._secrets) from None
            raise
        if piece is None:
            self._socket = None  # it goes back to the pool: from now on it is another call's
            self._raw.release_conn()
            return b""
        return piece

    def _limit_wait(self, until: float | None) -> None:
        limit = None if until is None else until - time.monotonic()
        if limit is not None and limit <= 0:
            raise LlmError("the host did not answer in time", "timeout", code="read_timeout")
        if self._socket is not None:
            current = self._socket.gettimeout()
            # As good as the same: to set it anew for each event of a stream costs more than it brings.
            if limit is None or current is None or not 0.99 * limit <= current <= 1.01 * limit:
                self._socket.settimeout(limit)

    def rest(self, idle: float | None, deadline: float | None) -> bytes:
        """Return all that is left of the body.

        Args:
            idle: Seconds that each wait may last.
            deadline: The moment to give up at.

        Raises:
            LlmError: see `read`.
        """
        pieces = []
        while piece := self.read(_earliest(idle, deadline)):
            pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def cleaned(self, text: bytes) -> bytes:
        """Return bytes of the answer with the secrets blotted out: before they are shortened, lest a part remains."""
        for secret in self._secrets:
            text = text.replace(secret.encode(), b"***")
        return text

    def close(self) -> None:
        """Give the connection up at once, from any thread: a read that waits elsewhere ends."""
        self._closed = True
        with contextlib.suppress(Exception):  # a read in another thread may be closing it too
            if self._socket is not None and not self._raw.closed:  # once read to its end, urllib3 has let it go
                self._socket.shutdown(socket.SHUT_RDWR)
            self._raw.close()


class Abort:
    """Ends a call from another thread, wherever it is: it waits for the host's answer, reads it, or is tried again.

    Attributes:
        called: Whether the call is to end.
        tries: How often it was begun.
    """

    def __init__(self) -> None:
        self.called = False
        self.tries = 0
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None

    def begin(self) -> None:
        """Note that the request is about to be sent.

        Raises:
            LlmError: the call is to end.
        """
        if self.called:
            raise self.error()
        self.tries += 1

    def error(self) -> LlmError:
        """Return the error of a call that was ended."""
        return LlmError("the stream was closed before its end", "cancelled", attempts=self.tries)

    def connected(self, found: Any) -> None:
        """Note the socket that the call waits on from now on."""
        self.by(lambda: _shut(found))

    def by(self, end: Callable[[], None]) -> None:
        """Note what ends the call from now on; where it is to end already, end it."""
        with self._lock:
            self._end = end
        if self.called:
            end()

    def __call__(self) -> None:
        """End the call; one that is over already is left alone."""
        with self._lock:
            self.called, end = True, self._end
        if end is not None:
            end()


def _shut(found: Any) -> None:
    with contextlib.suppress(OSError):  # it may be closed already
        found.shutdown(socket.SHUT_RDWR)


@define
class Transport:
    """Posts bodies to one address.

    Args:
        url: The address.
        headers: Headers of every call, the key's among them.
        timeout: How long to wait.
        verify: Whether to check certificates, or the path of those to trust; None is what the environment says.
        secrets: What must not be seen in a recording.
    """

    url: str = field(repr=False)  # it may hold a password
    headers: Mapping[str, str] = field(repr=False)
    timeout: Timeout
    verify: bool | str | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    _pid: int = field(init=False, default=0)
    _line: Line = field(init=False, repr=False)
    _lock: threading.Lock = field(init=False, factory=threading.Lock, repr=False)

    def post(self, body: bytes, deadline: float | None, recorder: Recorder | None) -> Reply:
        """Return the whole answer to one POST; see `open`."""
        incoming = self.open(body, deadline, recorder)
        try:
            return Reply(incoming.status, incoming.headers, incoming.rest(self.timeout.idle, deadline))
        except LlmError as error:
            raise _timed(error, deadline) from None

    def open(
        self, body: bytes, deadline: float | None, recorder: Recorder | None, abort: Abort | None = None
    ) -> Incoming:
        """Return the answer to one POST, its body unread.

        Args:
            body: The request body, JSON.
            deadline: The moment (`time.monotonic`) to give up at; None is never.
            recorder: What plays or records this call, or None.
            abort: What may end the call from another thread.

        Raises:
            LlmError: no answer came: connection, timeout, or a URL or header that cannot be sent.
        """
        try:
            line = self._line if self._pid == os.getpid() else self._opened()
            connected = None if abort is None else abort.connected
            if recorder is None:
                raw = line.send(body, self._waits(deadline), connected)
                return Incoming(raw.status, raw.headers, raw, self.secrets)
            request = line.request(body)
            response = recorder.send(
                request, lambda: line.answer(request, self._waits(deadline), connected), self.secrets
            )
            return Incoming(response.status_code, response.headers, response.raw, self.secrets)
        except _NETWORK_FAULTS as fault:
            raise _timed(_failure(fault, self.secrets), deadline) from None

    def _opened(self) -> Line:
        """Return what all calls of this process share; after a fork the parent keeps its connections."""
        with self._lock:
            if self._pid != os.getpid():
                try:
                    self._line = Line.open(self.url, self.headers, self.verify)
                except requests.RequestException:
                    raise
                except OSError as fault:
                    words = f"the certificates to trust cannot be read: {fault}"
                    raise LlmError(words, "invalid_request", code="certificates") from None
                self._pid = os.getpid()
            return self._line

    def _waits(self, deadline: float | None) -> urllib3.Timeout:
        left = _left(deadline)
        return urllib3.Timeout(connect=_least(self.timeout.connect, left), read=_least(self.timeout.first_event, left))

    def close(self) -> None:
        """Close all connections of this process; a later call opens new ones."""
        with self._lock:
            if self._pid == os.getpid():
                self._pid = 0  # a closed pool stays closed: the next call opens another
                self._line.close()


_NETWORK_FAULTS = (requests.RequestException, network.HTTPError, OSError, UnicodeError)


def _failure(fault: Exception, secrets: Sequence[str]) -> LlmError:
    from triptych.failures import failure_of  # only when something failed

    return failure_of(fault, secrets)


def _timed(error: LlmError, deadline: float | None) -> LlmError:
    """Return a timeout as what it is where the time for the whole call is over."""
    if error.kind != "timeout" or deadline is None or time.monotonic() < deadline:
        return error
    from triptych.failures import out_of_time  # as above

    return out_of_time().evolve(cause=error.cause)


def _earliest(seconds: float | None, deadline: float | None) -> float | None:
    return _least(None if seconds is None else time.monotonic() + seconds, deadline)


def _pieces(raw: Any) -> Iterator[bytes]:
    """Yield the body piece by piece, each as soon as it is there; an empty piece is no end."""
    if raw.chunked:
        connection = getattr(getattr(raw, "_fp", None), "fp", None)
        if connection is None or "content-encoding" in raw.headers:
            yield from raw.stream(_CHUNK, decode_content=True)
        else:
            yield from _chunks(raw, connection)
        return
    while piece := raw.read1(_CHUNK, decode_content=True):  # `stream` would hold an unframed body back
        yield piece


def _chunks(raw: Any, connection: Any) -> Iterator[bytes]:
    """Yield a chunked body, as many chunks at once as have come; urllib3 takes each by itself, at twice the cost."""
    frames = ChunkedDecoder()
    while not frames.ended:
        try:
            data = connection.read1(_CHUNK)
        except TimeoutError:
            raise
        except OSError as fault:  # as urllib3 calls it
            raise network.ProtocolError(f"the connection broke: {fault}") from None
        yield frames.feed(data)  # perhaps nothing: so that whoever waits looks at the clock
        if not data or frames.fault is not None:
            raise network.ProtocolError(f"the body broke off: {frames.fault or 'its last chunk did not come'}")
    raw._fp.close()  # it has been read to its end: the connection is free


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        from triptych.failures import out_of_time  # as above

        raise out_of_time()
    return left


def _least(*limits: float | None) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _socket(raw: Any) -> Any:
    """Return the socket that an answer is read from, or None where it is read from none."""
    kept = getattr(getattr(raw, "connection", None), "sock", None)
    if kept is not None:
        return kept
    source = getattr(raw, "_fp", None)
    live = getattr(source, "live", None)  # what is recorded while it is read
    if live is not None:
        return _socket(live)
    # Where the host closes after its answer, http.client hands the socket from the connection to the answer.
    stream = getattr(source, "fp", None)
    return getattr(getattr(stream, "raw", None), "_sock", None)
