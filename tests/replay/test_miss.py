"""What the report of a missing recording says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.replay.loopback import Loopback, send
from triptych.replay import ReplayMiss, Tape, directory

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-planted-0123456789abcdef"


def chat(question: str, **fields: object) -> dict[str, object]:
    """Build the body of a chat request."""
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]
    return {"model": "m-1", "messages": messages} | fields


def record(path: Path, url: str, *bodies: object) -> Tape:
    """Record the bodies and return the cassette, ready to play."""
    tape = Tape(path, "all")
    for body in bodies:
        send(tape, url, body)
    tape.close()
    return Tape(path)


def report(tape: Tape, url: str, body: object, secrets: tuple[str, ...] = ()) -> list[str]:
    """Ask for what is not recorded and return the lines of the report."""
    with pytest.raises(ReplayMiss) as caught:
        send(tape, url, body, secrets)
    return str(caught.value).splitlines()


def test_it_names_cassette_request_nearest_recording_and_the_field_that_differs(server: Loopback, path: Path) -> None:
    """B201."""
    url = f"{server.url}/v1/chat"
    tape = record(path, url, chat("Tell me about the moon.", temperature=1, stop=["x"]), chat("What is 2 + 2?"))
    assert report(tape, url, chat("What is 3 + 3?")) == [
        f"{path} holds no unplayed answer to POST {url}; nearest is exchange 2 of 2 (not played yet), which differs in",
        '  body.messages[1].content: recorded "What is 2 + 2?", now "What is 3 + 3?"',
    ]


def test_it_says_that_the_nearest_was_already_played(server: Loopback, path: Path) -> None:
    tape = record(path, server.url, chat("What is 2 + 2?"))
    send(tape, server.url, chat("What is 2 + 2?"))
    assert "nearest is exchange 1 of 1 (already played)" in report(tape, server.url, chat("What is 3 + 3?"))[0]


def test_it_says_that_the_same_request_was_recorded_but_is_used_up(server: Loopback, path: Path) -> None:
    tape = record(path, server.url, chat("a"), chat("b"), chat("a"))
    send(tape, server.url, chat("a"))
    send(tape, server.url, chat("a"))
    assert report(tape, server.url, chat("a")) == [
        f"{path} holds no unplayed answer to POST {server.url}/: it is recorded, but was already played "
        "(exchange 1 of 3, exchange 3 of 3)"
    ]


def test_missing_added_and_retyped_fields_are_told_apart(server: Loopback, path: Path) -> None:
    tape = record(path, server.url, {"gone": 1, "n": 1, "odd name": [1, 2]})
    assert report(tape, server.url, {"n": 1.0, "new": None, "odd name": [1]})[1:] == [
        "  body.gone: recorded 1, now nothing",
        "  body.n: recorded 1, now 1.0",
        '  body["odd name"][1]: recorded 2, now nothing',
        "  and more",
    ]


def test_another_path_and_query_are_named_as_parts_of_the_url(server: Loopback, path: Path) -> None:
    tape = record(path, f"{server.url}/v1/a?x=1", "{}")
    assert report(tape, f"{server.url}/v1/b?x=2", "{}")[1:] == [
        '  url.path: recorded "/v1/a", now "/v1/b"',
        '  url.query[0][1]: recorded "1", now "2"',
    ]


def test_a_long_text_is_shown_around_its_first_difference(server: Loopback, path: Path) -> None:
    tape = record(path, server.url, {"text": "word " * 10_000 + "end"})
    (line,) = report(tape, server.url, {"text": "word " * 10_000 + "END" * 1000})[1:]
    common = "…" + "word " * 6
    assert line == f'  body.text: recorded "{common}end", now "{common}{("END" * 1000)[: 120 - len(common)]}…"'


def test_bodies_that_are_not_json_are_shown_by_length_and_beginning(server: Loopback, path: Path) -> None:
    tape = record(path, server.url, b"a\x01")
    assert report(tape, server.url, b"b" * 40)[1:] == [
        f"  body: recorded 2 bytes b'a\\x01', now 40 bytes b'{'b' * 30}'…"
    ]


def test_an_empty_cassette_says_so(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("interactions: []\nversion: 1\n")
    assert report(Tape(path), "http://h/", "{}") == [
        f"{path} holds no unplayed answer to POST http://h/: it holds no exchange at all"
    ]


def test_of_a_directory_it_names_the_file_of_the_nearest(server: Loopback, path: Path) -> None:
    record(path, server.url, chat("What is 2 + 2?"))
    (line, *_) = report(directory(path.parent), server.url, chat("What is 3 + 3?"))  # type: ignore[arg-type]
    assert f"nearest is exchange 1 of 1 in {path} (not played yet)" in line


def test_it_shows_no_secret(server: Loopback, path: Path) -> None:
    tape = record(path, server.url, {"user": "someone"})
    lines = report(tape, f"{server.url}/?key={KEY}", {"user": KEY}, (KEY,))
    assert lines[0].startswith(f"{path} holds no unplayed answer to POST {server.url}/?key=REDACTED; nearest")
    assert lines[1:] == ['  body.user: recorded "someone", now "REDACTED"']
