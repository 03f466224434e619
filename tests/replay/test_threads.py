"""Many threads on one cassette."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.replay.loopback import Answer, Loopback, Seen, send
from triptych.replay import ReplayMiss, Tape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

THREADS = 16


def at_once(tasks: Iterable[Callable[[], object]]) -> list[object]:
    """Run the tasks in threads that all start at the same moment."""
    listed = list(tasks)
    barrier = threading.Barrier(len(listed))

    def run(task: Callable[[], object]) -> object:
        barrier.wait(10)
        return task()

    with ThreadPoolExecutor(len(listed)) as pool:
        return list(pool.map(run, listed))


def test_sixteen_threads_record_and_sixteen_replay_every_exchange(server: Loopback, path: Path) -> None:
    together = threading.Barrier(THREADS)

    def answer(seen: Seen) -> Answer:
        # No answer goes out before all requests are in: the recorder holds no lock while one is under way.
        together.wait(10)
        return Answer(seen.body)

    server.answer = answer

    def ask(tape: Tape, n: int) -> object:
        return send(tape, server.url, {"n": n}).json()

    expected = [{"n": n} for n in range(THREADS)]
    tape = Tape(path, "once")
    assert at_once(partial(ask, tape, n) for n in range(THREADS)) == expected
    tape.close()

    playing = Tape(path)
    assert at_once(partial(ask, playing, n) for n in range(THREADS)) == expected
    assert (len(playing.played), playing.unused) == (THREADS, ())
    assert len(server.seen) == THREADS


def test_threads_with_equal_requests_share_the_recorded_answers_among_them(server: Loopback, path: Path) -> None:
    numbers = iter(range(THREADS))
    server.answer = lambda seen: Answer(b'{"answer": %d}' % next(numbers))
    recording = Tape(path, "once")
    for _ in range(THREADS):
        send(recording, server.url, "{}")
    recording.close()

    tape = Tape(path)
    answers = at_once(lambda: send(tape, server.url, "{}").json()["answer"] for _ in range(THREADS))
    assert sorted(answers, key=str) == sorted(range(THREADS), key=str)
    with pytest.raises(ReplayMiss):
        send(tape, server.url, "{}")


def test_a_tape_closed_while_others_record_loses_nothing(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once")

    def record(n: int) -> None:
        for turn in range(5):
            send(tape, server.url, {"thread": n, "turn": turn})
            tape.close()

    at_once(partial(record, n) for n in range(8))
    tape.close()
    bodies = {exchange.request_body for exchange in Tape(path).unused}
    assert bodies == {b'{"thread": %d, "turn": %d}' % (n, turn) for n in range(8) for turn in range(5)}
