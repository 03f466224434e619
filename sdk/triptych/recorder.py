"""What may stand between a client and the network: a cassette, for one client or for all clients of a block."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import requests


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
