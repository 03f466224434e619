"""Tests of the store: what is added is there for every thread, process and copy that asks, and is never changed."""

from __future__ import annotations

import copy
import pickle
import sqlite3
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.strategies import conversations
from triptych import (
    ClientContext,
    CompressionFiller,
    ContentItem,
    Deleted,
    LlmRequest,
    Message,
    ToolCall,
    ToolResult,
    Usage,
    persist,
)
from triptych.store import Store, StoreBusy, StoreConflict
from triptych.store.history import History
from triptych.threads.thread import Thread
from triptych.threads.turn import Turn

HELLO = Message("user", "Hello")
CALL = ToolCall("call_1", "look", {"where": "here", "big": 10**40})
RESULT = ToolResult("call_1", "look", content=["found"])
ANSWER = Message("assistant", "Found \ud800 it.")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "threads.sqlite")


def test_turns_are_numbered_and_read_in_order(store: Store) -> None:
    assert [store.append("a", [HELLO]), store.append("a", [CALL, RESULT]), store.append("b", [HELLO])] == [0, 1, 0]
    assert store.thread("a") == Thread((Turn("user", (HELLO,)), Turn("assistant", (CALL, RESULT))))
    assert store.items("a") == [HELLO, CALL, RESULT]
    assert store.thread_ids() == ["a", "b"]
    assert store.turn_count("a") == 2


def test_an_unknown_thread_has_no_turns(store: Store) -> None:
    assert store.thread("a") == Thread()
    assert store.items("a", last=3) == []
    assert store.turn_count("a") == 0
    assert store.thread_ids() == []


def test_a_turn_is_extended_and_so_are_its_views(store: Store) -> None:
    turn = Turn("assistant", (CALL, RESULT), {"deleted": (CompressionFiller("assistant"),)})
    store.save("a", Thread((turn,)))
    assert store.extend("a", [ANSWER]) == 0
    assert store.thread("a") == Thread((turn.extended([ANSWER]),))


def test_items_of_a_turn_keep_its_role(store: Store) -> None:
    store.append("a", [HELLO])
    store.extend("a", [ANSWER])
    assert store.thread("a").turns == (Turn("user", (HELLO, ANSWER)),)


@pytest.mark.parametrize(
    ("last", "before", "numbers"),
    [
        (None, None, [0, 1, 2, 3, 4]),
        (2, None, [3, 4]),
        (2, 3, [1, 2]),
        (9, 3, [0, 1, 2]),
        (None, 99, [0, 1, 2, 3, 4]),
        (0, None, []),
        (3, 0, []),
    ],
)
def test_the_last_turns_and_those_before_them(
    store: Store, last: int | None, before: int | None, numbers: list[int]
) -> None:
    for number in range(5):
        store.append("a", [Message("user", str(number))])
    found = store.thread("a", last=last, before=before).contents
    assert found == [Message("user", str(number)) for number in numbers]


def test_a_number_of_turns_below_zero_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match=r"last: expected a number of turns, 0 or more, got -1"):
        store.thread("a", last=-1)


def test_reading_the_last_turns_costs_the_same_in_a_long_thread(store: Store) -> None:
    short, long = ([Message("user", f"{number:06}") for number in range(size)] for size in (300, 9000))
    store.save("short", Thread([Turn("user", (item,)) for item in short]))
    store.save("long", Thread([Turn("user", (item,)) for item in long]))
    store.close()
    steps = []
    for thread_id in ("short", "long"):
        connection = sqlite3.connect(store.path)
        taken = [0]

        def step(taken: list[int] = taken) -> None:
            taken[0] += 1

        connection.set_progress_handler(step, 1)
        items, _ = History(connection, str(store.path), thread_id).rows(200, None)
        connection.close()
        assert len(items) == 200
        steps.append(taken[0])
    assert steps[1] <= steps[0] + 10  # of SQLite's own machine; they do not depend on how busy the computer is


@pytest.mark.parametrize("wrong", ["Hello", [HELLO, "Hello"], [], [HELLO, None], 3])
def test_what_is_no_list_of_items_is_refused(store: Store, wrong: object) -> None:
    with pytest.raises(TypeError):
        store.append("a", wrong)  # type: ignore[arg-type]  # that is the point
    assert store.turn_count("a") == 0


def test_a_tombstone_was_never_said(store: Store) -> None:
    with pytest.raises(ValueError, match=r"Turn.original\[1\]: expected what was said, got a tombstone"):
        store.append("a", [HELLO, Deleted("message")])


@pytest.mark.parametrize("name", ["", "a\x00b", "a\ud800"])
def test_a_name_that_would_not_come_back_as_it_was_is_refused(store: Store, name: str) -> None:
    with pytest.raises(ValueError, match="thread_id: expected at least one character, all of them printable"):
        store.append(name, [HELLO])


def test_a_name_that_is_no_text_is_refused(store: Store) -> None:
    with pytest.raises(TypeError, match=r"thread_id: expected a str, got 3 \(int\)"):
        store.append(3, [HELLO])  # type: ignore[arg-type]  # that is the point


def test_whoever_expects_another_turn_adds_nothing(store: Store) -> None:
    store.append("a", [HELLO], turn=0)
    with pytest.raises(StoreConflict, match="thread 'a': expected its next turn to be 0, it is 1"):
        store.append("a", [ANSWER], turn=0)
    with pytest.raises(StoreConflict, match="thread 'a': expected its last turn to be 1, it is 0"):
        store.extend("a", [ANSWER], turn=1)
    with pytest.raises(StoreConflict, match="thread 'b': expected a turn to go on with, it has none"):
        store.extend("b", [ANSWER])
    assert store.items("a") == [HELLO]


@settings(max_examples=60, deadline=None)
@given(conversations("anthropic_messages") | conversations("openai_responses"), st.integers(0, 6))
def test_a_thread_comes_back_as_it_was_saved(items: list[ContentItem], last: int) -> None:
    thread = Thread.of(persist.loads(persist.dumps(items)))  # JSON has no infinity, and none of the items has one now
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "a.sqlite") as store:
        store.save("a", thread)
        assert store.thread("a") == thread
        assert store.thread("a", last=last).turns == thread.turns[max(0, len(thread.turns) - last) :]
        store.save("a", thread)
        assert store.thread("a") == thread


def test_saving_adds_what_is_new(store: Store) -> None:
    begun = Thread.of([HELLO, CALL])
    answered = begun.extended([RESULT, ANSWER])
    gone_on = answered.extended([HELLO])
    for thread in (begun, answered, gone_on):
        store.save("a", thread)
        assert store.thread("a") == thread
    store.save("a", answered)  # what came after it stays
    assert store.thread("a") == gone_on


def test_saving_the_end_of_a_thread(store: Store) -> None:
    whole = Thread.of([HELLO, ANSWER, HELLO, CALL])
    store.save("a", whole)
    end = store.thread("a", last=2).extended([RESULT, HELLO])
    store.save("a", end, start=2)
    assert store.thread("a") == Thread((*whole.turns[:2], *end.turns))


@pytest.mark.parametrize(
    ("turns", "start", "message"),
    [
        ([Turn("user", (ANSWER,))], 0, "expected turn 0 to begin with the items that are there, got others"),
        ([Turn("system", (HELLO,))], 0, "expected turn 0 to begin with the items that are there, got others"),
        ([Turn("assistant", (CALL,))], 1, "turn 1 has gone on: expected its 2 items, got 1"),
        ([Turn("user", (HELLO, HELLO))], 0, "turn 0 is over: expected its 1 items, got 2"),
        ([Turn("user", (HELLO,))], 3, "expected a start of 0 to 2, the number of its turns, got 3"),
        ([Turn("user", (HELLO,))], -1, "expected a start of 0 to 2, the number of its turns, got -1"),
    ],
)
def test_saving_changes_nothing_that_is_there(store: Store, turns: list[Turn], start: int, message: str) -> None:
    store.save("a", Thread.of([HELLO, CALL, RESULT]))
    with pytest.raises(StoreConflict, match=f"thread 'a': {message}"):
        store.save("a", Thread(tuple(turns)), start=start)
    assert store.items("a") == [HELLO, CALL, RESULT]


def test_a_variant_that_is_made_again_counts_instead_of_the_first(store: Store) -> None:
    turn = Turn("assistant", (CALL, RESULT))
    filler = (CompressionFiller("assistant"),)
    first = Thread((turn.with_variants({"message": (Deleted("tool_call"), RESULT), "deleted": filler}),))
    store.save("a", first)
    assert store.items("a", tier="message") == [Deleted("tool_call"), RESULT]
    again = Thread((turn.with_variants({"message": filler}),))
    store.save("a", again)
    assert store.thread("a") == again
    store.save("a", again.without_variants())
    assert store.thread("a") == Thread((turn,))
    assert store.items("a", tier="deleted") == [CALL, RESULT]


def test_a_request_is_made_of_the_last_turns(store: Store) -> None:
    context = ClientContext({"page": 3})
    store.append("a", [HELLO])
    store.append("a", [ANSWER])
    store.append("a", [HELLO, context])
    assert LlmRequest(contents=store.items("a", last=2)).contents == [ANSWER, HELLO, context]


def test_a_usage_is_counted_once(store: Store) -> None:
    spent = Usage(10, 5, cache_read_tokens=4, raw={"prompt_tokens": 10})
    assert store.add_usage("r1", spent, thread_id="a") is True
    assert store.add_usage("r1", Usage(99, 99)) is False
    assert store.add_usage("r2", Usage(1, 1)) is True
    found = store.usage("r1")
    assert found == spent
    assert found is not None
    assert found.raw == spent.raw
    assert store.usage("r3") is None
    assert store.total_usage("a") == spent
    assert store.total_usage() == Usage(11, 6, cache_read_tokens=4)
    assert store.total_usage("b") == Usage()


def test_a_usage_that_is_none_is_refused(store: Store) -> None:
    with pytest.raises(TypeError, match="usage: expected a Usage, got"):
        store.add_usage("r1", {"input_tokens": 3})  # type: ignore[arg-type]  # that is the point


def test_rows_are_changed_and_removed_by_nobody(store: Store) -> None:
    store.append("a", [HELLO])
    store.add_usage("r1", Usage(1, 1))
    connection = sqlite3.connect(store.path)
    for statement in ("UPDATE items SET body = ''", "DELETE FROM items", "DELETE FROM threads", "DELETE FROM usages"):
        with pytest.raises(sqlite3.IntegrityError, match="a store is append-only"):
            connection.execute(statement)
    connection.close()
    assert store.items("a") == [HELLO]


def test_threads_of_a_process_add_at_the_same_time(store: Store) -> None:
    def add(writer: int) -> list[int]:
        return [store.append("a", [Message("user", f"{writer}.{number}")]) for number in range(20)]

    with ThreadPoolExecutor(8) as pool:
        numbers = sorted(number for found in pool.map(add, range(8)) for number in found)
    assert numbers == list(range(160))
    said = [item.text for item in store.items("a") if isinstance(item, Message)]
    for writer in range(8):
        assert [text for text in said if text.startswith(f"{writer}.")] == [f"{writer}.{n}" for n in range(20)]
    assert store.check() == []


def test_a_writer_that_waits_in_vain_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    store = Store(path, busy_timeout=0.01)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="others wrote to it for longer than the busy_timeout"):
        store.append("a", [HELLO])
    assert store.items("a") == []  # a reader waits for nobody
    other.execute("ROLLBACK")
    other.close()
    assert store.append("a", [HELLO]) == 0


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted in /proc")
def test_threads_that_are_over_leave_no_connections(store: Store) -> None:
    for _ in range(10):
        thread = threading.Thread(target=store.append, args=("a", [HELLO]))
        thread.start()
        thread.join()
    assert open_files(store.path) <= 2  # SQLite keeps one that it closed for the next connection
    store.close()
    assert open_files(store.path) == 0


def open_files(path: Path) -> int:
    """Return how many files of this process are open on a path."""
    links = Path("/proc/self/fd").iterdir()
    return sum(link.exists() and link.samefile(path) for link in links)


def test_a_closed_store_opens_again(store: Store) -> None:
    store.append("a", [HELLO])
    store.close()
    with store:
        assert store.items("a") == [HELLO]
    assert store.items("a") == [HELLO]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda store: pickle.loads(pickle.dumps(store))])
def test_a_copy_is_a_store_of_the_same_file(tmp_path: Path, copied: object) -> None:
    store = Store(tmp_path / "a.sqlite", busy_timeout=3)
    store.append("a", [HELLO])
    other = copied(store)  # type: ignore[operator]  # a function, each of another type
    assert (other.path, other.busy_timeout, other.items("a")) == (store.path, 3, [HELLO])


def test_another_working_directory_leads_to_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store("a.sqlite")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(store.append, "a", [HELLO]).result() == 0
    assert repr(store) == f"Store({str(tmp_path / 'a.sqlite')!r})"
    assert Store(tmp_path / "a.sqlite").items("a") == [HELLO]
