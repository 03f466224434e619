"""Plain vcrpy reads what we write, and we read what plain vcrpy writes."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
import requests
import vcr  # type: ignore[import-untyped]  # vcrpy has no types

from tests.replay.loopback import Answer, Loopback, prepared, send
from triptych.replay import Tape


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


ROOT = Path(__file__).parents[2]
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
        ("{encoding: UTF-8, string: text}", b"text"),
        ("{encoding: ASCII-8BIT, base64_string: 'AA\\n  E='}".replace("\\n", "\n"), b"\x00\x01"),
        ("{string: s}", b'{"string": "s"}'),
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
        # As VCR of Ruby and betamax write what is no text.
        ("{encoding: ASCII-8BIT, base64_string: AAE=}", b"\x00\x01"),
        # The header of a body that was compressed once, and is stored decoded.
        ("{string: '{\"readable\": true}'}", b'{"readable": true}'),
    ],
)
def test_each_form_of_a_response_body_is_played(path: Path, response_body: str, expected: bytes) -> None:
    path.parent.mkdir()
    path.write_text(f"{HEAD}  response:\n    body: {response_body}\n{TAIL}")
    response = send(Tape(path), "http://h/", b"")
    assert (response.content, dict(response.headers), response.reason) == (expected, {}, "")


@pytest.mark.parametrize(
    ("content", "expected"),
    [("'{\"gzipped\": true}'", b'{"gzipped": true}'), ("!!binary AAE=", b"\x00\x01"), ("null", b"")],
)
def test_the_layout_that_vcrpy_had_for_httpx_is_played(path: Path, content: str, expected: bytes) -> None:
    path.parent.mkdir()
    path.write_text(
        f"{HEAD}    body: ''\n  response:\n    content: {content}\n"
        "    headers: {Content-Encoding: [gzip], A: [b, c]}\n"
        "    http_version: HTTP/1.1\n    status_code: 201\n"
    )
    response = send(Tape(path), "http://h/", b"")
    assert (response.status_code, response.content, dict(response.headers)) == (201, expected, {"A": "b, c"})


def test_a_request_header_that_is_there_twice_is_read_twice(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(HEAD.replace("[a/b]", "[a/b, c/d], n: [1, true, 2.5, null]") + f"  response:\n    body: x\n{TAIL}")
    (exchange,) = Tape(path).unused
    assert exchange.request_headers == (
        *(("Accept", "a/b"), ("Accept", "c/d")),
        *(("n", "1"), ("n", "true"), ("n", "2.5"), ("n", "")),
    )


def test_a_compressed_body_of_plain_vcrpy_is_decoded_and_scrubbed_when_we_add_to_its_file(
    server: Loopback, path: Path
) -> None:
    """B199, B203."""
    key = "sk-planted-0123456789abcdef"
    packed = gzip.compress(b'{"key": "%b"}' % key.encode())
    headers = (("Content-Type", "application/json"), ("Content-Encoding", "gzip"), ("X-Request-Id", "req-0123456789"))
    server.answer = lambda seen: Answer(packed, headers=headers)
    with vcr.use_cassette(str(path)):
        requests.post(server.url, json={"n": 1})
    assert "REDACTED" not in path.read_text()
    tape = Tape(path, "new")
    send(tape, server.url, {"n": 2}, (key,))
    tape.close()
    assert '{"key": "REDACTED"}' in path.read_text()
    assert "gzip" not in path.read_text()
    tape = Tape(path)
    assert [send(tape, server.url, {"n": n}).json() for n in (1, 2)] == [{"key": "REDACTED"}] * 2


@pytest.mark.parametrize(
    "use", ["Tape(sys.argv[1], 'once')", "directory('cassettes/agent').unused", "check('cassettes/agent')"]
)
@pytest.mark.parametrize("absent", ["vcr", "vcr yaml"])
def test_without_vcrpy_the_error_names_the_extra(path: Path, use: str, absent: str) -> None:
    # Like an environment without vcrpy, and without PyYAML, which comes with it: nothing finds modules of these names.
    script = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in sys.argv[2].split(): raise ModuleNotFoundError(f'No module named {name}', name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "from triptych.replay import ReplayMiss, Tape, check, directory\n"
        f"try: {use}\n"
        "except ModuleNotFoundError as error: print(error)\n"
        "else: print('no error')\n"
    )
    run = [sys.executable, "-c", script, str(path), absent]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(run, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    needs_vcrpy = "yaml" in absent or use.startswith("Tape")
    assert done.stdout == (
        "cassettes are read and written with vcrpy, which is not installed: pip install triptych[replay]\n"
        if needs_vcrpy
        else "no error\n"
    )


def test_what_a_caller_only_names_loads_no_vcrpy() -> None:
    script = "import sys, triptych.replay as r; r.ReplayMiss, r.CassetteError; print('vcr' in sys.modules)"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "False\n"
