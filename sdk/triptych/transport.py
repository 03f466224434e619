"""HTTP, and nothing of chat: posts bodies to one address and returns what came back, whole or as an error."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar, Token
from typing import Any, Protocol

import requests
import urllib3
from attrs import define, field, frozen

from triptych.errors import LlmError
from triptych.line import Line
from triptych.settings import Timeout

_CHUNK = 1 << 16


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

    url: str
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
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as fault:
            raise _failure(fault, self.secrets) from None

    def _opened(self) -> Line:
        """Return what all calls of this process share; after a fork the parent keeps its connections."""
        with self._lock:
            if self._pid != os.getpid():
                self._line = Line.open(self.url, self.headers, self.verify)
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
        socket = getattr(getattr(raw, "connection", None), "sock", None)
        if socket is not None and socket.gettimeout() != limit:
            socket.settimeout(limit)

    def close(self) -> None:
        """Close all connections of this process; a later call opens new ones."""
        with self._lock:
            if self._pid == os.getpid():
                self._line.close()


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise LlmError("the time for the whole call is over", "timeout", code="total_timeout")
    return left


def _least(*limits: float | None) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _failure(fault: Exception, secrets: Sequence[str]) -> LlmError:
    cause = f"{type(fault).__name__}: {fault}"
    for secret in secrets:
        cause = cause.replace(secret, "***")
    inner = _innermost(fault)
    if isinstance(fault, requests.ConnectTimeout):
        return LlmError("no connection to the host in time", "timeout", code="connect_timeout", cause=cause)
    if isinstance(fault, requests.Timeout | urllib3.exceptions.TimeoutError | TimeoutError):
        return LlmError("the host did not answer in time", "timeout", code="read_timeout", cause=cause)
    if isinstance(fault, requests.exceptions.SSLError | urllib3.exceptions.SSLError):
        return LlmError(f"no trusted connection: {inner}", "connection", code="tls", retryable=False, cause=cause)
    if isinstance(fault, requests.exceptions.ProxyError):
        return LlmError(f"the proxy failed: {inner}", "connection", code="proxy", cause=cause)
    if isinstance(fault, _INVALID):
        return LlmError(f"the request cannot be sent: {inner}", "invalid_request", cause=cause)
    if isinstance(fault, urllib3.exceptions.HTTPError):
        return LlmError("the answer broke off", "connection", code="incomplete_response", cause=cause)
    return LlmError(f"no connection to the host: {inner}", "connection", cause=cause)


_INVALID = (
    requests.exceptions.InvalidURL,
    requests.exceptions.InvalidHeader,
    requests.exceptions.InvalidSchema,
    requests.exceptions.MissingSchema,
)


def _innermost(fault: BaseException) -> str:
    """Return the words of what lies beneath urllib3's and requests' wrappers."""
    seen: BaseException = fault
    for _ in range(8):
        below = getattr(seen, "reason", None) or (seen.args[0] if seen.args else None)
        if not isinstance(below, BaseException):
            break
        seen = below
    return str(seen) or type(seen).__name__
