"""Cassettes under real clients: recorded from a server, played without one."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tests.replay.loopback import Answer, Loopback, Seen
from triptych import LlmClient, LlmRequest
from triptych.replay import Tape, cassette

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

KEY = "sk-planted-0123456789abcdef"


def completion(seen: Seen) -> Answer:
    """Answer a chat request with the size of its body."""
    answer = b'{"id": "c1", "object": "chat.completion", "created": 1, "model": "m-1", "choices": [{"index": 0, '
    answer += b'"message": {"role": "assistant", "content": "%d bytes"}, "finish_reason": "stop"}]}' % len(seen.body)
    return Answer(answer)


def client(server: Loopback, **options: object) -> LlmClient:
    """Make a client of the test's server."""
    server.answer = completion
    return LlmClient("openai/m-1", base_url=f"{server.url}/v1", **options)  # type: ignore[arg-type]  # any option


def test_a_client_with_an_open_connection_is_taken_over_by_a_block(server: Loopback, path: Path) -> None:
    asked = client(server, api_key=KEY)
    with asked:
        unrecorded = asked.generate(LlmRequest(contents="one")).text
        with cassette(path, "once"):
            recorded = asked.generate(LlmRequest(contents="two")).text
        with cassette(path):
            assert asked.generate(LlmRequest(contents="two")).text == recorded
            error = asked.generate(LlmRequest(contents="one")).error
        assert asked.generate(LlmRequest(contents="one")).text == unrecorded
    assert error is not None
    assert error.kind == "replay_miss"
    assert 'recorded "two", now "one"' in error.message
    assert len(server.seen) == 3
    assert KEY not in path.read_text()


def test_a_client_with_a_cassette_of_its_own_needs_neither_key_nor_network(
    server: Loopback, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    tape = Tape(path, "once")
    with client(server, api_key=KEY, cassette=tape) as recording:
        answer = recording.generate(LlmRequest(contents="hi")).text
    tape.close()
    offline = client(server, cassette=path)
    assert offline.generate(LlmRequest(contents="hi")).text == answer
    assert pickle.loads(pickle.dumps(offline)).generate(LlmRequest(contents="hi")).text == answer
    assert len(server.seen) == 1


def test_the_environment_variable_sets_all_clients_offline(
    server: Loopback, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with client(server, api_key=KEY) as recording, cassette(path, "once"):
        answer = recording.generate(LlmRequest(contents="hi")).text
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("TRIPTYCH_CASSETTES", str(path.parent))
    assert [client(server).generate(LlmRequest(contents="hi")).text for _ in range(2)] == [answer] * 2
    assert len(server.seen) == 1


def test_sixteen_threads_share_a_client_while_recording_and_while_replaying(server: Loopback, path: Path) -> None:
    questions = ["x" * n for n in range(1, 17)]

    def ask(asked: LlmClient) -> list[str]:
        with ThreadPoolExecutor(16) as pool:
            return list(pool.map(lambda question: asked.generate(LlmRequest(contents=question)).text, questions))

    with client(server, api_key=KEY) as asked:
        with cassette(path, "once"):
            recorded = ask(asked)
        with cassette(path) as tape:
            assert ask(asked) == recorded
    assert len(set(recorded)) == 16
    assert (len(tape.played), tape.unused, len(server.seen)) == (16, (), 16)
