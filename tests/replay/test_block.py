"""A cassette for all clients of a block or of a function."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.replay.loopback import Answer, Loopback, send
from triptych.recorder import current_recorder
from triptych.replay import CassetteError, ReplayMiss, Tape, cassette

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def ask(url: str, body: object = "{}") -> str:
    """Send a request as a client without a cassette of its own does, and return the text of the answer."""
    recorder = current_recorder()
    assert recorder is not None
    return send(recorder, url, body).text


def recorded(path: Path, server: Loopback, *answers: str) -> Path:
    """Record equal requests with these answers."""
    left = iter(answers)
    server.answer = lambda seen: Answer(next(left).encode())
    with cassette(path, "all"):
        for _ in answers:
            ask(server.url)
    return path


def test_a_block_records_and_a_later_one_plays(server: Loopback, path: Path) -> None:
    with cassette(path, "once", header={"server": "scripted"}) as tape:
        assert ask(server.url, '"hello"') == '"hello"'
    assert [exchange.response_body for exchange in tape.recorded] == [b'"hello"']
    assert path.read_text().startswith("# server: scripted\n")
    with cassette(path) as tape:
        assert ask(server.url, '"hello"') == '"hello"'
    assert (len(tape.played), tape.unused, len(server.seen)) == (1, (), 1)
    assert current_recorder() is None


def test_what_a_failing_block_recorded_is_kept(server: Loopback, path: Path) -> None:
    def fail() -> None:
        with cassette(path, "once"):
            ask(server.url, "1")
            raise LookupError("of the caller")

    with pytest.raises(LookupError, match="of the caller"):
        fail()
    assert current_recorder() is None
    assert [exchange.request_body for exchange in Tape(path).unused] == [b"1"]


def test_a_cassette_that_cannot_be_read_stops_the_block_before_it_begins(path: Path) -> None:
    with pytest.raises(CassetteError), cassette(path):
        pytest.fail("the block must not run")
    assert current_recorder() is None


def test_of_nested_blocks_the_innermost_counts(server: Loopback, tmp_path: Path) -> None:
    outer = recorded(tmp_path / "outer.yaml", server, "outer 1", "outer 2")
    inner = recorded(tmp_path / "inner.yaml", server, "inner 1")
    with cassette(outer) as outer_tape:
        assert ask(server.url) == "outer 1"
        with cassette(inner):
            assert ask(server.url) == "inner 1"
            with pytest.raises(ReplayMiss):
                ask(server.url)
        assert ask(server.url) == "outer 2"
    assert outer_tape.unused == ()


def test_a_block_that_is_open_cannot_be_entered_again_but_can_be_used_again(server: Loopback, path: Path) -> None:
    block = cassette(recorded(path, server, "answer"))
    for _ in range(2):
        with block:
            assert ask(server.url) == "answer"
            with pytest.raises(RuntimeError, match="already open"):
                block.__enter__()
    with pytest.raises(RuntimeError, match="not open"):
        block.__exit__(None, None, None)


def test_a_decorated_function_plays_from_the_start_at_each_call(server: Loopback, path: Path) -> None:
    @cassette(recorded(path, server, "first", "second"))
    def conversation(url: str, turns: int) -> list[str]:
        """Talk."""
        return [ask(url) for _ in range(turns)]

    assert conversation(server.url, turns=2) == ["first", "second"]
    assert conversation(server.url, 1) == ["first"]
    assert (conversation.__name__, conversation.__doc__) == ("conversation", "Talk.")
    assert current_recorder() is None


def test_a_decorated_coroutine_holds_its_cassette_until_it_is_done(server: Loopback, path: Path) -> None:
    @cassette(recorded(path, server, "first", "second"))
    async def conversation() -> list[str]:
        answers = []
        for _ in range(2):
            await asyncio.sleep(0)
            answers.append(await asyncio.to_thread(ask, server.url))
        return answers

    async def several() -> list[list[str]]:
        return list(await asyncio.gather(conversation(), conversation(), conversation()))

    assert asyncio.run(several()) == [["first", "second"]] * 3


def test_a_decorated_generator_holds_its_cassette_while_it_is_iterated(server: Loopback, path: Path) -> None:
    @cassette(recorded(path, server, "first", "second"))
    def conversation() -> Iterator[str]:
        yield ask(server.url)
        yield ask(server.url)

    assert list(conversation()) == ["first", "second"]
    assert current_recorder() is None


def test_threads_that_the_block_did_not_start_use_it_too(server: Loopback, path: Path) -> None:
    recorded(path, server, "first", "second")
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(current_recorder).result() is None
        with cassette(path):
            assert [pool.submit(ask, server.url).result() for _ in range(2)] == ["first", "second"]
        assert pool.submit(current_recorder).result() is None


def test_two_threads_with_a_block_each_do_not_mix(server: Loopback, tmp_path: Path) -> None:
    paths = [recorded(tmp_path / f"{name}.yaml", server, *[name] * 20) for name in ("one", "two")]
    both_open = threading.Barrier(2)

    def play(path: Path) -> set[str]:
        with cassette(path):
            both_open.wait(10)
            answers = {ask(server.url) for _ in range(20)}
            both_open.wait(10)
        return answers

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(play, paths)) == [{"one"}, {"two"}]
