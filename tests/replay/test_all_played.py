"""What of a cassette was not asked for, and what was asked for and not read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.chat_hosts import OPENAI, ChatHost, all_formats
from tests.replay.loopback import Answer, Loopback, open_response, prepared, send
from tests.servers.script import Reply, in_turn, serve
from triptych import LlmRequest
from triptych.recorder import current_recorder
from triptych.replay import CassetteError, Library, Tape, cassette, directory

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def three(server: Loopback, path: Path) -> Path:
    """A cassette of three exchanges, the last one without an answer's body."""
    server.answer = lambda seen: Answer(b"" if seen.body == b"3" else seen.body * 20)
    tape = Tape(path, "all")
    for number in (1, 2, 3):
        send(tape, f"{server.url}/v1/{number}", str(number))
    tape.close()
    return path


def piece(text: str) -> bytes:
    """Make an event of a streamed answer."""
    chunk = {
        "id": "c",
        "object": "chat.completion.chunk",
        "model": "m",
        "choices": [{"index": 0, "delta": {"content": text}}],
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def asked(tape: Tape | Library, url: str, number: int, amount: int | None) -> None:
    """Ask for an exchange, and read so many bytes of the answer; all where it is None."""
    with open_response(tape, prepared(f"{url}/v1/{number}", str(number))) as response:
        response.raw.read(amount)


def test_what_was_played_and_not_read_to_its_end_is_unread(server: Loopback, three: Path) -> None:
    tape = Tape(three)
    asked(tape, server.url, 1, 19)
    asked(tape, server.url, 2, 20)
    assert [exchange.request_body for exchange in tape.unread] == [b"1"]
    assert [exchange.request_body for exchange in tape.unused] == [b"3"]


def test_an_answer_without_a_body_is_read_as_soon_as_it_is_played(server: Loopback, three: Path) -> None:
    tape = Tape(three)
    with open_response(tape, prepared(f"{server.url}/v1/3", "3")):
        assert tape.unread == ()


def test_an_answer_that_is_being_read_is_unread_until_its_end(server: Loopback, three: Path) -> None:
    tape = Tape(three)
    with open_response(tape, prepared(f"{server.url}/v1/1", "1")) as response:
        pieces = response.iter_content(10)
        next(pieces)
        before = tape.unread
        next(pieces)
        assert (len(before), len(tape.unread)) == (1, 0)


@pytest.mark.parametrize("opened", ["tape", "library"])
def test_all_played_names_the_request_lines_of_what_is_left(server: Loopback, three: Path, opened: str) -> None:
    """B200."""
    tape = Tape(three) if opened == "tape" else directory(three.parent)
    asked(tape, server.url, 2, None)
    asked(tape, server.url, 1, 7)
    with pytest.raises(CassetteError) as caught:
        tape.assert_all_played()
    place = "" if opened == "tape" else f" in {three}"
    assert str(caught.value) == (
        f"cassette {tape.path}: not all of it was played\n"
        f"  exchange 1 of 3{place} was not read to the end: POST {server.url}/v1/1\n"
        f"  exchange 3 of 3{place} was not asked for: POST {server.url}/v1/3"
    )


@pytest.mark.parametrize("opened", ["tape", "library"])
def test_all_played_is_content_when_everything_was(server: Loopback, three: Path, opened: str) -> None:
    tape = Tape(three) if opened == "tape" else directory(three.parent)
    for number in (3, 1, 2):
        asked(tape, server.url, number, None)
    assert (tape.unread, tape.unused) == ((), ())
    tape.assert_all_played()


def test_a_complete_block_fails_at_its_end_when_something_is_left(server: Loopback, three: Path) -> None:
    """B200."""

    @cassette(three, complete=True)
    def play(*numbers: int) -> str:
        tape = current_recorder()
        assert isinstance(tape, Tape)
        for number in numbers:
            asked(tape, server.url, number, None)
        return "done"

    assert play(1, 2, 3) == "done"
    with pytest.raises(CassetteError, match=r"exchange 2 of 3 was not asked for: POST .*/v1/2$"):
        play(1, 3)


def test_a_complete_block_that_fails_by_itself_tells_its_own_reason(three: Path) -> None:
    with pytest.raises(LookupError, match="of the caller"), cassette(three, complete=True):
        raise LookupError("of the caller")


def test_a_complete_block_that_records_asks_for_nothing(server: Loopback, path: Path) -> None:
    with cassette(path, "once", complete=True) as tape:
        send(tape, server.url, "1")
    with cassette(path, complete=True) as tape:
        send(tape, server.url, "1")


@all_formats
def test_a_refusal_and_the_answer_to_the_next_try_are_recorded_and_played_in_order(host: ChatHost, path: Path) -> None:
    """B200."""
    busy = Reply.of_json(host.error("slow down", "rate_limit_error"), 429, {"Retry-After": "0"})
    request = LlmRequest(contents="2 + 2?")
    with serve(in_turn(busy, host.reply("4"))) as server:
        with cassette(path, "once"), host.client(server, retries=1) as client:
            assert client.generate(request).text == "4"
        assert len(server.requests) == 2

        with cassette(path, complete=True), host.client(server, retries=1) as client:
            assert client.generate(request).text == "4"
        with cassette(path) as tape, host.client(server, retries=0) as client:
            error = client.generate(request).error
            assert error is not None
            assert (error.kind, error.status) == ("rate_limit", 429)
            assert [exchange.status for exchange in tape.unused] == [200]
            assert client.generate(request).text == "4"
        assert len(server.requests) == 2


def test_a_stream_that_nobody_reads_to_its_end_is_unread(path: Path) -> None:
    stream = Reply(
        200, {"Content-Type": "text/event-stream"}, b"".join([piece("2 + 2"), piece(" is 4"), b"data: [DONE]\n\n"])
    )
    with serve(stream) as server:
        with cassette(path, "once"), OPENAI.client(server) as client:
            assert client.stream(LlmRequest(contents="q")).response.text == "2 + 2 is 4"
        with OPENAI.client(server) as client:
            with cassette(path, complete=True):
                assert client.stream(LlmRequest(contents="q")).response.text == "2 + 2 is 4"
            with cassette(path) as tape:
                client.stream(LlmRequest(contents="q")).close()
    assert [exchange.status for exchange in tape.unread + tape.unused] == [200]
