"""Choices made by bytes: a fuzzer changes the bytes, and so what is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Option = TypeVar("Option")


class Draw:
    """Takes choices from the front of some bytes; once they are used up, each choice is the first that there is.

    Args:
        data: The bytes.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """How many bytes are not used yet."""
        return len(self._data) - self._at

    def number(self, below: int) -> int:
        """Return a number from 0 on that is less than `below`; it costs as many bytes as that takes."""
        size = max(1, ((below - 1).bit_length() + 7) // 8)
        return int.from_bytes(self.some(size), "big") % below

    def pick(self, options: Sequence[Option]) -> Option:
        """Return one of the options."""
        return options[self.number(len(options))]

    def some(self, size: int) -> bytes:
        """Return the next bytes, at most `size`."""
        taken = self._data[self._at : self._at + size]
        self._at += len(taken)
        return taken

    def text(self, longest: int = 40) -> str:
        """Return a text of at most so many bytes, lone surrogates among its characters."""
        return self.some(self.number(longest + 1)).decode("utf-8", "surrogateescape")

    def rest(self) -> bytes:
        """Return all bytes that are left."""
        return self.some(self.left)

    def cut(self, body: bytes, most: int = 6) -> list[bytes]:
        """Return a body in pieces, some of which may be empty."""
        places = sorted(self.number(len(body) + 1) for _ in range(self.number(most + 1)))
        return [body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True)]
