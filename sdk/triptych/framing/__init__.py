"""Framing: bytes as they come from the network, cut anywhere, to whole events. Each module knows one framing."""

from __future__ import annotations

from typing import Protocol


class Framing(Protocol):
    """Turns the bytes of a stream of JSON events into the data of each."""

    other: tuple[bytes, ...]
    """How a body begins that is none of this framing: an error object where events were asked for, a proxy's page."""

    @property
    def held(self) -> int:
        """How many bytes are kept of what has not ended yet."""
        ...

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of the events that end in the next bytes."""
        ...

    def finish(self) -> list[bytes]:
        """Return the data of a last event that has no end of its own."""
        ...
