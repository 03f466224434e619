"""A thread in the tables of a store: what of it is new, and the turns that its rows say."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from operator import itemgetter

from attrs import frozen

from triptych import persist
from triptych.content import CompressionFiller, ContentItem
from triptych.store import records, texts
from triptych.store.errors import StoreConflict
from triptych.threads.turn import Turn, TurnRole, role_of

__all__ = ["History", "WrittenTurn", "check_view", "read_turns", "turn_from", "turn_of", "written"]


def turn_of(items: Iterable[ContentItem]) -> Turn:
    """Return a turn of these items; whose turn it is, the first item says that somebody said.

    Raises:
        TypeError: Something is no item, or there is none.
        ValueError: One of them is a tombstone.
    """
    said = tuple(items)
    return Turn(_role(said), said)


def _role(items: Iterable[ContentItem]) -> TurnRole:
    return next((role for role in map(role_of, items) if role), "assistant")


@frozen
class WrittenTurn:
    """A turn as JSON texts: made before a transaction begins, so that others wait for the disk alone.

    Args:
        role: Whose turn it is.
        items: The text of each item.
        variants: The text of each variant, by tier.
    """

    role: str
    items: list[str]
    variants: Mapping[str, str]


def written(turn: Turn) -> WrittenTurn:
    """Return the texts of a turn."""
    variants: dict[str, str] = {tier: texts.items_text(items) for tier, items in turn.variants.items()}
    return WrittenTurn(turn.role, [persist.dumps(item) for item in turn.original], variants)


class History:
    """One stored thread, within a transaction.

    Args:
        connection: The connection that is in the transaction.
        path: The store's file, for the message of an error.
        thread_id: The name of the thread.
    """

    def __init__(self, connection: sqlite3.Connection, path: str, thread_id: str) -> None:
        self._connection = connection
        self._path = path
        self._thread_id = thread_id
        self._thread = records.find_thread(connection, thread_id)
        self._last, self._position = records.last_place(connection, self._thread)

    @property
    def turn_count(self) -> int:
        """How many turns the thread has."""
        return self._last + 1

    def append(self, turn: WrittenTurn, expected: int | None) -> int:
        """Add a turn and return its number, which must be `expected` where that is given."""
        number = self.turn_count
        if expected not in (None, number):
            raise self._conflict(f"expected its next turn to be {expected}, it is {number}")
        self._add(number, 0, turn.role, turn.items)
        return number

    def extend(self, items: list[str], expected: int | None) -> int:
        """Add texts of items to the last turn and return its number, which must be `expected` where that is given."""
        if self._last < 0:
            raise self._conflict("expected a turn to go on with, it has none")
        if expected not in (None, self._last):
            raise self._conflict(f"expected its last turn to be {expected}, it is {self._last}")
        role = records.turn_role(self._connection, self._thread, self._last) or "assistant"
        self._add(self._last, self._position + 1, role, items)
        # A view of the turn shows what was said since, or it would be lost on whoever reads the view.
        views = list(records.read_variants(self._connection, self._thread, self._last, self._last + 1))
        more = ",".join(items)
        records.add_variants(self._connection, [(*view[:3], f"{view[3][:-1]},{more}]") for view in views])
        return self._last

    def save(self, turns: list[WrittenTurn], start: int) -> None:
        """Add what the thread does not have yet of these turns, the first of which has the number `start`."""
        if not 0 <= start <= self.turn_count:
            raise self._conflict(f"expected a start of 0 to {self.turn_count}, the number of its turns, got {start}")
        known = dict(self._rows(start, start + len(turns)))
        for number, turn in enumerate(turns, start):
            there = [body for _, _, _, _, body in known.get(number, [])]
            if turn.items == there[: len(turn.items)] and len(there) > len(turn.items):
                raise self._conflict(
                    f"turn {number} has gone on: expected its {len(there)} items, got {len(turn.items)}"
                )
            if turn.items[: len(there)] != there or (there and known[number][0][3] != turn.role):
                raise self._conflict(f"expected turn {number} to begin with the items that are there, got others")
            more = turn.items[len(there) :]
            if more and number < self._last:
                raise self._conflict(f"turn {number} is over: expected its {len(there)} items, got {len(turn.items)}")
            self._add(number, len(there), turn.role, more)
        self._save_variants(turns, start)

    def rows(self, last: int | None, before: int | None) -> tuple[list[records.ItemRow], list[records.VariantRow]]:
        """Return the rows of the turns that are asked for: items, and the variants that count.

        Args:
            last: How many turns, from the end; None for all.
            before: The number of the turn to stop before; None for the end of the thread.
        """
        end = self.turn_count if before is None else min(before, self.turn_count)
        span = (self._connection, self._thread, 0 if last is None else end - last, end)
        return list(records.read_items(*span)), list(records.read_variants(*span))

    def _save_variants(self, turns: list[WrittenTurn], start: int) -> None:
        rows = records.read_variants(self._connection, self._thread, start, start + len(turns))
        there = {(turn, tier): body for _, turn, tier, body in rows}
        given = {
            (number, tier): body for number, turn in enumerate(turns, start) for tier, body in turn.variants.items()
        }
        gone = dict.fromkeys(there.keys() - given.keys(), texts.NO_VARIANT)
        new = [(self._thread, *place, body) for place, body in sorted({**given, **gone}.items())]
        records.add_variants(self._connection, [row for row in new if there.get(row[1:3]) != row[3]])

    def _rows(self, first: int, end: int) -> Iterator[tuple[int, list[records.ItemRow]]]:
        rows = records.read_items(self._connection, self._thread, first, end)
        return ((turn, list(group)) for turn, group in groupby(rows, itemgetter(1)))

    def _add(self, turn: int, position: int, role: str, items: list[str]) -> None:
        if not items:
            return
        if not self._thread:
            self._thread = records.make_thread(self._connection, self._thread_id)
        rows = ((self._thread, turn, at, role, body) for at, body in enumerate(items, position))
        records.add_items(self._connection, rows)
        self._last, self._position = turn, position + len(items) - 1

    def _conflict(self, reason: str) -> StoreConflict:
        return StoreConflict(self._path, f"thread {self._thread_id!r}: {reason}")


def read_turns(
    path: str, thread_id: str, items: Iterable[records.ItemRow], variants: Iterable[records.VariantRow]
) -> Iterator[Turn]:
    """Yield the turns that rows say.

    Args:
        path: The store's file, for the message of an error.
        thread_id: The name of the thread, for the same.
        items: The rows of the items, in order.
        variants: The rows of the variants.

    Raises:
        StoreError: A row is damaged.
    """
    by_turn: dict[int, dict[str, str]] = {}
    for _, number, tier, body in variants:
        by_turn.setdefault(number, {})[tier] = body
    for number, rows in groupby(items, itemgetter(1)):
        where = f"thread {thread_id!r}, turn {number}"
        yield texts.reading(path, where, partial(_read_turn, list(rows), by_turn.get(number, {})))


def _read_turn(rows: list[records.ItemRow], variants: Mapping[str, str]) -> Turn:
    said = texts.read_items(f"[{','.join(row[4] for row in rows)}]")
    views = {tier: texts.read_items(body) for tier, body in variants.items()}
    return turn_from(rows[0][3], said, views)


def turn_from(role: str, said: tuple[ContentItem, ...], variants: Mapping[str, tuple[ContentItem, ...]]) -> Turn:
    """Return a turn of values that were read, which the turn itself checks.

    Raises:
        TypeError, ValueError: One of them cannot be in a turn.
    """
    make: Callable[..., Turn] = Turn
    return make(role, said, variants)


def check_view(tier: str, items: tuple[ContentItem, ...]) -> None:
    """Refuse what cannot be the view of a turn.

    Args:
        tier: How much compression took out.
        items: The view.

    Raises:
        TypeError, ValueError: No turn can have it.
    """
    turn_from("assistant", (CompressionFiller(),), {tier: items})
