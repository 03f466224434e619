"""A store as JSON lines: each line one object whose `record` says what it is; the first and last tell of the file.

    {"record":"store","version":1}
    {"record":"item","thread_id":"a","turn":0,"position":0,"role":"user","item":{"content_type":"message",…}}
    {"record":"variant","thread_id":"a","turn":0,"tier":"message","items":[…]}
    {"record":"usage","response_id":"r1","thread_id":"a","usage":{…}}
    {"record":"end","lines":5}

Items come in the order in which they were added, and so do the variants of a turn, of which the last counts: null says
that there is none any more.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from triptych import jsontext
from triptych.store.connections import Connections

__all__ = ["VERSION", "export_lines"]

VERSION = 1
_CHUNK = 500  # rows read at a time, between which the file is free

_HEADER = {"record": "store", "version": VERSION}

# By kind of line: its fields, of which the last is JSON text already, and the table and columns that they are from.
_EXPORTED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "item": (
        ("thread_id", "turn", "position", "role", "item"),
        "SELECT items.id, thread_id, turn, position, role, body FROM items JOIN threads ON threads.id = thread "
        "WHERE items.id > ? AND items.id <= ? ORDER BY items.id LIMIT ?",
    ),
    "variant": (
        ("thread_id", "turn", "tier", "items"),
        "SELECT variants.id, thread_id, turn, tier, body FROM variants JOIN threads ON threads.id = thread "
        "WHERE variants.id > ? AND variants.id <= ? ORDER BY variants.id LIMIT ?",
    ),
    "usage": (
        ("response_id", "thread_id", "usage"),
        "SELECT id, response_id, thread_id, body FROM usages WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
    ),
}
# The rows that there are at one moment: what is added later has higher ids.
_NEWEST = (
    "SELECT (SELECT coalesce(max(id), 0) FROM items), (SELECT coalesce(max(id), 0) FROM variants), "
    "(SELECT coalesce(max(id), 0) FROM usages)"
)


def export_lines(connections: Connections, file: str | os.PathLike[str] | TextIO) -> int:
    """Write a store as JSON lines; see `Store.export_jsonl`."""
    if not isinstance(file, (str, os.PathLike)):
        return _write(connections, file)
    path = Path(file)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        with open(draft, "w", encoding="utf-8", newline="\n") as opened:
            lines = _write(connections, opened)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return lines


def _write(connections: Connections, file: TextIO) -> int:
    with connections.transaction("read") as connection:
        [newest] = connection.execute(_NEWEST)
    file.write(jsontext.encode_text(_HEADER) + "\n")
    lines = 1
    for (record, (names, query)), last in zip(_EXPORTED.items(), newest, strict=True):
        for row in _rows(connections, query, last):
            file.write(_line(record, names, row) + "\n")
            lines += 1
    file.write(jsontext.encode_text({"record": "end", "lines": lines + 1}) + "\n")
    return lines + 1


def _rows(connections: Connections, query: str, last: int) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query without their ids; no transaction is open while the caller has one."""
    seen = 0
    while seen < last:
        with connections.transaction("read") as connection:
            chunk = connection.execute(query, (seen, last, _CHUNK)).fetchall()
        if not chunk:
            return
        seen = chunk[-1][0]
        yield from (row[1:] for row in chunk)


def _line(record: str, names: tuple[str, ...], row: tuple[Any, ...]) -> str:
    fields = {"record": record, **dict(zip(names[:-1], row, strict=False))}
    return f'{jsontext.encode_text(fields)[:-1]},"{names[-1]}":{row[-1]}}}'
