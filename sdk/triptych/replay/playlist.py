"""The order of play: which recordings are still to come, found by request."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from triptych.replay.matching import request_key
from triptych.replay.miss import replay_miss
from triptych.replay.scrub import Scrubber

if TYPE_CHECKING:
    from collections.abc import Sequence

    import requests

    from triptych.replay.cassette_file import Recording
    from triptych.replay.errors import ReplayMiss
    from triptych.replay.exchange import Exchange

__all__ = ["Playlist", "body_of"]


class Playlist:
    """Recorded exchanges, each played once, equal requests in recorded order. Any number of threads may share it.

    Args:
        name: The file or directory, for messages.
        recordings: What the files hold, in order.
    """

    def __init__(self, name: str, recordings: Sequence[Recording]) -> None:
        self._name = name
        self._recordings = recordings
        self._exchanges = [exchange for recording in recordings for exchange in recording.exchanges]
        self._lock = threading.Lock()
        self._played: set[int] = set()
        self._waiting: dict[bytes, deque[int]] = {}
        for index, key in enumerate(key for recording in recordings for key in recording.keys):
            self._waiting.setdefault(key, deque()).append(index)

    def take(self, request: requests.PreparedRequest, secrets: Sequence[str]) -> Exchange | None:
        """Take the next recording of a request out of the list.

        Args:
            request: The request that is being made.
            secrets: Values that recordings hold the placeholder for.

        Returns:
            The recording; None when there is none, or none left.
        """
        method, url, body = _asked(request)
        found = self._next(request_key(method, url, body))
        if found is not None:
            return found
        # Only a request that carries a secret outside its headers reads otherwise in the recording.
        scrubber = Scrubber.for_request(request, secrets)
        return self._next(request_key(method, scrubber.url(url), scrubber.data(body)))

    def miss(self, request: requests.PreparedRequest, secrets: Sequence[str]) -> ReplayMiss:
        """Explain why `take` found nothing.

        Args:
            request: The request that was made.
            secrets: Values that the message must not show.

        Returns:
            The error to raise.
        """
        method, url, body = _asked(request)
        scrubber = Scrubber.for_request(request, secrets)
        with self._lock:
            played = frozenset(self._played)
        asked = (method, scrubber.url(url), scrubber.data(body))
        return replay_miss(self._name, asked, self._recordings, played)

    @property
    def played(self) -> tuple[Exchange, ...]:
        """The recordings that were played, in recorded order."""
        with self._lock:
            return tuple(self._exchanges[index] for index in sorted(self._played))

    @property
    def unused(self) -> tuple[Exchange, ...]:
        """The recordings that nobody asked for, in recorded order."""
        with self._lock:
            return tuple(exchange for index, exchange in enumerate(self._exchanges) if index not in self._played)

    def _next(self, key: bytes) -> Exchange | None:
        with self._lock:
            waiting = self._waiting.get(key)
            if not waiting:
                return None
            index = waiting.popleft()
            self._played.add(index)
            return self._exchanges[index]


def _asked(request: requests.PreparedRequest) -> tuple[str, str, bytes]:
    return request.method or "GET", request.url or "", body_of(request)


def body_of(request: requests.PreparedRequest) -> bytes:
    """Return the body of a request as bytes.

    Args:
        request: The request; its body is text, bytes or nothing.

    Returns:
        The bytes; empty when it has none.

    Raises:
        TypeError: The body is a file or an iterator, which could be read only once.
    """
    body = request.body
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode("utf-8")
    if isinstance(body, (bytes, bytearray)):
        return bytes(body)
    raise TypeError(f"a cassette can hold a request body of bytes or str, not {type(body).__name__}")
