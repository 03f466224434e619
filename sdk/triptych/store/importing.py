"""JSON lines back into a store: every line is checked before anything of the file is kept."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TextIO

from triptych import jsontext, persist
from triptych.checks import shown
from triptych.store import records, texts
from triptych.store.connections import Connections
from triptych.store.errors import StoreConflict, StoreError
from triptych.store.export import VERSION
from triptych.store.history import check_view, turn_from

__all__ = ["import_lines"]


def import_lines(connections: Connections, file: str | os.PathLike[str] | TextIO) -> int:
    """Add what an export says; see `Store.import_jsonl`."""
    if isinstance(file, (str, os.PathLike)):
        with open(file, encoding="utf-8", newline="\n") as opened:
            return _read(connections, opened, os.fspath(file))
    return _read(connections, file, str(getattr(file, "name", "the given file")))


def _read(connections: Connections, lines: Iterable[str], name: str) -> int:
    number = 0
    with connections.transaction("write") as connection:
        reader = _Reader(connection, connections.path)
        try:
            for number, line in enumerate(lines, 1):
                reader.read(number, line)
            reader.check_ended()
        except (TypeError, ValueError) as fault:
            raise StoreError(connections.path, f"{name}, line {number}: {fault}; nothing was imported") from fault
    return number


def _checked(line: Mapping[str, Any], name: str, kind: type, *, optional: bool = False) -> Any:
    """Return a field of a line, which must be of a type."""
    value = line.get(name)
    if (value is None and optional) or (isinstance(value, kind) and not isinstance(value, bool)):
        return value
    raise TypeError(f"{name}: expected {kind.__name__}, got {shown(value)}")


class _Reader:
    """Reads line after line into a store.

    Args:
        connection: A connection that is in a write transaction.
        path: The store's file, for the message of an error.
    """

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self._path = path
        self._ended = False
        self._threads: dict[str, int] = {}
        self._places: dict[int, tuple[int, int, str]] = {}  # of the last item of each thread: turn, position, role
        self._kinds: Mapping[object, Callable[[Mapping[str, Any]], None]] = {
            "item": self._item,
            "variant": self._variant,
            "usage": self._usage,
        }

    def read(self, number: int, text: str) -> None:
        """Add what a line says.

        Raises:
            TypeError, ValueError: It says nothing that a store holds, or not at this place.
        """
        line = jsontext.decode(text)
        if not isinstance(line, dict):
            raise TypeError(f"expected a JSON object, got {shown(line)}")
        kind = line.get("record")
        if self._ended:
            raise ValueError("expected no line after the end record")
        if number == 1:
            if kind != "store" or line.get("version") != VERSION:
                raise ValueError(f"expected the first line of an export of version {VERSION}, got {shown(line)}")
        elif kind == "end":
            if line.get("lines") != number:
                raise ValueError(f"lines: expected {number}, as many as there are, got {shown(line.get('lines'))}")
            self._ended = True
        elif kind in self._kinds:
            self._kinds[kind](line)
        else:
            raise ValueError(f"record: expected item, variant, usage or end, got {shown(kind)}")

    def check_ended(self) -> None:
        """Refuse a file whose end is missing.

        Raises:
            ValueError: There was no end record.
        """
        if not self._ended:
            raise ValueError("expected more lines and an end record: the file was cut off")

    def _item(self, line: Mapping[str, Any]) -> None:
        thread = self._thread(_checked(line, "thread_id", str))
        place = (_checked(line, "turn", int), _checked(line, "position", int), _checked(line, "role", str))
        last, position, role = self._places.get(thread, (*records.NOWHERE, ""))
        if place not in ((last + 1, 0, place[2]), (last, position + 1, role)):
            got = f"turn {place[0]}, position {place[1]} of {place[2]}"
            raise ValueError(f"expected the item after turn {last}, position {position} of {role}, got {got}")
        items = texts.checked_items([persist.structure(line.get("item"))])
        turn_from(place[2], items, {})
        records.add_items(self._connection, [(thread, *place, persist.dumps(items[0]))])
        self._places[thread] = place

    def _variant(self, line: Mapping[str, Any]) -> None:
        thread = self._thread(_checked(line, "thread_id", str))
        turn, tier = _checked(line, "turn", int), _checked(line, "tier", str)
        if not 0 <= turn <= self._places.get(thread, records.NOWHERE)[0]:
            raise ValueError(f"turn: expected one of the thread's turns, got {turn}")
        body = texts.NO_VARIANT
        if line.get("items") is not None:
            items = texts.checked_items(persist.structure(line["items"]))
            check_view(tier, items)
            body = texts.items_text(items)
        records.add_variants(self._connection, [(thread, turn, tier, body)])

    def _usage(self, line: Mapping[str, Any]) -> None:
        response_id = _checked(line, "response_id", str)
        texts.check_name("response_id", response_id)
        thread_id = _checked(line, "thread_id", str, optional=True)
        usage = texts.checked_usage(persist.structure(line.get("usage")))
        records.add_usage(self._connection, response_id, thread_id, texts.usage_text(usage))

    def _thread(self, thread_id: str) -> int:
        if thread_id not in self._threads:
            texts.check_name("thread_id", thread_id)
            if records.find_thread(self._connection, thread_id) != records.NO_THREAD:
                reason = f"thread {thread_id!r} is there already; expected another name; nothing was imported"
                raise StoreConflict(self._path, reason)
            self._threads[thread_id] = records.make_thread(self._connection, thread_id)
        return self._threads[thread_id]
