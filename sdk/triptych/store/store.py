"""The store: threads of items in one SQLite file, to which many threads and processes add at the same time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, TextIO

from triptych.store import records, texts
from triptych.store.connections import Connections
from triptych.store.errors import StoreError
from triptych.store.export import export_lines
from triptych.store.history import History, read_turns, turn_of, written
from triptych.store.importing import import_lines
from triptych.threads.thread import Thread
from triptych.usage import Usage

if TYPE_CHECKING:
    from types import TracebackType

    from triptych.content import ContentItem
    from triptych.threads.turn import Tier

__all__ = ["Store"]


_ORPHANS = "PRAGMA foreign_key_check"


class Store:
    """Threads of items, variants of their turns, and usages, in one file; what is added is never changed.

    A method that adds returns when the data is on the disk: from then on neither a killed process nor a power cut loses
    it. What such an end interrupts is there as a whole or not at all. A store may be shared by threads, used after a
    fork, and pickled; other processes open the file by themselves. The file belongs on a local disk: the write-ahead
    log that lets many write at the same time does not work over a network.

    Args:
        path: The file; made where there is none, in a directory that exists.
        busy_timeout: Seconds that a call waits while others write.

    Raises:
        StoreError: The file is another program's, damaged, of a newer version, or cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str], *, busy_timeout: float = 30.0) -> None:
        self.path = Path(path).absolute()  # or a change of the working directory would lead to another file
        self.busy_timeout = busy_timeout
        self._connections = Connections(str(self.path), busy_timeout)
        with self._connections.transaction("read"):
            pass  # a wrong file is told where it was named

    def append(self, thread_id: str, items: Iterable[ContentItem], *, turn: int | None = None) -> int:
        """Add a turn to a thread, which is made with its first turn.

        Args:
            thread_id: The name of the thread.
            items: What was said; at least one item, and no tombstone.
            turn: The number that the turn must get: where somebody else was first, nothing is added.

        Returns:
            The number of the turn, from 0.

        Raises:
            StoreConflict: The thread's next turn is not `turn`.
            StoreError: The file cannot be written.
            TypeError: Something in `items` is no item, or there is none.
            ValueError: One of the items is a tombstone.
        """
        new = written(turn_of(items))
        with self._history("write", thread_id) as history:
            return history.append(new, turn)

    def extend(self, thread_id: str, items: Iterable[ContentItem], *, turn: int | None = None) -> int:
        """Add items to the last turn of a thread.

        Args:
            thread_id: The name of the thread.
            items: What was said next, as for `append`.
            turn: The number that the last turn must have.

        Returns:
            The number of the turn.

        Raises:
            StoreConflict: The thread's last turn is not `turn`, or it has none.
            StoreError, TypeError, ValueError: As `append` does.
        """
        new = written(turn_of(items))
        with self._history("write", thread_id) as history:
            return history.extend(new.items, turn)

    def save(self, thread_id: str, thread: Thread, *, start: int = 0) -> None:
        """Add what the store does not have yet of a thread: turns, items at the end of the last turn, variants.

        What is there must be in the thread too, as it is; turns after those that are given stay. The variants that
        the thread has are those that count afterwards.

        Args:
            thread_id: The name of the thread.
            thread: The thread.
            start: The number of its first turn, where it is not the whole thread.

        Raises:
            StoreConflict: What is there is not in the thread.
            StoreError: The file cannot be written.
        """
        turns = [written(turn) for turn in thread.turns]
        with self._history("write", thread_id) as history:
            history.save(turns, start)

    def thread(self, thread_id: str, *, last: int | None = None, before: int | None = None) -> Thread:
        """Return a thread, or turns of it; one that the store does not know has none.

        Args:
            thread_id: The name of the thread.
            last: How many turns at most, counted from the end; None for all. The time depends on them, not on how long
                the thread is.
            before: Only turns with a smaller number than this, to page backwards.

        Raises:
            StoreError: The file cannot be read, or something in it is damaged; the message says where.
        """
        if last is not None and last < 0:
            raise ValueError(f"last: expected a number of turns, 0 or more, got {last}")
        with self._history("read", thread_id) as history:
            items, variants = history.rows(last, before)
        return Thread(tuple(read_turns(str(self.path), thread_id, items, variants)))

    def items(self, thread_id: str, *, last: int | None = None, tier: Tier | None = None) -> list[ContentItem]:
        """Return the items of a thread in order: the `contents` of a request.

        Args:
            thread_id: The name of the thread.
            last: How many turns at most, counted from the end; None for all.
            tier: How much compression took out; None for what was said.

        Raises:
            StoreError: As `thread` does.
        """
        return self.thread(thread_id, last=last).view(tier)

    def turn_count(self, thread_id: str) -> int:
        """Return how many turns a thread has: 0 where there is no such thread."""
        with self._history("read", thread_id) as history:
            return history.turn_count

    def thread_ids(self) -> list[str]:
        """Return the names of the threads, the oldest first."""
        with self._connections.transaction("read") as connection:
            return records.thread_ids(connection)

    def add_usage(self, response_id: str, usage: Usage, *, thread_id: str | None = None) -> bool:
        """Add what a response cost, once: the usage of an id that is there already is left as it is.

        Args:
            response_id: The id of the response: the provider's, or one of your own where it gives none.
            usage: What it cost.
            thread_id: The thread that it was for.

        Returns:
            Whether it was added: False where a call is repeated, so that nothing is counted twice.

        Raises:
            StoreError: The file cannot be written.
        """
        texts.check_name("response_id", response_id)
        if thread_id is not None:
            texts.check_name("thread_id", thread_id)
        body = texts.usage_text(usage)
        with self._connections.transaction("write") as connection:
            return records.add_usage(connection, response_id, thread_id, body)

    def usage(self, response_id: str) -> Usage | None:
        """Return what a response cost, None where it was never added."""
        return self._usages("response_id", response_id).get(response_id)

    def total_usage(self, thread_id: str | None = None) -> Usage:
        """Return what the responses of a thread cost together, or those of all threads and of none."""
        usages = self._usages(None) if thread_id is None else self._usages("thread_id", thread_id)
        return sum(usages.values(), Usage())

    def export_jsonl(self, file: str | os.PathLike[str] | TextIO) -> int:
        """Write all that is in the store as JSON lines, in the state of one moment; others may go on writing.

        Args:
            file: Where to: a path, whose file is replaced in one step when all is written, or an open text file.

        Returns:
            How many lines were written.

        Raises:
            StoreError: The store cannot be read.
            OSError: The file cannot be written.
        """
        return export_lines(self._connections, file)

    def import_jsonl(self, file: str | os.PathLike[str] | TextIO) -> int:
        """Add what `export_jsonl` wrote: all of it, or nothing where a line is wrong. Other writers wait meanwhile.

        Args:
            file: A path or an open text file.

        Returns:
            How many lines were read.

        Raises:
            StoreConflict: A thread of that name is there already.
            StoreError: A line is wrong or missing, or the store cannot be written; the message says which and why.
            OSError: The file cannot be read.
        """
        return import_lines(self._connections, file)

    def check(self) -> list[str]:
        """Return what is wrong with the file, found by reading all of it; an empty list for a sound one."""
        try:
            with self._connections.transaction("read") as connection:
                said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
                said += [f"{row[0]}: row {row[1]} names no row of {row[2]}" for row in connection.execute(_ORPHANS)]
        except StoreError as fault:  # so damaged that SQLite gives up half-way
            return [fault.reason]
        return [line for line in said if line != "ok"]

    def close(self) -> None:
        """Close the connections of all threads of this process; a later call opens new ones."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def __reduce__(self) -> tuple[partial[Store], tuple[str]]:
        return partial(Store, busy_timeout=self.busy_timeout), (str(self.path),)

    @contextmanager
    def _history(self, kind: Literal["read", "write"], thread_id: str) -> Iterator[History]:
        texts.check_name("thread_id", thread_id)
        with self._connections.transaction(kind) as connection:
            yield History(connection, str(self.path), thread_id)

    def _usages(self, by: str | None, *values: str) -> dict[str, Usage]:
        with self._connections.transaction("read") as connection:
            rows = list(records.read_usages(connection, by, values))
        path = str(self.path)
        return {
            found: texts.reading(path, f"usage of {found!r}", partial(texts.read_usage, body)) for found, body in rows
        }
