"""HTTP, and nothing of chat: posts bodies to one address and returns what came back, whole or as an error."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar, Token
from typing import Any, Protocol, runtime_checkable

import requests
import urllib3
from attrs import define, field, frozen
from requests import exceptions as sending
from requests.structures import CaseInsensitiveDict
from urllib3 import exceptions as network

from triptych.errors import Kind, LlmError
from triptych.line import Line
from triptych.settings import Timeout

_CHUNK = 1 << 16
_OVER = "the time for the whole call is over"


@runtime_checkable
class Recorder(Protocol):
    """Stands between a client and the network: a cassette that plays or records."""

    @property
    def offline(self) -> bool:
        """Whether it never reaches the network, so that no key is needed."""
        ...

    def send(
        self, request: requests.PreparedRequest, live: Callable[[], requests.Response], secrets: Sequence[str]
    ) -> requests.Response:
        """Return the answer to `request`: a recorded one, or that of `live`, which sends it."""
        ...


_here: ContextVar[Recorder | None] = ContextVar("triptych_recorder", default=None)
_opened: list[Recorder] = []
_opened_lock = threading.Lock()


def push_recorder(recorder: Recorder) -> Token[Recorder | None]:
    """Put a recorder under all clients of this context, and under those of threads that have none of their own."""
    with _opened_lock:
        _opened.append(recorder)
    return _here.set(recorder)


def pop_recorder(token: Token[Recorder | None]) -> None:
    """Take away the recorder that `push_recorder` put there."""
    recorder = _here.get()
    _here.reset(token)
    with _opened_lock:
        for index in range(len(_opened) - 1, -1, -1):
            if _opened[index] is recorder:
                del _opened[index]
                break


def current_recorder() -> Recorder | None:
    """Return the recorder of this context, else the one that was opened last in the process, else None."""
    recorder = _here.get()
    if recorder is None and _opened:
        with _opened_lock:
            recorder = _opened[-1] if _opened else None
    return recorder


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
        """Return the answer to one POST.

        Args:
            body: The request body, JSON.
            deadline: The moment (`time.monotonic`) to give up at; None is never.
            recorder: What plays or records this call, or None.

        Raises:
            LlmError: no whole answer came: connection, timeout, or a URL or header that cannot be sent.
        """
        try:
            line = self._line if self._pid == os.getpid() else self._opened()
            if recorder is None:
                raw = line.send(body, self._waits(deadline))
                return Reply(raw.status, raw.headers, self._read(raw, deadline))
            request = line.request(body)
            response = recorder.send(request, lambda: line.answer(request, self._waits(deadline)), self.secrets)
            return Reply(response.status_code, response.headers, self._read(response.raw, deadline))
        except (requests.RequestException, network.HTTPError, OSError, UnicodeError) as fault:
            over = deadline is not None and time.monotonic() >= deadline
            raise _failure(fault, over, self.secrets) from None

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

    def _read(self, raw: Any, deadline: float | None) -> bytes:
        """Return the whole body, each wait for more of it within the idle limit and the deadline."""
        chunks = []
        try:
            while True:
                self._limit_wait(raw, deadline)
                chunk = raw.read1(_CHUNK, decode_content=True)
                if not chunk:
                    break
                chunks.append(chunk)
        except BaseException:
            raw.close()
            raise
        raw.release_conn()
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def _limit_wait(self, raw: Any, deadline: float | None) -> None:
        limit = _least(self.timeout.idle, _left(deadline))
        socket = _socket(raw)
        if socket is not None and socket.gettimeout() != limit:
            socket.settimeout(limit)

    def close(self) -> None:
        """Close all connections of this process; a later call opens new ones."""
        with self._lock:
            if self._pid == os.getpid():
                self._pid = 0  # a closed pool stays closed: the next call opens another
                self._line.close()


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise LlmError(_OVER, "timeout", code="total_timeout")
    return left


def _least(*limits: float | None) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _socket(raw: Any) -> Any:
    """Return the socket that an answer is read from, or None where it is read from none."""
    kept = getattr(getattr(raw, "connection", None), "sock", None)
    if kept is not None:
        return kept
    # Where the host closes after its answer, http.client hands the socket from the connection to the answer.
    stream = getattr(getattr(raw, "_fp", None), "fp", None)
    return getattr(getattr(stream, "raw", None), "_sock", None)


@frozen
class _Failure:
    """What a fault of the network is to the caller; words that end with a colon are followed by the fault's own."""

    faults: tuple[type[Exception], ...]
    words: str
    kind: Kind
    code: str | None = None
    retryable: bool = True


# What cannot be sent is not quoted: it may be the header with the key.
_UNSENDABLE = _Failure(
    (sending.InvalidHeader, UnicodeError),
    "the request cannot be sent: a header has a character that HTTP does not take",
    "invalid_request",
    retryable=False,
)
# The first that fits; a class stands before those that it is derived from.
_FAILURES = (
    _UNSENDABLE,
    _Failure(
        (sending.InvalidURL, sending.InvalidSchema, sending.MissingSchema, network.LocationValueError),
        "the request cannot be sent:",
        "invalid_request",
        retryable=False,
    ),
    _Failure((network.NewConnectionError,), "no connection to the host:", "connection"),
    _Failure((network.ConnectTimeoutError,), "no connection to the host in time", "timeout", "connect_timeout"),
    _Failure((network.TimeoutError, TimeoutError), "the host did not answer in time", "timeout", "read_timeout"),
    _Failure((network.SSLError,), "no trusted connection:", "connection", "tls", retryable=False),
    _Failure((network.ProxyError,), "the proxy failed:", "connection", "proxy"),
    _Failure((network.DecodeError,), "the answer cannot be decompressed:", "connection", "undecodable"),
    _Failure((network.HTTPError,), "the answer broke off", "connection", "incomplete_response"),
    _Failure((Exception,), "no connection to the host:", "connection"),
)


def _failure(fault: Exception, over: bool, secrets: Sequence[str]) -> LlmError:
    """Return what a fault of the network is to the caller.

    Args:
        fault: What urllib3, requests or the socket raised.
        over: Whether the time for the whole call has passed.
        secrets: What must not be in the words.
    """
    failure = next(failure for failure in _FAILURES if isinstance(fault, failure.faults))
    words = f"{failure.words} {_innermost(fault)}" if failure.words.endswith(":") else failure.words
    cause = type(fault).__name__ if failure is _UNSENDABLE else f"{type(fault).__name__}: {fault}"
    error = LlmError(words, failure.kind, code=failure.code, retryable=failure.retryable, cause=cause)
    if over and error.kind == "timeout":
        error = error.evolve(message=_OVER, code="total_timeout")
    for secret in secrets:
        error = error.without(secret)
    return error


def _innermost(fault: BaseException) -> str:
    """Return the words of what lies beneath urllib3's and requests' wrappers."""
    seen: BaseException = fault
    for _ in range(8):
        below = getattr(seen, "reason", None) or (seen.args[0] if seen.args else None)
        if not isinstance(below, BaseException):
            break
        seen = below
    return str(seen) or type(seen).__name__
