"""One call, ready to be sent, as often as it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from attrs import frozen

from triptych.abort import Abort
from triptych.errors import LlmError, Notice
from triptych.incoming import Incoming
from triptych.recorder import Recorder
from triptych.transport import Reply, Transport

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
    """

    transport: Transport
    body: bytes
    recorder: Recorder | None
    deadline: float | None
    notices: tuple[Notice, ...]

    @property
    def offline(self) -> bool:
        """Whether it is answered from a recording."""
        return self.recorder is not None and self.recorder.offline

    def post(self) -> Reply:
        """Return the whole answer.

        Raises:
            LlmError: no whole answer came, or the recording has none.
        """
        return self._replayed(lambda: self.transport.post(self.body, self.deadline, self.recorder))

    def open(self, abort: Abort) -> Incoming:
        """Return the answer, its body unread; see `post`.

        Args:
            abort: What may end the call from another thread.
        """
        return self._replayed(lambda: self.transport.open(self.body, self.deadline, self.recorder, abort))

    def _replayed(self, send: Callable[[], Answer]) -> Answer:
        if self.recorder is None:
            return send()
        from triptych.replay import CassetteError, ReplayMiss  # only for those who replay

        try:
            return send()
        except (ReplayMiss, CassetteError) as miss:
            code = "miss" if isinstance(miss, ReplayMiss) else "unreadable_cassette"
            raise LlmError(str(miss), "replay_miss", code=code) from None
