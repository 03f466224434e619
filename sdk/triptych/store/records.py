"""The rows of a store: what each statement reads and adds, on a connection that is in a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

__all__ = [
    "ItemRow",
    "VariantRow",
    "add_items",
    "add_usage",
    "add_variants",
    "find_thread",
    "last_place",
    "make_thread",
    "read_items",
    "read_usages",
    "read_variants",
    "thread_ids",
    "turn_role",
]

# Thread, turn, position in the turn, whose turn it is, JSON text of the item.
ItemRow: TypeAlias = tuple[int, int, int, str, str]
# Thread, turn, tier, JSON text of the list of items, or null.
VariantRow: TypeAlias = tuple[int, int, str, str]

NO_THREAD = 0
NOWHERE = (-1, -1)  # the place before the first item of a thread


def thread_ids(connection: sqlite3.Connection) -> list[str]:
    """Return the threads, the oldest first."""
    return [thread_id for (thread_id,) in connection.execute("SELECT thread_id FROM threads ORDER BY id")]


def find_thread(connection: sqlite3.Connection, thread_id: str) -> int:
    """Return the row of a thread; `NO_THREAD` where there is none, which no item and no variant has."""
    found = connection.execute("SELECT id FROM threads WHERE thread_id = ?", (thread_id,)).fetchone()
    return NO_THREAD if found is None else int(found[0])


def make_thread(connection: sqlite3.Connection, thread_id: str) -> int:
    """Return the row of a thread, which is made where there is none."""
    connection.execute("INSERT INTO threads (thread_id) VALUES (?) ON CONFLICT DO NOTHING", (thread_id,))
    return find_thread(connection, thread_id)


def last_place(connection: sqlite3.Connection, thread: int) -> tuple[int, int]:
    """Return the turn, and the position in it, of a thread's last item; `NOWHERE` where it has none."""
    found = connection.execute(
        "SELECT turn, position FROM items WHERE thread = ? ORDER BY turn DESC, position DESC LIMIT 1", (thread,)
    ).fetchone()
    return NOWHERE if found is None else (found[0], found[1])


def turn_role(connection: sqlite3.Connection, thread: int, turn: int) -> str | None:
    """Return whose turn one is, None where there is none."""
    found = connection.execute(
        "SELECT role FROM items WHERE thread = ? AND turn = ? AND position = 0", (thread, turn)
    ).fetchone()
    return None if found is None else str(found[0])


def add_items(connection: sqlite3.Connection, rows: Iterable[ItemRow]) -> None:
    """Add items."""
    connection.executemany("INSERT INTO items (thread, turn, position, role, body) VALUES (?, ?, ?, ?, ?)", rows)


def read_items(connection: sqlite3.Connection, thread: int, first: int, end: int) -> Iterator[ItemRow]:
    """Yield the items of turns `first` up to, without, `end`, in order."""
    return connection.execute(
        "SELECT thread, turn, position, role, body FROM items WHERE thread = ? AND turn >= ? AND turn < ? "
        "ORDER BY turn, position",
        (thread, first, end),
    )


def add_variants(connection: sqlite3.Connection, rows: Iterable[VariantRow]) -> None:
    """Add variants; they count from now on."""
    connection.executemany("INSERT INTO variants (thread, turn, tier, body) VALUES (?, ?, ?, ?)", rows)


def read_variants(connection: sqlite3.Connection, thread: int, first: int, end: int) -> Iterator[VariantRow]:
    """Yield the variants that count, of turns `first` up to, without, `end`."""
    return connection.execute(
        "SELECT thread, turn, tier, body FROM variants WHERE id IN (SELECT max(id) FROM variants "
        "WHERE thread = ? AND turn >= ? AND turn < ? GROUP BY turn, tier) AND body <> 'null' ORDER BY turn",
        (thread, first, end),
    )


def add_usage(connection: sqlite3.Connection, response_id: str, thread_id: str | None, body: str) -> bool:
    """Add the usage of a response, unless it is there; return whether it was added."""
    added = connection.execute(
        "INSERT INTO usages (response_id, thread_id, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (response_id, thread_id, body),
    )
    return added.rowcount == 1


_USAGES = {
    "response_id": "SELECT response_id, body FROM usages WHERE response_id = ?",
    "thread_id": "SELECT response_id, body FROM usages WHERE thread_id = ? ORDER BY id",
    None: "SELECT response_id, body FROM usages ORDER BY id",
}


def read_usages(connection: sqlite3.Connection, by: str | None, values: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield response id and JSON text of usages.

    Args:
        connection: The connection.
        by: "response_id", "thread_id", or None for all.
        values: The one value to find, none for all.
    """
    return connection.execute(_USAGES[by], values)
