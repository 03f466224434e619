"""HTTP, and nothing of chat: posts bodies to one address and returns what came back, whole or as an error."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from typing import Any

import requests
import urllib3
from attrs import define, field, frozen
from requests.structures import CaseInsensitiveDict
from urllib3 import exceptions as network

from triptych.errors import LlmError
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
            from triptych.failures import failure_of  # only when something failed

            over = deadline is not None and time.monotonic() >= deadline
            raise failure_of(fault, over, self.secrets) from None

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
    # Where the host closes after its answer, http.client hands the socket from the connection to the answer.
    stream = getattr(getattr(raw, "_fp", None), "fp", None)
    return getattr(getattr(stream, "raw", None), "_sock", None)
