"""What each record mode plays, records and refuses."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
import requests

from tests.replay.loopback import Answer, Loopback, open_response, prepared, send
from triptych.replay import CassetteError, ReplayMiss, Tape


def record(path: Path, url: str, *bodies: object) -> None:
    """Record one exchange for each body."""
    tape = Tape(path, "all")
    for body in bodies:
        send(tape, url, body)
    tape.close()


def test_once_records_a_missing_file_and_afterwards_only_plays_it(server: Loopback, path: Path) -> None:
    recording = Tape(path, "once")
    assert recording.offline is False
    assert send(recording, server.url, {"n": 1}).json() == {"n": 1}
    recording.close()

    playing = Tape(path, "once")
    assert playing.offline is True
    assert send(playing, server.url, {"n": 1}).json() == {"n": 1}
    with pytest.raises(ReplayMiss):
        send(playing, server.url, {"n": 2})
    assert [seen.body for seen in server.seen] == [b'{"n": 1}']


def test_none_plays_and_never_reaches_the_network(server: Loopback, path: Path) -> None:
    record(path, server.url, {"n": 1})
    tape = Tape(path)
    assert tape.offline is True
    assert send(tape, server.url, {"n": 1}).json() == {"n": 1}
    assert len(server.seen) == 1


def test_none_refuses_a_missing_file(path: Path) -> None:
    with pytest.raises(CassetteError) as caught:
        Tape(path)
    assert str(caught.value) == f'cassette {path}: there is no such file; record it with record="once"'


def test_new_plays_what_is_there_and_records_what_is_not(server: Loopback, path: Path) -> None:
    record(path, server.url, {"n": 1})
    tape = Tape(path, "new")
    assert tape.offline is False
    assert send(tape, server.url, {"n": 2}).json() == {"n": 2}
    assert send(tape, server.url, {"n": 1}).json() == {"n": 1}
    tape.close()
    assert [seen.body for seen in server.seen] == [b'{"n": 1}', b'{"n": 2}']
    assert [exchange.request_body for exchange in Tape(path).unused] == [b'{"n": 1}', b'{"n": 2}']


def test_new_does_not_play_what_it_recorded_itself(server: Loopback, path: Path) -> None:
    numbers = count(1)
    server.answer = lambda seen: Answer(b'{"answer": %d}' % next(numbers))
    tape = Tape(path, "new")
    assert [send(tape, server.url, "{}").json()["answer"] for _ in range(2)] == [1, 2]
    tape.close()
    again = Tape(path)
    assert [send(again, server.url, "{}").json()["answer"] for _ in range(2)] == [1, 2]


def test_all_records_afresh_and_drops_what_was_there(server: Loopback, path: Path) -> None:
    record(path, server.url, {"n": 1}, {"n": 2})
    record(path, server.url, {"n": 2})
    assert [exchange.request_body for exchange in Tape(path).unused] == [b'{"n": 2}']
    assert len(server.seen) == 3


def test_all_leaves_the_file_alone_when_nothing_was_sent(server: Loopback, path: Path) -> None:
    record(path, server.url, {"n": 1})
    before = path.read_bytes()
    Tape(path, "all").close()
    assert path.read_bytes() == before


def test_a_mode_that_does_not_exist_is_refused_with_those_that_do(path: Path) -> None:
    with pytest.raises(ValueError, match=r"^record: 'always' is not a mode; the modes are none, once, new, all$"):
        Tape(path, "always")  # type: ignore[arg-type]  # the mistake under test


def test_equal_requests_get_their_answers_in_recorded_order_and_each_once(server: Loopback, path: Path) -> None:
    """B200."""
    answers = iter(
        [
            Answer(b'{"error": "slow down"}', 429, (("Content-Type", "application/json"), ("Retry-After", "0"))),
            Answer(b'{"ok": true}'),
        ]
    )
    server.answer = lambda seen: next(answers)
    record(path, server.url, {"n": 1}, {"n": 1})

    tape = Tape(path)
    first, second = send(tape, server.url, {"n": 1}), send(tape, server.url, {"n": 1})
    assert (first.status_code, first.headers["retry-after"], first.json()) == (429, "0", {"error": "slow down"})
    assert (second.status_code, second.json()) == (200, {"ok": True})
    with pytest.raises(ReplayMiss) as caught:
        send(tape, server.url, {"n": 1})
    assert caught.value.played is True


def test_played_unused_and_recorded_tell_what_happened(server: Loopback, path: Path) -> None:
    """B200."""
    record(path, server.url, {"n": 1}, {"n": 2})
    tape = Tape(path, "new")
    send(tape, server.url, {"n": 2})
    send(tape, server.url, {"n": 3})
    assert [exchange.request_body for exchange in tape.played] == [b'{"n": 2}']
    assert [exchange.request_body for exchange in tape.unused] == [b'{"n": 1}']
    assert [exchange.request_body for exchange in tape.recorded] == [b'{"n": 3}']


def test_a_failed_connection_records_nothing(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once")

    def refuse() -> None:
        raise ConnectionRefusedError

    with pytest.raises(ConnectionRefusedError):
        tape.send(prepared(server.url, {}), refuse, ())  # type: ignore[arg-type]  # never returns
    tape.close()
    assert not path.exists()


def test_a_tape_that_nobody_closed_is_saved_when_the_interpreter_ends(server: Loopback, path: Path) -> None:
    script = (
        "import sys\n"
        "from triptych.replay import Tape\n"
        "from tests.replay.loopback import send\n"
        "tape = Tape(sys.argv[1], 'once')\n"
        "for n in range(20): send(tape, sys.argv[2], {'n': n})\n"
        "raise SystemExit(3)\n"
    )
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script, str(path), server.url], cwd=root, env=environment, timeout=60, check=False
    )
    assert done.returncode == 3
    assert [exchange.request_body for exchange in Tape(path).unused] == [b'{"n": %d}' % n for n in range(20)]


def test_while_recording_the_file_lacks_at_most_an_eighth(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once")
    for n in range(40):
        send(tape, server.url, {"n": n})
        assert len(Tape(path).unused) * 8 >= (n + 1) * 7
    tape.close()


def test_a_file_that_cannot_be_written_is_reported_at_close(server: Loopback, path: Path) -> None:
    path.parent.mkdir()
    tape = Tape(path, "once")
    path.mkdir()
    assert send(tape, server.url, {"n": 1}).json() == {"n": 1}
    with pytest.raises(CassetteError, match=f"^cassette {path}: it cannot be written: Is a directory$"):
        tape.close()
    assert list(path.parent.iterdir()) == [path]


def test_requests_keep_their_order_when_answers_overtake_each_other(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once")
    first = open_response(tape, prepared(server.url, {"n": 1}))
    second = open_response(tape, prepared(server.url, {"n": 2}))
    assert (second.json(), first.json()) == ({"n": 2}, {"n": 1})
    tape.close()
    assert [exchange.request_body for exchange in Tape(path).unused] == [b'{"n": 1}', b'{"n": 2}']


def test_a_request_body_that_can_be_read_only_once_is_refused(server: Loopback, path: Path) -> None:
    request = requests.Request("POST", server.url, data=iter([b"a"])).prepare()
    with pytest.raises(TypeError, match=r"^a cassette can hold a request body of bytes or str, not list_iterator$"):
        open_response(Tape(path, "once"), request)


def test_a_tape_that_only_plays_is_pickled_and_the_copy_plays_from_the_start(server: Loopback, path: Path) -> None:
    record(path, server.url, {"n": 1})
    tape = Tape(path, "once")
    send(tape, server.url, {"n": 1})
    copy = pickle.loads(pickle.dumps(tape))
    assert (type(copy), copy.path, copy.offline) == (Tape, path, True)
    assert send(copy, server.url, {"n": 1}).json() == {"n": 1}


def test_a_tape_that_records_is_not_pickled(path: Path) -> None:
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(Tape(path, "once"))
