"""The connections to a store's file: one a thread, none across a fork, and transactions on them.

SQLite must not see a fork: a child would take over what its parent's connections know of the locks on the file, and not
the locks. So all connections are closed before a fork, when the work on them is done, and opened again when needed.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from triptych.store.errors import StoreBusy, StoreError, told
from triptych.store.tables import prepare

__all__ = ["Connections"]


class _Seat:
    """The place of one thread: its connection, and the lock that it holds while it works on it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.connection: sqlite3.Connection | None = None
        self._busy = False

    def close(self) -> None:
        """Close the connection; the next use opens another."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    @contextmanager
    def taken(self, path: str) -> Iterator[None]:
        """Take the seat for one transaction; what that leaves uncommitted is taken back.

        Args:
            path: The file, for the message of an error.

        Raises:
            StoreError: The thread is in a transaction already.
        """
        if self._busy:
            raise StoreError(path, "it is in use: expected a file to import that does not use the store it goes to")
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
            self._roll_back()

    def _roll_back(self) -> None:
        try:
            if self.connection is not None and self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.close()  # which takes it back too

    def __del__(self) -> None:
        self.close()  # the thread is over


class Connections:
    """Opens a store's file for each thread that asks.

    Args:
        path: The file.
        busy_timeout: Seconds to wait for other writers.
    """

    def __init__(self, path: str, busy_timeout: float) -> None:
        self.path = path
        self.busy_timeout = busy_timeout
        self._guard = threading.Lock()
        self._writing = threading.Lock()
        self._own = threading.local()
        self._seats: weakref.WeakSet[_Seat] = weakref.WeakSet()
        self._paused: list[_Seat] = []
        with _guard:
            _all.add(self)

    @contextmanager
    def transaction(self, kind: Literal["read", "write"]) -> Iterator[sqlite3.Connection]:
        """Run a block in a transaction: all of it holds, or nothing of it.

        Args:
            kind: "read" sees one state of the file throughout; "write" is the only writer of the file until its end.

        Raises:
            StoreError: SQLite failed.
        """
        seat = self._seat()
        with seat.lock, told(self.path), seat.taken(self.path), self._one_writer(kind):
            if seat.connection is None:
                seat.connection = self._opened()
            # A write asks for its lock at once: one that began as a reader could not wait for another writer.
            seat.connection.execute("BEGIN" if kind == "read" else "BEGIN IMMEDIATE")
            yield seat.connection
            seat.connection.execute("COMMIT")

    @contextmanager
    def _one_writer(self, kind: str) -> Iterator[None]:
        """Let the threads of this process write one after the other: they would else ask SQLite again and again."""
        if kind == "read":
            yield
            return
        if not self._writing.acquire(timeout=self.busy_timeout):
            raise StoreBusy(self.path, "another thread wrote to it for longer than the busy_timeout")
        try:
            yield
        finally:
            self._writing.release()

    def close(self) -> None:
        """Close the connections of all threads, when the work on them is done."""
        with self._guard:
            seats = list(self._seats)
        for seat in seats:
            with seat.lock:
                seat.close()

    def pause(self) -> None:
        """Wait for all work to end, close all connections and let no work begin before `resume`."""
        self._guard.acquire()
        self._paused = list(self._seats)
        for seat in self._paused:
            seat.lock.acquire()
            seat.close()

    def resume(self) -> None:
        """Let work begin again."""
        for seat in self._paused:
            seat.lock.release()
        self._paused = []
        self._guard.release()

    def _seat(self) -> _Seat:
        seat: _Seat | None = getattr(self._own, "seat", None)
        if seat is None:
            with self._guard:
                seat = self._own.seat = _Seat()
                self._seats.add(seat)
        return seat

    def _opened(self) -> sqlite3.Connection:
        # check_same_thread: a fork and the end of a thread close connections from elsewhere, under the seat's lock.
        connection = sqlite3.connect(
            self.path, timeout=self.busy_timeout, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA synchronous = FULL")  # what is acknowledged is on the disk
            connection.execute("PRAGMA foreign_keys = ON")
            prepare(connection, self.path, self.busy_timeout)
        except BaseException:
            connection.close()
            raise
        return connection


_guard = threading.Lock()
_all: weakref.WeakSet[Connections] = weakref.WeakSet()
_paused: list[Connections] = []


def _before_fork() -> None:
    _guard.acquire()
    _paused.extend(_all)
    for connections in _paused:
        connections.pause()


def _after_fork() -> None:
    for connections in _paused:
        connections.resume()
    _paused.clear()
    _guard.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
