"""Tests of files: new ones, older and newer ones, damaged ones and those of other programs."""

from __future__ import annotations

import pickle
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from triptych import Message, Usage
from triptych.store import Store, StoreBusy, StoreConflict, StoreError
from triptych.store.tables import APPLICATION_ID, MIGRATIONS, prepare

HELLO = Message("user", "Hello")


def pragma(path: Path, name: str) -> object:
    """Return what a pragma says of a file."""
    connection = sqlite3.connect(path)
    [(value,)] = connection.execute(f"PRAGMA {name}")
    connection.close()
    return value


def run(path: Path, *statements: str) -> None:
    """Run statements on a file, past the store."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_a_new_file_says_whose_it_is_and_of_which_version(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    assert pragma(store.path, "application_id") == APPLICATION_ID
    assert pragma(store.path, "user_version") == len(MIGRATIONS)
    assert pragma(store.path, "journal_mode") == "wal"


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.touch()
    assert Store(path).append("a", [HELLO]) == 0


def test_many_may_make_the_file_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for number in range(5):
            stores = list(pool.map(Store, [tmp_path / f"{number}.sqlite"] * 8))
            assert sorted(pool.map(lambda store: store.append("a", [HELLO]), stores)) == list(range(8))


def test_an_older_file_is_brought_up_to_date_with_all_that_is_in_it(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.append("a", [HELLO])
    migrations = (*MIGRATIONS, ("ALTER TABLE threads ADD COLUMN title TEXT",))
    connection = sqlite3.connect(store.path, isolation_level=None)
    prepare(connection, str(store.path), 5.0, migrations)
    prepare(connection, str(store.path), 5.0, migrations)  # nothing is left to do
    assert list(connection.execute("SELECT thread_id, title FROM threads")) == [("a", None)]
    connection.close()
    assert pragma(store.path, "user_version") == len(migrations)


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.append("a", [HELLO])
    migrations = (*MIGRATIONS, ("ALTER TABLE threads ADD COLUMN title TEXT", "ALTER TABLE missing ADD COLUMN x"))
    connection = sqlite3.connect(store.path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="no such table: missing"):
        prepare(connection, str(store.path), 5.0, migrations)
    connection.close()
    assert Store(store.path).items("a") == [HELLO]


def test_a_copy_that_sqlite_made_is_a_store(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.append("a", [HELLO])
    copied = tmp_path / "b.sqlite"
    run(store.path, f"VACUUM INTO '{copied}'")
    assert pragma(copied, "journal_mode") == "delete"
    assert Store(copied).items("a") == [HELLO]
    assert pragma(copied, "journal_mode") == "wal"


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.close()
    run(store.path, "PRAGMA user_version = 99")
    with pytest.raises(StoreError) as caught:
        Store(store.path)
    assert str(caught.value) == (
        f"store {store.path}: a newer triptych made it: expected tables of version {len(MIGRATIONS)} at most, got 99"
    )


def test_the_database_of_another_program_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    run(path, "CREATE TABLE items (name TEXT)", "PRAGMA application_id = 7")
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        Store(path)
    assert str(caught.value) == (
        f"store {path}: it is another program's SQLite database: expected application_id {APPLICATION_ID}, got 7"
    )
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.sqlite"]


@pytest.mark.parametrize("text", [b"Dear diary", b"{}\n" * 5000, b"SQLite format 3\x00" + b"\xff" * 9000])
def test_a_file_that_is_no_database_is_refused_and_not_touched(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(text)
    with pytest.raises(StoreError, match=r"a\.sqlite: it is damaged, or no SQLite database; expected a file that"):
        Store(path)
    assert path.read_bytes() == text


@pytest.mark.parametrize("place", ["nowhere/a.sqlite", "."])
def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(StoreError, match="it cannot be opened; expected a file, or a place for one, in a directory"):
        Store(tmp_path / place)


def test_a_file_with_damaged_pages_is_told(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    for number in range(200):
        store.append("a", [Message("user", f"{number} " * 100)])
    store.close()
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:8192] + b"\xa5" * (len(whole) - 8192))
    with pytest.raises(StoreError, match=r"a\.sqlite: it is damaged"):
        store.items("a")
    assert store.check() != []


def test_a_damaged_row_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.append("a", [HELLO])
    store.append("a", [HELLO, HELLO])
    store.add_usage("r1", Usage(1, 1))
    store.close()
    run(
        store.path,
        "DROP TRIGGER items_update",
        "DROP TRIGGER usages_update",
        """UPDATE items SET body = '{"content_type":"message"' WHERE id = 3""",
        "UPDATE usages SET body = '[]'",
    )
    with pytest.raises(StoreError, match=r"a\.sqlite: thread 'a', turn 1: \$: expected JSON, got"):
        store.items("a")
    with pytest.raises(StoreError, match=r"usage of 'r1': usage: expected a Usage, got \[\] \(list\)"):
        store.usage("r1")
    assert store.thread("a", before=1).contents == [HELLO]  # the rest can be read


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"content_type":"text","text":"x"}', r"\[0\]: expected an item of a conversation, got Text"),
        ('{"content_type":"message","role":7,"content":"x"}', "role"),
        ('{"content_type":"deleted"}', r"Turn.original\[0\]: expected what was said, got a tombstone"),
    ],
)
def test_a_row_that_says_something_else_is_named(tmp_path: Path, body: str, message: str) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.append("a", [HELLO])
    store.close()
    run(store.path, "DROP TRIGGER items_update", f"UPDATE items SET body = '{body}'")
    with pytest.raises(StoreError, match=f"thread 'a', turn 0: .*{message}"):
        store.items("a")


@pytest.mark.parametrize("kind", [StoreError, StoreBusy, StoreConflict])
def test_errors_pickle(kind: type[StoreError]) -> None:
    error = pickle.loads(pickle.dumps(kind("a.sqlite", "it is damaged")))
    assert (type(error), str(error), error.path) == (kind, "store a.sqlite: it is damaged", "a.sqlite")
