"""Tests of forks: no connection goes over one, whatever other threads do at that moment."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from triptych import Message
from triptych.store import Store, StoreBusy
from triptych.store.connections import Connections

# A process of its own: one that forks while its threads work. Newer Pythons warn of that by principle.
FORKING = """
import os, signal, sys, threading
from triptych import Message
from triptych.store import Store

signal.alarm(60)
store = Store(sys.argv[1])
store.append("parent", [Message("user", "before")])
over = threading.Event()

def work(name):
    while not over.is_set():
        store.append(name, [Message("user", name)])

threads = [threading.Thread(target=work, args=(f"thread-{number}",)) for number in range(3)]
for thread in threads:
    thread.start()
for number in range(6):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        for _ in range(5):
            store.append("children", [Message("user", f"child {number}")])
        store.total_usage()
        os._exit(0)
    store.append("parent", [Message("user", "after")])
    assert os.waitpid(child, 0)[1] == 0
over.set()
for thread in threads:
    thread.join()
print(store.turn_count("children"), store.turn_count("parent"), store.check())
"""


def test_a_process_forks_while_its_threads_write(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKING, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("30 7 []\n", "", 0)
    assert Store(path).turn_count("children") == 30


def test_a_fork_closes_the_connections_and_they_open_again(tmp_path: Path) -> None:
    connections = Connections(str(tmp_path / "a.sqlite"), 5.0)
    with connections.transaction("write") as before:
        before.execute("INSERT INTO threads (thread_id) VALUES ('a')")
    connections.pause()
    connections.resume()
    with connections.transaction("read") as after:
        assert after is not before
        assert list(after.execute("SELECT thread_id FROM threads")) == [("a",)]


def test_what_a_transaction_does_not_finish_is_taken_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    connections = Connections(str(store.path), 5.0)

    def interrupted() -> None:
        with connections.transaction("write") as connection:
            connection.execute("INSERT INTO threads (thread_id) VALUES ('a')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.thread_ids() == []
    assert store.append("b", [Message("user", "Hello")]) == 0


def test_a_thread_that_waits_in_vain_for_another_is_told_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    connections = Connections(str(store.path), 0.01)

    def write() -> None:
        with connections.transaction("write") as connection:
            connection.execute("INSERT INTO threads (thread_id) VALUES ('a')")

    with ThreadPoolExecutor(1) as pool:
        with connections.transaction("write"):
            waited = pool.submit(write).exception()
        assert isinstance(waited, StoreBusy)
        assert waited.reason == "another thread wrote to it for longer than the busy_timeout"
        pool.submit(write).result()
    assert store.thread_ids() == ["a"]
