"""What goes wrong with a store: StoreError, and the two kinds of it that a program may want to answer by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["StoreBusy", "StoreConflict", "StoreError"]


class StoreError(Exception):
    """A store that cannot be read or written: another program's file, a damaged one, a full disk.

    Args:
        path: The file.
        reason: What is wrong with it, and what was expected.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"store {path}: {reason}")
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[type[StoreError], tuple[str, str]]:
        return type(self), (self.path, self.reason)


class StoreBusy(StoreError):
    """Others wrote for longer than the store's `busy_timeout`; nothing was changed, and the call may be made again."""


class StoreConflict(StoreError):
    """What was to be added does not follow what is there: somebody else was first. Nothing was changed."""


_DAMAGED = "it is damaged, or no SQLite database; expected a file that a Store made. Make a new one from an export"
_REASONS: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (StoreBusy, "others wrote to it for longer than the busy_timeout"),
    sqlite3.SQLITE_LOCKED: (StoreBusy, "others wrote to it for longer than the busy_timeout"),
    sqlite3.SQLITE_CORRUPT: (StoreError, _DAMAGED),
    sqlite3.SQLITE_NOTADB: (StoreError, _DAMAGED),
    sqlite3.SQLITE_CANTOPEN: (StoreError, "it cannot be opened; expected a file, or a place for one, in a directory"),
    sqlite3.SQLITE_FULL: (StoreError, "the disk is full"),
    sqlite3.SQLITE_READONLY: (StoreError, "it may only be read; expected a file that may be written"),
}


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn what SQLite raises within the block into a StoreError.

    Args:
        path: The file that the block works on.

    Raises:
        StoreError: SQLite failed; StoreBusy where waiting longer may help.
    """
    try:
        yield
    except sqlite3.Error as fault:
        code = getattr(fault, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind, the others are details of it
        kind, reason = _REASONS.get(code, (StoreError, "it cannot be used"))
        raise kind(path, f"{reason} (SQLite: {fault})") from fault
