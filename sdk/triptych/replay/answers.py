"""Responses that come from a recording, or are recorded while they are read."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import urllib3
from requests.adapters import HTTPAdapter
from urllib3 import HTTPHeaderDict

from triptych.replay.coding import decoded, true_headers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import requests

    from triptych.replay.exchange import Exchange, Headers

__all__ = ["played_response", "recorded_response"]

_CHUNK = 64 * 1024

# Bodies that are a row of events: to stop reading after some of them is a reader's good right.
_STREAMS = frozenset(
    {
        "application/stream+json",
        "application/vnd.amazon.eventstream",
        "application/x-ndjson",
        "text/event-stream",
    }
)

# Turns a urllib3 response into one of requests; it never connects.
_ADAPTER = HTTPAdapter()


def played_response(
    exchange: Exchange, request: requests.PreparedRequest, read_whole: Callable[[], None]
) -> requests.Response:
    """Give a recorded answer the form in which it would come from the network.

    Args:
        exchange: The recording.
        request: The request that it answers.
        read_whole: Called when nothing is left to read of the body.

    Returns:
        A response whose body is unread.
    """
    headers, body = decoded(exchange.response_headers, exchange.response_body)
    return _response(request, exchange.status, exchange.reason, headers, _PlayedBody(body, read_whole))


def recorded_response(
    response: requests.Response, request: requests.PreparedRequest, keep: Callable[[Headers, bytes], None]
) -> requests.Response:
    """Record a live answer while its reader reads it, at the pace of the network.

    Args:
        response: The live response, its body unread.
        request: The request that it answers.
        keep: Called once with headers and decoded body, when the body has been read to its end; for a stream also
            when its reader closes it before, with what had come by then. Not called for a body that broke off with
            an error, which a recording could not repeat, nor for half a document that somebody lost patience with.

    Returns:
        A response to read in place of the live one.
    """
    raw: urllib3.HTTPResponse = response.raw
    headers = true_headers(tuple(raw.headers.items()))
    media_type = raw.headers.get("content-type", "").partition(";")[0].strip().lower()
    tap = _TappedBody(response, lambda body: keep(headers, body), media_type in _STREAMS)
    return _response(request, response.status_code, response.reason or "", headers, tap)


def _response(
    request: requests.PreparedRequest, status: int, reason: str, headers: Headers, body: io.BytesIO | _TappedBody
) -> requests.Response:
    fields = HTTPHeaderDict()
    for name, value in headers:
        fields.add(name, value)
    raw = urllib3.HTTPResponse(
        body=body,  # type: ignore[arg-type]  # urllib3 reads any object with read(); its annotation names IO[Any]
        headers=fields,
        status=status,
        version=11,
        reason=reason,
        preload_content=False,
        decode_content=False,
        request_method=request.method,
        request_url=request.url,
    )
    return _ADAPTER.build_response(request, raw)


class _PlayedBody(io.BytesIO):
    """The body of a recording; unlike a plain BytesIO it tells urllib3, and the tape, when it has been read to its end.

    Args:
        body: The body.
        read_whole: Called when nothing is left to read; at once for an empty body.
    """

    def __init__(self, body: bytes, read_whole: Callable[[], None]) -> None:
        super().__init__(body)
        self._size = len(body)
        self._read_whole: Callable[[], None] | None = read_whole
        self._look()

    def read(self, amount: int | None = -1, /) -> bytes:
        """Return `amount` bytes, fewer only at the end; without it, everything that is left."""
        data = super().read(amount)
        self._look()
        return data

    def read1(self, amount: int | None = -1, /) -> bytes:
        """Return the same as `read`: all of it is there."""
        return self.read(amount)

    def isclosed(self) -> bool:
        """Return whether nothing is left to read; without it `stream(None)` would never end."""
        return self.closed or self.tell() == self._size

    def _look(self) -> None:
        if self._read_whole is not None and self.tell() == self._size:
            self._read_whole()
            self._read_whole = None


class _TappedBody:
    """The body of a live response, which keeps a copy of what is read through it.

    Attributes:
        live: The live response as urllib3 has it: whoever limits the wait for the body needs its socket.
    """

    def __init__(self, response: requests.Response, keep: Callable[[bytes], None], is_stream: bool) -> None:
        self.live: urllib3.HTTPResponse = response.raw
        self._response = response
        self._is_stream = is_stream
        self._keep: Callable[[bytes], None] | None = keep
        self._chunks = _chunks(response.raw)
        self._copy = bytearray()
        self._rest = b""
        self._ended = False
        self.closed = False

    def isclosed(self) -> bool:
        """Return whether nothing is left to read."""
        return self.closed or (self._ended and not self._rest)

    def read1(self, amount: int = -1) -> bytes:
        """Return what is there, at most `amount` bytes; wait for the network only when nothing is there."""
        if not self._rest and not self._ended:
            self._rest = self._pull()
        size = len(self._rest) if amount < 0 else amount
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def read(self, amount: int = -1) -> bytes:
        """Return `amount` bytes, fewer only at the end; without it, everything that is left."""
        parts: list[bytes] = []
        wanted = amount
        while wanted and (data := self.read1(wanted)):
            parts.append(data)
            wanted -= len(data) if amount >= 0 else 0
        return b"".join(parts)

    def close(self) -> None:
        """Close the live response; of a stream, what was read until now is what is recorded."""
        if not self.closed:
            self.closed = True
            self._response.close()
            if self._is_stream and self._copy:
                self._finish()

    def _pull(self) -> bytes:
        try:
            data = next(self._chunks, b"")
        except BaseException:
            self._keep = None
            raise
        self._copy += data
        if not data:
            self._ended = True
            self._finish()
        return data

    def _finish(self) -> None:
        keep, self._keep = self._keep, None
        if keep is not None:
            keep(bytes(self._copy))


def _chunks(raw: urllib3.HTTPResponse) -> Iterator[bytes]:
    """Yield the decoded body piece by piece, each as soon as it is there."""
    if raw.chunked:
        yield from raw.stream(_CHUNK, decode_content=True)
        return
    while data := raw.read1(_CHUNK, decode_content=True):
        yield data
