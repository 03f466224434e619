"""One call, ready to be sent, as often as it takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from attrs import frozen

from triptych import jsontext
from triptych.abort import Abort
from triptych.errors import LlmError, Notice
from triptych.incoming import Incoming
from triptych.recorder import Recorder
from triptych.transport import Reply, Transport

if TYPE_CHECKING:
    from triptych.formats import Built

CASSETTES_VARIABLE = "TRIPTYCH_CASSETTES"
Answer = TypeVar("Answer")


@frozen
class Sending:
    """One call, ready to be sent.

    Args:
        transport: To whom.
        body: The request body, JSON.
        recorder: What plays or records it, or None.
        deadline: The moment (`time.monotonic`) to give up at, all tries included; None is never.
        notices: What the provider's API cannot express of it.
        headers: Headers of this call alone, the same at each try.
        abort: What may end the call from another thread.
    """

    transport: Transport
    body: bytes
    recorder: Recorder | None
    deadline: float | None
    notices: tuple[Notice, ...]
    headers: Mapping[str, str] | None = None
    abort: Abort | None = None

    @property
    def offline(self) -> bool:
        """Whether it is answered from a recording."""
        return self.recorder is not None and self.recorder.offline

    def post(self) -> Reply:
        """Return the whole answer.

        Raises:
            LlmError: no whole answer came, the recording has none, or the call was ended.
        """
        abort = self.abort
        if abort is None:
            return self._replayed(self._post)
        abort.begin()
        try:
            reply = self._replayed(self._post)
        except LlmError as error:
            raise (abort.error() if abort.called else error) from None
        if abort.called:  # what came may have been cut off by that
            raise abort.error()
        return reply

    def _post(self) -> Reply:
        incoming = self._open()
        if self.abort is not None:
            self.abort.by(incoming.close)
        return self.transport.whole(incoming, self.deadline)

    def open(self) -> Incoming:
        """Return the answer, its body unread; see `post`."""
        return self._replayed(self._open)

    def _open(self) -> Incoming:
        return self.transport.open(self.body, self.deadline, self.recorder, self.headers, self.abort)

    def _replayed(self, send: Callable[[], Answer]) -> Answer:
        if self.recorder is None:
            return send()
        from triptych.replay import CassetteError, ReplayMiss  # only for those who replay

        try:
            return send()
        except (ReplayMiss, CassetteError) as miss:
            code = "miss" if isinstance(miss, ReplayMiss) else "unreadable_cassette"
            raise LlmError(str(miss), "replay_miss", code=code) from None


def encoded(built: Built) -> bytes:
    """Return the body of a request as it is sent.

    Args:
        built: The request.

    Raises:
        LlmError: it has a value that JSON cannot hold.
    """
    try:
        return jsontext.encode(built.body)
    except (TypeError, ValueError, RecursionError) as fault:
        words = f"the request has a value that JSON cannot hold: {fault}"
        raise LlmError(words, "invalid_request", cause=repr(fault)) from None


def recorder_of(cassette: str | os.PathLike[str] | Recorder | None) -> Recorder | None:
    """Return what plays or records the calls of a client.

    Args:
        cassette: What the client was given: the path of a recording to play, or a recorder; None is the directory that
            the environment names, if it does.
    """
    if cassette is None:
        folder = os.environ.get(CASSETTES_VARIABLE)
        if not folder:
            return None
        from triptych.replay import directory  # only for those who replay: it loads vcrpy

        return directory(Path(folder))
    if isinstance(cassette, str | os.PathLike):
        from triptych.replay import Tape

        return Tape(cassette)
    return cassette
