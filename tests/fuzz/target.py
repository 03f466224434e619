"""One target: what is done with arbitrary bytes, which errors are documented for it, and what holds of its result."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

from attrs import field, frozen

from tests.fuzz.draws import Draw

_SEEDS = 16


class Unusable(Exception):
    """The bytes make no input that would reach the target: something before it refuses them."""


def _nothing(result: Any) -> None:
    """Check nothing: that no other error comes out is all there is to say."""


@frozen
class Target:
    """Something that reads what others wrote.

    Args:
        name: What it is called.
        read: Does it with the bytes, perhaps with those that choices by the bytes make; returns what came of it.
        documented: The errors that its docstring tells; no other may come out.
        check: Raises AssertionError where the result is none that may be.
        seeds: Input to begin with.
    """

    name: str
    read: Callable[[Draw], Any]
    documented: tuple[type[Exception], ...] = ()
    check: Callable[[Any], None] = _nothing
    _seeds: Callable[[], Iterable[bytes]] | None = field(default=None, alias="seeds")

    def __call__(self, data: bytes) -> None:
        """Read the bytes; raise what is not documented, or AssertionError where the result is wrong."""
        expected: tuple[type[Exception], ...] = (Unusable, *self.documented)
        try:
            result = self.read(Draw(data))
        except expected:
            return
        self.check(result)

    def seeds(self) -> list[bytes]:
        """Return input to begin with; where only choices are read from it, any will do."""
        if self._seeds is not None:
            return list(self._seeds())
        return [hashlib.sha256(f"{self.name} {number}".encode()).digest() for number in range(_SEEDS)]


@frozen
class Family:
    """Targets that take turns in one process: the first byte of the data says which.

    Args:
        name: What they have in common.
        targets: The targets.
    """

    name: str
    targets: tuple[Target, ...]

    def chosen(self, data: bytes) -> tuple[Target, bytes]:
        """Return the target that the data is for, and the rest of it."""
        return self.targets[data[0] % len(self.targets) if data else 0], data[1:]

    def __call__(self, data: bytes) -> None:
        """Give the data to its target."""
        target, rest = self.chosen(data)
        target(rest)

    def seeds(self) -> list[bytes]:
        """Return input to begin with, of all targets."""
        return [bytes([index]) + seed for index, target in enumerate(self.targets) for seed in target.seeds()]
