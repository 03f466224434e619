"""The order of play: which recordings are still to come, found by request."""

from __future__ import annotations

import threading
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from triptych.replay.answers import played_response
from triptych.replay.errors import CassetteError
from triptych.replay.matching import request_key
from triptych.replay.miss import exchange_names, replay_miss
from triptych.replay.scrub import Scrubber

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
        self._read: set[int] = set()
        self._waiting: dict[bytes, deque[int]] = {}
        for index, key in enumerate(key for recording in recordings for key in recording.keys):
            self._waiting.setdefault(key, deque()).append(index)

    def answer(self, request: requests.PreparedRequest, secrets: Sequence[str]) -> requests.Response | None:
        """Play the next recording of a request.

        Args:
            request: The request that is being made.
            secrets: Values that recordings hold the placeholder for.

        Returns:
            The recorded response, its body unread; None when there is none, or none left.
        """
        method, url, body = _asked(request)
        index = self._next(request_key(method, url, body))
        if index is None:
            # Only a request that carries a secret outside its headers reads otherwise in the recording.
            scrubber = Scrubber.for_request(request, secrets)
            index = self._next(request_key(method, scrubber.url(url), scrubber.body(body)))
        if index is None:
            return None
        return played_response(self._exchanges[index], request, partial(self._note_read, index))

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
        asked = (method, scrubber.url(url), scrubber.body(body))
        return replay_miss(self._name, asked, self._recordings, played)

    @property
    def played(self) -> tuple[Exchange, ...]:
        """The recordings that were played, in recorded order."""
        return self._of(lambda index: index in self._played)

    @property
    def unused(self) -> tuple[Exchange, ...]:
        """The recordings that nobody asked for, in recorded order."""
        return self._of(lambda index: index not in self._played)

    @property
    def unread(self) -> tuple[Exchange, ...]:
        """The recordings that were played, but not read to the end, in recorded order."""
        return self._of(self._is_unread)

    def assert_all_played(self) -> None:
        """Check that each recording was asked for, and its answer read to the end.

        Raises:
            CassetteError: Some were not; it names them by their request lines.
        """
        names = exchange_names(self._recordings, self._name)
        with self._lock:
            states = {
                index: "was not read to the end" if index in self._played else "was not asked for"
                for index in range(len(self._exchanges))
                if index not in self._played or self._is_unread(index)
            }
        if states:
            lines = [
                f"  {names[index]} {state}: {self._exchanges[index].method} {self._exchanges[index].url}"
                for index, state in states.items()
            ]
            raise CassetteError(self._name, "\n".join(["not all of it was played", *lines]))

    def _is_unread(self, index: int) -> bool:
        return index in self._played and index not in self._read

    def _of(self, chosen: Callable[[int], bool]) -> tuple[Exchange, ...]:
        with self._lock:
            return tuple(exchange for index, exchange in enumerate(self._exchanges) if chosen(index))

    def _note_read(self, index: int) -> None:
        with self._lock:
            self._read.add(index)

    def _next(self, key: bytes) -> int | None:
        with self._lock:
            waiting = self._waiting.get(key)
            if not waiting:
                return None
            index = waiting.popleft()
            self._played.add(index)
            return index


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
