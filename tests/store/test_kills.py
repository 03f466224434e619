"""Tests of a sudden end: what a killed process had acknowledged is there, the file is sound, others go on with it."""

from pathlib import Path

import pytest

from tests.store.kills import killed_writers, lost
from triptych import Message
from triptych.store import Store


@pytest.mark.parametrize("lines", [0, 1, 40, 150, 400])
def test_writers_that_are_killed_lose_nothing_that_was_acknowledged(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "threads.sqlite"
    told: list[list[object]] = []
    for _ in range(2):  # the second eight find what the first left in the write-ahead log
        told += killed_writers(path, lines)
        assert lost(path, told) == []
        with Store(path) as store:
            assert store.check() == []
    with Store(path) as store:
        turn = store.append("shared", [Message("user", "Still here?")])
        assert store.items("shared", last=1) == [Message("user", "Still here?")]
        assert turn == store.turn_count("shared") - 1
