"""What the framings share whose bytes can be wrong: when the fault is reported."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

Event = TypeVar("Event")


class StrictDecoder(ABC, Generic[Event]):
    """A decoder that stops for good at the first bytes that its framing does not allow.

    What was whole before the fault is delivered first, however the bytes are cut.
    """

    __slots__ = ("_fault",)

    def __init__(self) -> None:
        self._fault: str | None = None

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that end in `chunk`.

        Args:
            chunk: The next bytes, cut anywhere.

        Raises:
            ValueError: the framing is broken; the message says at which byte of the stream. Where events end in the
                same chunk before the fault, they are returned, and the next call (this one or `finish`) raises.
        """
        self._stop_at_fault()
        events: list[Event] = []
        try:
            self._take(chunk, events)
        except ValueError as fault:
            self._fault = str(fault)
            if not events:
                raise
        return events

    def finish(self) -> list[Event]:
        """Return the events that only the end of the bytes makes whole.

        Raises:
            ValueError: the framing is broken, or the bytes end too early; the message says where.
        """
        self._stop_at_fault()
        return self._last()

    @abstractmethod
    def _take(self, chunk: bytes, events: list[Event]) -> None:
        """Read a chunk, and add each event to `events` once it is whole; raise ValueError at a fault."""

    @abstractmethod
    def _last(self) -> list[Event]:
        """Return what is whole at the end of the bytes; raise ValueError where they may not end."""

    def _stop_at_fault(self) -> None:
        if self._fault is not None:
            raise ValueError(self._fault)
