"""Which server a scene is played to, and that its key is not shown."""

import json
from pathlib import Path

import pytest

from tests.live.engine import Engine, ModelFile
from tests.live.environments import ROOT
from tests.live.gateway import Gateway
from tests.live.mocks import Mock
from tests.live.scene import (
    ALL_FORMATS,
    ANTHROPIC_MESSAGES,
    BEDROCK_CONVERSE,
    COHERE_CHAT,
    GEMINI_GENERATE,
    MISTRAL_CHAT,
    OLLAMA_CHAT,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    Scene,
)
from tests.live.scenes import SCENES
from tests.live.servers import aimock_targets, engine_targets, gateway_target, llmock_targets, real_targets
from tests.live.targets import Target, cassette_path, cassette_target, require_network

ENGINE = Engine("http://localhost:1", "planted", ModelFile(Path("m.gguf"), "m", "0"), 1)
MOCK = Mock("http://localhost:2", "mock 1", "scripted", "planted", lambda scene: None)
LOCAL = [
    *engine_targets(ENGINE),
    gateway_target(Gateway("http://localhost:3", "planted", ENGINE)),
    *llmock_targets(MOCK),
    *aimock_targets(MOCK),
]


def test_no_key_means_no_real_provider() -> None:
    assert real_targets({"OPENAI_API_KEY": "", "PATH": "/bin"}) == []


def test_each_key_in_the_environment_gives_the_formats_of_its_provider() -> None:
    environ = {"OPENAI_API_KEY": "planted-1", "MISTRAL_API_KEY": "planted-2", "TRIPTYCH_RECORD_OPENAI": "gpt-4o"}
    small = "mistral-small-latest"

    assert real_targets(environ) == [
        Target(OPENAI_CHAT, "openai/gpt-4o", None, "planted-1", "openai API", "gpt-4o", real=True),
        Target(
            OPENAI_RESPONSES, "openai-responses/gpt-4o", None, "planted-1", "openai-responses API", "gpt-4o", real=True
        ),
        Target(MISTRAL_CHAT, f"mistral/{small}", None, "planted-2", "mistral API", small, real=True),
    ]


def test_every_wire_format_has_a_provider_with_a_key() -> None:
    keys = ("OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL", "CO", "OLLAMA")
    environ = {f"{name}_API_KEY": "planted" for name in keys} | {"AWS_BEARER_TOKEN_BEDROCK": "planted"}

    assert tuple(target.format for target in real_targets(environ)) == ALL_FORMATS


def test_keys_are_not_in_a_repr() -> None:
    assert "planted" not in repr((ENGINE, MOCK, Gateway("http://localhost:3", "planted", ENGINE), LOCAL))


def test_each_local_server_is_called_where_it_speaks_a_format() -> None:
    assert [(target.format, target.client, target.base_url) for target in LOCAL] == [
        (OPENAI_CHAT, "llamacpp/m", "http://localhost:1/v1"),
        (OPENAI_RESPONSES, "openai-responses/m", "http://localhost:1/v1"),
        (ANTHROPIC_MESSAGES, "anthropic/m", "http://localhost:1"),
        (GEMINI_GENERATE, "gemini/m", "http://localhost:3/v1beta"),
        (OPENAI_CHAT, "openai/gpt-4.1-mini", "http://localhost:2/v1"),
        (OPENAI_RESPONSES, "openai-responses/gpt-4.1-mini", "http://localhost:2/v1"),
        (ANTHROPIC_MESSAGES, "anthropic/claude-haiku-4-5", "http://localhost:2/anthropic"),
        (GEMINI_GENERATE, "gemini/gemini-2.5-flash-lite", "http://localhost:2/gemini/v1beta"),
        (MISTRAL_CHAT, "mistral/mistral-small-latest", "http://localhost:2/mistral/v1"),
        (COHERE_CHAT, "cohere/command-a-03-2025", "http://localhost:2/cohere"),
        (BEDROCK_CONVERSE, "bedrock/amazon.nova-lite-v1:0", "http://localhost:2"),
        (OLLAMA_CHAT, "ollama/gpt-oss:20b", "http://localhost:2"),
    ]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_one_local_server_a_format_plays_a_scene(scene: Scene) -> None:
    assert sorted(target.format for target in LOCAL if target.plays(scene)) == sorted(scene.formats)


def test_the_script_of_a_server_has_the_scenes_that_it_plays_and_no_others() -> None:
    script = json.loads((ROOT / "tests" / "live" / "scripts" / "llmock.json").read_text(encoding="utf-8"))

    played = {scene.name for target in llmock_targets(MOCK) for scene in SCENES if target.plays(scene)}
    assert set(script) == played


def test_a_scene_that_leans_on_the_engine_is_not_played_to_a_provider() -> None:
    (scene,) = (scene for scene in SCENES if scene.engine_only)

    assert [target.plays(scene) for target in real_targets({"OPENAI_API_KEY": "planted"})] == [False, False]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", ALL_FORMATS)
def test_cassette_tells_its_target_and_no_key(name: str, streamed: bool) -> None:
    target = cassette_target(name, cassette_path(name, SCENES[0], streamed=streamed))

    assert target.api_key is None
    assert target.base_url is not None
    assert target.client.partition("/")[2] != ""


def test_live_run_refuses_an_environment_that_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIPTYCH_CASSETTES", "cassettes")

    with pytest.raises(SystemExit, match="TRIPTYCH_CASSETTES is set"):
        require_network()
