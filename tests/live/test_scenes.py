"""Every scene, replayed offline from its cassette: by the blocking client and by the async one, with no key."""

import asyncio
from pathlib import Path

import pytest

from tests.live.cassette_rules import header
from tests.live.scenes import ANTHROPIC_MESSAGES, OPENAI_CHAT, SCENES, Scene, play, play_async, values
from tests.live.targets import cassette_path, cassette_target
from triptych import LlmResponse

RECORDED = [
    pytest.param(name, scene, id=f"{name}-{scene.name}")
    for scene in SCENES
    for name in scene.formats
    if cassette_path(name, scene).exists() or not scene.engine_only  # absent only where a provider was recorded
]

# Two scenes are not the same to the model on both formats: the engine minds a JSON schema on one of them only, and
# shows the model several instructions as several system turns on the one and as a single turn on the other.
ON_BOTH_FORMATS = [
    scene for scene in SCENES if len(scene.formats) == 2 and scene.name not in ("json_schema", "system_text")
]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away every key that the environment may hold: an offline call needs none."""
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LLAMA_API_KEY"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(("name", "scene"), RECORDED)
def test_scene_holds_offline(name: str, scene: Scene) -> None:
    responses = play(scene, cassette_target(name, scene).player(cassette_path(name, scene)))

    scene.check(responses)


@pytest.mark.parametrize(("name", "scene"), RECORDED)
def test_async_client_gives_the_same_answers(name: str, scene: Scene) -> None:
    tape, target = cassette_path(name, scene), cassette_target(name, scene)

    responses = asyncio.run(play_async(scene, target.async_player(tape)))

    assert values(responses) == values(play(scene, target.player(tape)))


@pytest.mark.parametrize("scene", ON_BOTH_FORMATS, ids=lambda scene: scene.name)
def test_one_model_gives_one_answer_on_both_formats(scene: Scene) -> None:
    if _source(OPENAI_CHAT, scene) != _source(ANTHROPIC_MESSAGES, scene):
        pytest.skip("the two formats were recorded from two servers")

    openai, anthropic = (
        play(scene, cassette_target(name, scene).player(cassette_path(name, scene)))
        for name in (OPENAI_CHAT, ANTHROPIC_MESSAGES)
    )

    assert [_meaning(response) for response in openai] == [_meaning(response) for response in anthropic]


@pytest.mark.parametrize(("name", "scene"), RECORDED)
def test_cassette_names_the_client_that_recorded_it(name: str, scene: Scene) -> None:
    assert header(_text(cassette_path(name, scene)))["recorded by"].startswith("triptych ")


def _source(name: str, scene: Scene) -> tuple[str, str]:
    named = header(_text(cassette_path(name, scene)))
    return named["server"], named["model"]


def _meaning(response: LlmResponse) -> tuple[object, ...]:
    """Return what does not depend on the wire format, as ids, raw answers and the counting of a cache do."""
    error, usage = response.error, response.usage
    return (
        response.content,
        response.finish_reason,
        response.model,
        usage and (usage.input_tokens, usage.output_tokens),
        error and (error.kind, error.status, error.message, error.retryable),
    )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
