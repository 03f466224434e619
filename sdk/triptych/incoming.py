"""An HTTP answer that is being read: its body piece by piece, each wait within a limit."""

from __future__ import annotations

import contextlib
import math
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import requests
from urllib3 import exceptions as network

from triptych.errors import LlmError
from triptych.framing.chunked import ChunkedDecoder
from triptych.request_ids import request_id

_CHUNK = 1 << 16
_MOST_OF_AN_ERROR = 1 << 20  # bytes
NETWORK_FAULTS = (requests.RequestException, network.HTTPError, OSError, UnicodeError)


class Incoming:
    """An HTTP answer that is being read.

    Args:
        status: The HTTP status.
        headers: By name without regard to case.
        raw: The answer as urllib3 has it, its body unread.
        secrets: What must not be in the words of an error.
        most: Bytes of the body, decompressed, that are taken; None is any number.
    """

    def __init__(
        self, status: int, headers: Mapping[str, str], raw: Any, secrets: Sequence[str], most: int | None = None
    ) -> None:
        self.status = status
        self.headers = headers
        self._raw = raw
        self._secrets = secrets
        self._pieces = _pieces(raw)
        self._socket = _socket(raw)
        self._closed = False
        self._most = math.inf if most is None else most
        self._is_answer = 200 <= status < 300
        self._left = self._most

    def read(self, until: float | None) -> bytes:
        """Return the next piece of the body as soon as it is there, decompressed; nothing at the end.

        Args:
            until: The moment (`time.monotonic`) to give up at; None is never.

        Raises:
            LlmError: the body broke off, nothing came in time, or it is larger than what is taken; the connection is
                closed then.
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
            if isinstance(fault, NETWORK_FAULTS):
                error = network_failure(fault, self._secrets)
                raise self._told(error) from None
            raise
        if piece is None:
            self._socket = None  # it goes back to the pool: from now on it is another call's
            self._raw.release_conn()
            return b""
        self._left -= len(piece)
        if self._left < 0 and self._is_answer:
            self._raw.close()
            words = f"the answer is larger than {self._most:,} bytes, and no more are taken: Limits.response_bytes"
            raise self._told(LlmError(words, "malformed_response", status=self.status, code="response_too_large"))
        return piece

    def _told(self, error: LlmError) -> LlmError:
        """Return an error of this answer with the id by which the provider knows it."""
        error = error.evolve(request_id=request_id(self.headers))
        for secret in self._secrets:
            error = error.without(secret)
        return error

    def _limit_wait(self, until: float | None) -> None:
        limit = None if until is None else until - time.monotonic()
        if limit is not None and limit <= 0:
            raise self._told(LlmError("the host did not answer in time", "timeout", code="read_timeout"))
        # Once urllib3 has read the last byte, `_raw` is closed and the connection may be another call's already.
        if self._socket is not None and not self._raw.closed:
            current = self._socket.gettimeout()
            # As good as the same: to set it anew for each event of a stream costs more than it brings.
            if limit is None or current is None or not 0.99 * limit <= current <= 1.01 * limit:
                self._socket.settimeout(limit)

    def rest(self, idle: float | None, deadline: float | None) -> bytes:
        """Return all that is left of the body; of an error, the first part, which has all that it says.

        Args:
            idle: Seconds that each wait may last.
            deadline: The moment to give up at.

        Raises:
            LlmError: see `read`.
        """
        pieces = []
        left = math.inf if self._is_answer else min(self._most, _MOST_OF_AN_ERROR)
        while piece := self.read(earliest(idle, deadline)):
            pieces.append(piece)
            left -= len(piece)
            if left < 0:
                self._raw.close()
                break
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


def network_failure(fault: Exception, secrets: Sequence[str]) -> LlmError:
    """Return what a fault of the network is to the caller; see `failure_of`."""
    from triptych.failures import failure_of  # only when something failed

    return failure_of(fault, secrets)


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
            raise network.ProtocolError(f"the connection broke: {fault}") from fault
        yield frames.feed(data)  # perhaps nothing: so that whoever waits looks at the clock
        if not data or frames.fault is not None:
            raise network.ProtocolError(f"the body broke off: {frames.fault or 'its last chunk did not come'}")
    raw._fp.close()  # it has been read to its end: the connection is free


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


def earliest(seconds: float | None, deadline: float | None) -> float | None:
    """Return the moment (`time.monotonic`) that is so many seconds from now, or the deadline where that is earlier."""
    return least(None if seconds is None else time.monotonic() + seconds, deadline)


def least(*limits: float | None) -> float | None:
    """Return the least of some limits; None is no limit."""
    return min((limit for limit in limits if limit is not None), default=None)
