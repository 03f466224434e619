"""The file of a cassette: what is readable in it, and what happens when it is not."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.replay.loopback import Answer, Loopback, open_response, prepared, send
from triptych.replay import CassetteError, Exchange, Tape
from triptych.replay.layout import exchanges_from_text
from triptych.replay.vcr_text import exchange_text

if TYPE_CHECKING:
    from pathlib import Path

INTERACTION = """\
- request: {body: null, headers: {}, method: GET, uri: 'http://h/'}
  response: {body: {string: ''}, headers: {}, status: {code: 200, message: OK}}
"""


def write(path: Path, text: str | bytes) -> Path:
    """Write a cassette file."""
    path.parent.mkdir()
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", ", line 1: it is empty; delete it to record it again"),
        ("interactions:\n- request: [\n", ", line 2: it is not valid YAML: did not find expected node content"),
        ("interactions: !!python/object:os.system {}\n", ", line 1: it is not valid YAML: could not determine"),
        (b"interactions: \xff\n", ", line 1: it is not UTF-8 text (byte 14)"),
        ("- a\n", ", line 1: the file: expected a mapping, found list"),
        ("version: 1\n", ", line 1: interactions: expected a list, found nothing"),
        ("interactions: [3]\n", ", line 1: interactions[0]: expected a mapping, found int"),
        ("interactions:\n- response: {}\n", ", line 2: interactions[0].request: expected a mapping, found nothing"),
        (
            "interactions:\n" + INTERACTION.replace("code: 200", "code: fine"),
            ", line 3: interactions[0].response.status.code: expected a whole number, found str",
        ),
        (
            "interactions:\n" + INTERACTION + INTERACTION.replace("string: ''", "string: 5"),
            ", line 5: interactions[1].response.body.string: expected text or binary data, found int",
        ),
        (
            "interactions:\n" + INTERACTION.replace("body: null", "body: 5"),
            ", line 2: interactions[0].request.body: expected text, binary data or a mapping, found int",
        ),
        (
            "- request: {}\n",
            ", line 1: it has the layout from before vcrpy 1.0; convert it with python -m vcr.migration",
        ),
    ],
)
@pytest.mark.parametrize("mode", ["none", "once", "new"])
def test_a_file_that_cannot_be_read_is_an_error_with_place_and_reason(
    path: Path, text: str | bytes, reason: str, mode: str
) -> None:
    write(path, text)
    with pytest.raises(CassetteError, match=re.escape(f"cassette {path}{reason}")):
        Tape(path, mode)  # type: ignore[arg-type]  # a list of str to pytest


def test_a_directory_in_the_place_of_a_file_is_an_error(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(CassetteError, match=f"^cassette {path}: it cannot be read: Is a directory$"):
        Tape(path)


def test_mode_all_replaces_a_file_that_cannot_be_read(server: Loopback, path: Path) -> None:
    write(path, "interactions: [")
    tape = Tape(path, "all")
    send(tape, server.url, {"n": 1})
    tape.close()
    assert len(Tape(path).unused) == 1


def test_a_recording_reads_like_the_conversation_it_holds(server: Loopback, path: Path) -> None:
    server.answer = lambda seen: Answer(
        'data: {"text": "it\'s 4 – vier 😀"}\n\ndata: [DONE]\n\n'.encode(),
        headers=(("Content-Type", "text/event-stream"), ("X-Other", "1")),
    )
    tape = Tape(path, "once", header={"server": "scripted 1.0", "date": "2026-11-30", "recorded by": "a test"})
    url = f"{server.url}/v1/chat/{'long/' * 20}"
    send(tape, url, '{"model": "m-1", "messages": [{"role": "user", "content": "What\'s 2 + 2?"}]}')
    tape.close()
    assert (
        path.read_text()
        == f"""\
# server: scripted 1.0
# model: m-1
# date: 2026-11-30
# recorded by: a test
interactions:
- request:
    body: |-
      {{"model": "m-1", "messages": [{{"role": "user", "content": "What's 2 + 2?"}}]}}
    headers:
      content-type:
      - application/json
    method: POST
    uri: {server.url}/v1/chat/{"long/" * 20}
  response:
    body:
      string: |+
        data: {{"text": "it's 4 – vier 😀"}}

        data: [DONE]

    headers:
      content-type:
      - text/event-stream
    status:
      code: 200
      message: OK
version: 1
"""
    )


def test_the_header_is_filled_in_where_nothing_is_given(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once")
    send(tape, server.url, {"model": "m-1"})
    tape.close()
    server_line, model_line, date_line, tool_line, first = path.read_text().splitlines()[:5]
    assert server_line == f"# server: {server.url.removeprefix('http://')}"
    assert model_line == "# model: m-1"
    assert abs(datetime.date.fromisoformat(date_line.removeprefix("# date: ")) - datetime.date.today()).days <= 1
    assert re.fullmatch(r"# recorded by: triptych .+, vcrpy \d.*", tool_line)
    assert first == "interactions:"


def test_the_header_is_kept_when_a_cassette_is_added_to(server: Loopback, path: Path) -> None:
    first = Tape(path, "once", header={"server": "one", "model": "m-1", "date": "2026-01-01", "recorded by": "a test"})
    send(first, server.url, {"n": 1})
    first.close()
    second = Tape(path, "new", header={"server": "two", "note": "more\nlines"})
    send(second, server.url, {"n": 2})
    second.close()
    assert [line for line in path.read_text().splitlines() if line.startswith("#")] == [
        "# server: one",
        "# model: m-1",
        "# date: 2026-01-01",
        "# recorded by: a test",
        "# note: more lines",
    ]


def test_adding_an_exchange_leaves_the_lines_of_the_others_alone(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once")
    send(tape, server.url, {"n": 1, "text": "é" * 200})
    tape.close()
    before = path.read_text().removesuffix("version: 1\n")
    more = Tape(path, "new")
    send(more, server.url, {"n": 2})
    more.close()
    assert path.read_text().startswith(before)


def test_the_file_changes_in_one_step_and_no_draft_stays_behind(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once")
    send(tape, server.url, {"n": 1})
    tape.close()
    assert list(path.parent.iterdir()) == [path]


def test_a_file_edited_between_two_tapes_is_read_anew(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once")
    send(tape, server.url, {"n": 1})
    tape.close()
    assert len(Tape(path).unused) == 1
    path.write_text("interactions: []\n")
    assert Tape(path).unused == ()


@pytest.mark.parametrize(
    "body",
    [
        b"caf\xc3",
        bytes(range(256)),
        b"\x00\x00\x00\x10\x00\x00\x00\x00frame\xff\xfe",
        b"data: 1\r\n\r\ndata: 2\r\n\r\n",
        b"",
        b"null",
        b"123",
        b"yes",
        b"# not a comment",
        b"  leading\n trailing \n\n",
    ],
)
def test_bodies_come_back_byte_for_byte(server: Loopback, path: Path, body: bytes) -> None:
    """B205."""
    server.answer = lambda seen: Answer(body, headers=(("Content-Type", "application/octet-stream"),))
    tape = Tape(path, "once")
    assert open_response(tape, prepared(server.url, body)).content == body
    tape.close()
    played = Tape(path)
    assert [exchange.request_body for exchange in played.unused] == [body]
    assert open_response(played, prepared(server.url, body)).content == body


TEXT = st.text() | st.lists(st.sampled_from(["\n", "\r\n", " ", "\t", "#", "'", '"', "\\", ":", "-", "é", "😀"])).map(
    "".join
)


@settings(deadline=None)
@given(TEXT.map(str.encode) | st.binary(), TEXT.map(str.encode) | st.binary(), st.text(st.characters(codec="ascii")))
@example(b"a\xc2\x85b\nc", b"a\xe2\x80\xa8b\n", "OK")
@example(b"\xef\xbb\xbfa\nb", b" \n a\n", "")
def test_every_exchange_survives_the_text_form(request_body: bytes, response_body: bytes, reason: str) -> None:
    exchange = Exchange(
        method="POST",
        url="https://h/p?a=1",
        request_headers=(("accept", "a/b"),),
        request_body=request_body,
        status=418,
        reason=reason,
        response_headers=(("content-type", "text/plain"), ("retry-after", "1"), ("retry-after", "2")),
        response_body=response_body,
    )
    assert exchanges_from_text("interactions:\n" + exchange_text(exchange) * 2) == [exchange, exchange]
