"""HTTP, and nothing of chat: posts bodies to one address and returns what came back, whole or as an error."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping

import requests
import urllib3
from attrs import define, field, frozen
from requests.structures import CaseInsensitiveDict

from triptych.abort import Abort
from triptych.access import Access
from triptych.errors import LlmError
from triptych.incoming import NETWORK_FAULTS, Incoming, least, network_failure
from triptych.line import Line
from triptych.network import Network
from triptych.recorder import Recorder
from triptych.settings import Limits, Timeout


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
        headers: Headers of every call, but for what lets them in.
        timeout: How long to wait.
        network: How the host is reached.
        limits: How much of an answer is taken.
        access: What lets calls in.
        hidden: What else must not be seen in a recording.
    """

    url: str = field(repr=False)  # it may hold a password
    headers: Mapping[str, str] = field(repr=False)
    timeout: Timeout
    network: Network = field(factory=Network)
    limits: Limits = field(factory=Limits)
    access: Access = field(factory=Access)
    hidden: tuple[str, ...] = field(default=(), repr=False)
    _pid: int = field(init=False, default=0)
    _line: Line = field(init=False, repr=False)
    _lock: threading.Lock = field(init=False, factory=threading.Lock, repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be seen in a recording or an error."""
        per_call = self.access.per_call
        return (*self.access.secrets, *(per_call.secrets if per_call is not None else ()), *self.hidden)

    def whole(self, incoming: Incoming, deadline: float | None) -> Reply:
        """Return an answer whole.

        Args:
            incoming: The answer, its body unread.
            deadline: The moment (`time.monotonic`) to give up at; None is never.

        Raises:
            LlmError: the body broke off, did not come in time, or is larger than what is taken.
        """
        try:
            return Reply(incoming.status, incoming.headers, incoming.rest(self.timeout.idle, deadline))
        except LlmError as error:
            raise _timed(error, deadline) from None

    def open(
        self,
        body: bytes,
        deadline: float | None,
        recorder: Recorder | None = None,
        own: Mapping[str, str] | None = None,
        abort: Abort | None = None,
    ) -> Incoming:
        """Return the answer to one POST, its body unread.

        Args:
            body: The request body, JSON.
            deadline: The moment (`time.monotonic`) to give up at; None is never.
            recorder: What plays or records this call, or None.
            own: Headers of this call alone.
            abort: What may end the call from another thread.

        Raises:
            LlmError: no answer came: connection, timeout, a URL or header that cannot be sent, or nothing lets it in.
        """
        try:
            line = self._line if self._pid == os.getpid() else self._opened()
            connected = None if abort is None else abort.connected
            per_call = self.access.per_call
            if per_call is not None:
                own = {**(own or {}), **per_call.headers(self.url, body)}
            most = self.limits.response_bytes
            if recorder is None:
                raw = line.send(body, self._waits(deadline), connected, own)
                return Incoming(raw.status, raw.headers, raw, self.secrets, most)
            request = line.request(body, own)
            response = recorder.send(
                request, lambda: line.answer(request, self._waits(deadline), connected), self.secrets
            )
            return Incoming(response.status_code, response.headers, response.raw, self.secrets, most)
        except NETWORK_FAULTS as fault:
            raise _timed(network_failure(fault, self.secrets), deadline) from None

    def _opened(self) -> Line:
        """Return what all calls of this process share; after a fork the parent keeps its connections."""
        with self._lock:
            if self._pid != os.getpid():
                try:
                    self._line = Line.open(self.url, {**self.access.headers, **self.headers}, self.network)
                except requests.RequestException:
                    raise
                except OSError as fault:
                    words = f"the certificates to trust cannot be read: {fault}"
                    raise LlmError(words, "invalid_request", code="certificates") from None
                self._pid = os.getpid()
            return self._line

    def _waits(self, deadline: float | None) -> urllib3.Timeout:
        left = _left(deadline)
        return urllib3.Timeout(connect=least(self.timeout.connect, left), read=least(self.timeout.first_event, left))

    def close(self) -> None:
        """Close all connections of this process; a later call opens new ones."""
        with self._lock:
            if self._pid == os.getpid():
                self._pid = 0  # a closed pool stays closed: the next call opens another
                self._line.close()


def _timed(error: LlmError, deadline: float | None) -> LlmError:
    """Return a timeout as what it is where the time for the whole call is over."""
    if error.kind != "timeout" or deadline is None or time.monotonic() < deadline:
        return error
    from triptych.failures import out_of_time  # as above

    return out_of_time().evolve(cause=error.cause)


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        from triptych.failures import out_of_time  # as above

        raise out_of_time()
    return left
