"""A directory of cassettes played as one."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.replay.loopback import Answer, Loopback, send
from triptych.replay import CassetteError, ReplayMiss, Tape, directory

if TYPE_CHECKING:
    from pathlib import Path


def record(path: Path, url: str, *bodies: object) -> None:
    """Record one exchange for each body."""
    tape = Tape(path, "all")
    for body in bodies:
        send(tape, url, body)
    tape.close()


def test_it_plays_from_every_file_below_and_never_reaches_the_network(server: Loopback, tmp_path: Path) -> None:
    record(tmp_path / "a.yaml", server.url, {"n": 1})
    record(tmp_path / "deep" / "er" / "b.yaml", server.url, {"n": 2}, {"n": 3})
    (tmp_path / "notes.txt").write_text("not a cassette")
    library = directory(tmp_path)
    assert library.offline is True
    assert [send(library, server.url, {"n": n}).json() for n in (3, 1)] == [{"n": 3}, {"n": 1}]
    assert [exchange.request_body for exchange in library.played] == [b'{"n": 1}', b'{"n": 3}']
    assert [exchange.request_body for exchange in library.unused] == [b'{"n": 2}']
    assert len(server.seen) == 3


def test_equal_requests_play_in_the_order_of_the_paths_and_each_once(server: Loopback, tmp_path: Path) -> None:
    answers = iter([b"0", b"1"])
    server.answer = lambda seen: Answer(next(answers))
    for name in ("a.yaml", "b.yaml"):
        record(tmp_path / name, server.url, "{}")
    library = directory(tmp_path)
    assert [send(library, server.url, "{}").text for _ in range(2)] == ["0", "1"]
    with pytest.raises(ReplayMiss, match=r"already played \(exchange 1 of 1 in .*a.yaml, exchange 1 of 1 in .*b.yaml"):
        send(library, server.url, "{}")
    assert send(directory(tmp_path), server.url, "{}").text == "0"


def test_a_file_that_was_recorded_anew_is_played_by_the_next_library(server: Loopback, tmp_path: Path) -> None:
    answers = iter([b"0", b"1", b"2"])
    server.answer = lambda seen: Answer(next(answers))
    for n in range(3):
        record(tmp_path / "a.yaml", server.url, "{}")
        assert send(directory(tmp_path), server.url, "{}").text == str(n)


def test_threads_may_share_it_from_the_first_request_on(server: Loopback, tmp_path: Path) -> None:
    record(tmp_path / "a.yaml", server.url, *({"n": n} for n in range(16)))
    library = directory(tmp_path)
    barrier = threading.Barrier(16)

    def play(n: int) -> object:
        barrier.wait(10)
        return send(library, server.url, {"n": n}).json()

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(play, range(16))) == [{"n": n} for n in range(16)]
    assert library.unused == ()


def test_a_directory_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CassetteError, match=f"^cassette {tmp_path}/none: there is no such directory$"):
        directory(tmp_path / "none")


def test_a_file_that_cannot_be_read_is_an_error_also_when_another_has_the_answer(
    server: Loopback, tmp_path: Path
) -> None:
    record(tmp_path / "a.yaml", server.url, "{}")
    (tmp_path / "b.yaml").write_text("interactions: ]\n")
    library = directory(tmp_path)
    with pytest.raises(CassetteError, match=r"b\.yaml, line 1: it is not valid YAML"):
        send(library, server.url, "{}")


def test_a_pickled_library_plays_from_the_start(server: Loopback, tmp_path: Path) -> None:
    record(tmp_path / "a.yaml", server.url, "{}")
    library = directory(tmp_path)
    send(library, server.url, "{}")
    assert send(pickle.loads(pickle.dumps(library)), server.url, "{}").status_code == 200
