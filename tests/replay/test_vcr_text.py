"""Plain vcrpy reads what we write, and we read what plain vcrpy writes."""

from __future__ import annotations

import gzip
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import requests
import vcr  # type: ignore[import-untyped]  # vcrpy has no types

from tests.replay.loopback import Answer, Loopback, prepared, send
from triptych.replay import Tape

if TYPE_CHECKING:
    from pathlib import Path


def test_plain_vcrpy_plays_what_we_recorded(server: Loopback, path: Path) -> None:
    bodies = [b'{"a": 1}', 'data: "é 😀"\n\ndata: [DONE]\n\n'.encode(), b"caf\xc3\xff"]
    server.answer = lambda seen: Answer(bodies[int(seen.body)])
    tape = Tape(path, "once", header={"server": "scripted"})
    for n in range(3):
        send(tape, f"{server.url}/v1", str(n))
    tape.close()
    with vcr.use_cassette(str(path), record_mode="none", match_on=["method", "uri", "body"]) as cassette:
        for n in (2, 1, 0):
            with requests.Session() as session:
                played = session.send(prepared(f"{server.url}/v1", str(n)))
            assert (played.status_code, played.content) == (200, bodies[n])
        assert cassette.all_played
    assert len(server.seen) == 3


@pytest.mark.parametrize("decoded", [False, True])
def test_we_play_what_plain_vcrpy_recorded(server: Loopback, path: Path, decoded: bool) -> None:
    answers = {
        b'{"n":1}': Answer(b'{"ok": true}'),
        b'{"n":2}': Answer(gzip.compress(b"data: 1\n\n"), headers=(("Content-Encoding", "gzip"),)),
        b'{"n":3}': Answer(pieces=(b"data: 1\n\n", b"data: 2\n\n")),
        b"\xff\x00": Answer(b"\x00\xff"),
    }
    server.answer = lambda seen: answers[seen.body]
    with vcr.use_cassette(str(path), decode_compressed_response=decoded), requests.Session() as session:
        for body in answers:
            session.post(f"{server.url}/v1?a=1", data=body, headers={"Authorization": "Bearer x"})
    tape = Tape(path)
    assert [send(tape, f"{server.url}/v1?a=1", body).content for body in (b"\xff\x00", b'{ "n": 3 }')] == [
        b"\x00\xff",
        b"data: 1\n\ndata: 2\n\n",
    ]
    assert [send(tape, f"{server.url}/v1?a=1", {"n": n}).content for n in (1, 2)] == [b'{"ok": true}', b"data: 1\n\n"]
    assert (len(tape.played), tape.unused) == (4, ())


def test_plain_vcrpy_adds_to_our_file_and_we_to_its(server: Loopback, path: Path) -> None:
    for n, mode in enumerate(["ours", "vcrpy", "ours"]):
        if mode == "ours":
            tape = Tape(path, "new")
            send(tape, server.url, {"n": n})
            tape.close()
        else:
            with vcr.use_cassette(str(path), record_mode="new_episodes", match_on=["method", "uri", "body"]):
                requests.post(server.url, json={"n": n})
    tape = Tape(path)
    assert [send(tape, server.url, {"n": n}).json() for n in range(3)] == [{"n": 0}, {"n": 1}, {"n": 2}]


HEAD = "interactions:\n- request:\n    method: post\n    uri: http://h/\n    headers: {Accept: [a/b]}\n"
TAIL = "    headers: {Content-Encoding: gzip}\n    status: {code: 200, message: null}\n"


@pytest.mark.parametrize(
    ("request_body", "expected"),
    [
        ("{model: m-1, n: [1, 2.5]}", b'{"model": "m-1", "n": [1, 2.5]}'),
        ("'text'", b"text"),
        ("!!binary AAE=", b"\x00\x01"),
        ("!!python/object/new:_io.BytesIO {state: !!python/tuple ['from a file', 0, null]}", b"from a file"),
        ("!!python/object/apply:builtins.iter {args: [['a', 'b']]}", b"ab"),
        ("null", b""),
    ],
)
def test_each_form_of_a_request_body_is_read(path: Path, request_body: str, expected: bytes) -> None:
    path.parent.mkdir()
    path.write_text(f"{HEAD}    body: {request_body}\n  response:\n    body: {{string: x}}\n{TAIL}")
    (exchange,) = Tape(path).unused
    assert (exchange.method, exchange.request_body) == ("POST", expected)


@pytest.mark.parametrize(
    ("response_body", "expected"),
    [
        ("{string: text}", b"text"),
        ("{encoding: UTF-8, string: text}", b"text"),
        ("{string: !!binary AAE=}", b"\x00\x01"),
        ("{string: null}", b""),
        ("null", b""),
        ("text", b"text"),
        # The header of a body that was compressed once, and is stored decoded.
        ("{string: '{\"readable\": true}'}", b'{"readable": true}'),
    ],
)
def test_each_form_of_a_response_body_is_played(path: Path, response_body: str, expected: bytes) -> None:
    path.parent.mkdir()
    path.write_text(f"{HEAD}  response:\n    body: {response_body}\n{TAIL}")
    response = send(Tape(path), "http://h/", b"")
    assert (response.content, dict(response.headers), response.reason) == (expected, {}, "")


def test_without_vcrpy_the_error_names_the_extra(path: Path) -> None:
    # Like an environment without vcrpy: nothing finds a module of that name.
    script = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'vcr': raise ModuleNotFoundError('No module named vcr', name='vcr')\n"
        "sys.meta_path.insert(0, Absent())\n"
        "from triptych.replay import ReplayMiss, Tape\n"
        "try: Tape(sys.argv[1], 'once')\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    run = [sys.executable, "-c", script, str(path)]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(run, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == (
        "cassettes are read and written with vcrpy, which is not installed: pip install triptych[replay]\n"
    )


def test_what_a_caller_only_names_loads_no_vcrpy() -> None:
    script = "import sys, triptych.replay as r; r.ReplayMiss, r.CassetteError; print('vcr' in sys.modules)"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "False\n"
