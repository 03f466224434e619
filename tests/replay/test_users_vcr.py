"""A user's own `vcr.use_cassette` around a client: vcrpy's patching of the whole process, not our cassettes."""

import gzip
from pathlib import Path

import vcr  # type: ignore[import-untyped]  # vcrpy has no types

from tests.chat_hosts import KEY, OPENAI, ChatHost, both_formats
from tests.servers.script import Reply, serve
from triptych import LlmRequest

MATCH_ON = ["method", "uri", "body"]


@both_formats
def test_a_call_is_recorded_and_played_and_another_is_refused(host: ChatHost, tmp_path: Path) -> None:
    path = str(tmp_path / "own.yaml")
    with serve(host.reply("4")) as server:
        with vcr.use_cassette(path, match_on=MATCH_ON), host.client(server) as client:
            assert client.generate(LlmRequest(contents="2 + 2?")).text == "4"
        with vcr.use_cassette(path, record_mode="none", match_on=MATCH_ON) as cassette, host.client(server) as client:
            assert client.generate(LlmRequest(contents="2 + 2?")).text == "4"
            other = client.generate(LlmRequest(contents="3 + 3?"))
            assert cassette.play_count == 1
        assert len(server.requests) == 1
    assert other.error is not None
    assert other.text == ""


def test_a_compressed_answer_is_played(tmp_path: Path) -> None:
    plain = OPENAI.reply("4")
    assert isinstance(plain.body, bytes)
    packed = Reply(200, {"content-type": "application/json", "content-encoding": "gzip"}, gzip.compress(plain.body))
    path = str(tmp_path / "own.yaml")
    with serve(packed) as server:
        for mode in ("once", "none"):
            with vcr.use_cassette(path, record_mode=mode), OPENAI.client(server) as client:
                assert client.generate(LlmRequest(contents="q")).text == "4"
        assert len(server.requests) == 1


def test_its_filters_keep_the_key_out(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    recording = vcr.use_cassette(str(path), filter_headers=["authorization"])
    with serve(OPENAI.reply("4")) as server, recording, OPENAI.client(server) as client:
        assert client.generate(LlmRequest(contents="q")).error is None
    assert KEY not in path.read_text(encoding="utf-8")
