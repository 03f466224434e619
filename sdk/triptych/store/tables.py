"""The tables of a store and their versions: what makes a file ours, and how an older file is brought up to date."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

from triptych.store.errors import StoreError

__all__ = ["APPLICATION_ID", "MIGRATIONS", "prepare"]

APPLICATION_ID = int.from_bytes(b"Trip")  # in the file's header, beside the version of the tables

# What was added stays as it is, whoever holds the connection.
_APPEND_ONLY = tuple(
    f"CREATE TRIGGER {table}_{act.lower()} BEFORE {act} ON {table} "
    f"BEGIN SELECT RAISE(ABORT, 'a store is append-only'); END"
    for table in ("threads", "items", "variants", "usages")
    for act in ("UPDATE", "DELETE")
)

# The statements that lead from each version of the tables to the next. A released entry is never edited.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE threads (id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL UNIQUE)",
        # A row an item. The unique index finds the last turns of a thread without looking at the earlier ones.
        "CREATE TABLE items (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads, "
        "turn INTEGER NOT NULL, position INTEGER NOT NULL, role TEXT NOT NULL, body TEXT NOT NULL, "
        "UNIQUE (thread, turn, position))",
        # A variant that was made again is one more row. The last one counts, and says null where there is none now.
        "CREATE TABLE variants (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads, "
        "turn INTEGER NOT NULL, tier TEXT NOT NULL, body TEXT NOT NULL)",
        "CREATE INDEX variants_by_turn ON variants (thread, turn, tier)",
        "CREATE TABLE usages (id INTEGER PRIMARY KEY, response_id TEXT NOT NULL UNIQUE, thread_id TEXT, "
        "body TEXT NOT NULL)",
        "CREATE INDEX usages_by_thread ON usages (thread_id)",
        *_APPEND_ONLY,
    ),
)


def prepare(
    connection: sqlite3.Connection,
    path: str,
    busy_timeout: float,
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
) -> None:
    """Make the tables of a new file, or bring those of an older one up to date; another program's file is not touched.

    Args:
        connection: A connection to the file that is in no transaction.
        path: The file, for the message of an error.
        busy_timeout: Seconds to wait for other processes that open it at the same time.
        migrations: The statements that lead from each version to the next.

    Raises:
        StoreError: The file is another program's, or of a newer version.
        sqlite3.Error: It cannot be read or written.
    """
    latest = len(migrations)
    version = _version(connection, path, latest)  # first of all: another program's file must not be switched
    _write_ahead(connection, path, time.monotonic() + busy_timeout)
    if version == latest:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been first: what counts is what the file says now.
        for statements in migrations[_found(connection, path, latest) :]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {latest}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, path: str, latest: int) -> int:
    connection.execute("BEGIN")  # all that is asked is asked of one state of the file
    try:
        return _found(connection, path, latest)
    finally:
        connection.execute("ROLLBACK")


def _found(connection: sqlite3.Connection, path: str, latest: int) -> int:
    """Return the version of the file's tables, 0 for an empty file."""
    [(owner,)] = connection.execute("PRAGMA application_id")
    [(version,)] = connection.execute("PRAGMA user_version")
    [(tables,)] = connection.execute("SELECT count(*) FROM sqlite_master")
    if (owner, version, tables) == (0, 0, 0):
        return 0
    if owner != APPLICATION_ID:
        reason = f"it is another program's SQLite database: expected application_id {APPLICATION_ID}, got {owner}"
        raise StoreError(path, reason)
    if version > latest:
        reason = f"a newer triptych made it: expected tables of version {latest} at most, got {version}"
        raise StoreError(path, reason)
    return int(version)


def _write_ahead(connection: sqlite3.Connection, path: str, deadline: float) -> None:
    """Switch the file to write-ahead logging, in which readers and a writer do not stop each other."""
    [(mode,)] = connection.execute("PRAGMA journal_mode")  # a copy that SQLite made of a store has another mode
    while mode != "wal":
        try:
            [(mode,)] = connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as fault:
            # SQLite does not wait for this lock by itself.
            if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.005)
            continue
        if mode != "wal":
            raise StoreError(path, f"its file system has no write-ahead logging: expected mode wal, got {mode}")
