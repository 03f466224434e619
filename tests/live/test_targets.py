"""Which server a scene is played to, and that its key is not shown."""

from pathlib import Path

import pytest

from tests.live.engine import Engine, ModelFile
from tests.live.scenes import ANTHROPIC_MESSAGES, OPENAI_CHAT, SCENES
from tests.live.targets import Target, cassette_path, cassette_target, engine_targets, real_targets, require_network


def test_no_key_means_no_real_provider() -> None:
    assert real_targets({"OPENAI_API_KEY": "", "PATH": "/bin"}) == []


def test_each_key_in_the_environment_gives_its_provider() -> None:
    environ = {"OPENAI_API_KEY": "planted-1", "ANTHROPIC_API_KEY": "planted-2", "TRIPTYCH_RECORD_OPENAI": "gpt-4o"}

    assert real_targets(environ) == [
        Target(OPENAI_CHAT, "openai/gpt-4o", None, "planted-1", "openai API", "gpt-4o", real=True),
        Target(
            ANTHROPIC_MESSAGES,
            "anthropic/claude-haiku-4-5",
            None,
            "planted-2",
            "anthropic API",
            "claude-haiku-4-5",
            real=True,
        ),
    ]


def test_keys_are_not_in_a_repr() -> None:
    engine = Engine("http://localhost:1", "planted", ModelFile(Path("m.gguf"), "m", "0"), 1)

    assert "planted" not in repr(engine)
    assert "planted" not in repr(engine_targets(engine))


def test_engine_is_one_server_for_both_formats() -> None:
    engine = Engine("http://localhost:1", "planted", ModelFile(Path("m.gguf"), "m", "0"), 1)

    assert [(target.format, target.client, target.base_url) for target in engine_targets(engine)] == [
        (OPENAI_CHAT, "llamacpp/m", "http://localhost:1/v1"),
        (ANTHROPIC_MESSAGES, "anthropic/m", "http://localhost:1"),
    ]


@pytest.mark.parametrize("name", [OPENAI_CHAT, ANTHROPIC_MESSAGES])
def test_cassette_tells_its_target_and_no_key(name: str) -> None:
    target = cassette_target(name, cassette_path(name, SCENES[0]))

    assert target.api_key is None
    assert target.base_url is not None
    assert target.client.partition("/")[2] != ""


def test_live_run_refuses_an_environment_that_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIPTYCH_CASSETTES", "cassettes")

    with pytest.raises(SystemExit, match="TRIPTYCH_CASSETTES is set"):
        require_network()
