"""Every scene, whole and streamed, replayed offline from its cassette by both clients, with no key."""

import asyncio
from itertools import product
from pathlib import Path

import pytest
from attrs import frozen

from tests.live.cassette_rules import header
from tests.live.scenes import ANTHROPIC_MESSAGES, OPENAI_CHAT, SCENES, Scene, play, play_async, values
from tests.live.targets import Target, cassette_path, cassette_target
from triptych import LlmResponse


@frozen
class Recording:
    """A scene as it was recorded once.

    Args:
        format: The wire format.
        scene: The scene.
        streamed: Whether its answers came as streams.
    """

    format: str
    scene: Scene
    streamed: bool = False

    @property
    def path(self) -> Path:
        """Its cassette."""
        return cassette_path(self.format, self.scene, streamed=self.streamed)

    def target(self) -> Target:
        """Return whom it was recorded from."""
        return cassette_target(self.format, self.path)

    def header(self) -> dict[str, str]:
        """Return what the first lines of the cassette say."""
        return header(self.path.read_text(encoding="utf-8"))

    def source(self) -> tuple[str, str]:
        """Return whom it was recorded from, in words: server and model."""
        named = self.header()
        return named["server"], named["model"]

    def play(self) -> list[LlmResponse]:
        """Return the recorded answers, asked for by the blocking client."""
        return play(self.scene, self.target().player(self.path, streamed=self.streamed))

    def play_async(self) -> list[LlmResponse]:
        """Return the recorded answers, asked for by the async client."""
        return asyncio.run(play_async(self.scene, self.target().async_player(self.path, streamed=self.streamed)))

    def __str__(self) -> str:
        return f"{self.format}-{self.scene.name}" + ("-streamed" if self.streamed else "")


RECORDED = [
    Recording(name, scene, streamed)
    for scene, streamed in product(SCENES, (False, True))
    for name in scene.formats
    # absent only where a provider was recorded
    if not scene.engine_only or cassette_path(name, scene, streamed=streamed).exists()
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


@pytest.mark.parametrize("recording", RECORDED, ids=str)
def test_scene_holds_offline(recording: Recording) -> None:
    recording.scene.check(recording.play())


@pytest.mark.parametrize("recording", RECORDED, ids=str)
def test_async_client_gives_the_same_answers(recording: Recording) -> None:
    assert values(recording.play_async()) == values(recording.play())


@pytest.mark.parametrize("recording", [each for each in RECORDED if each.streamed], ids=str)
def test_one_model_gives_one_answer_streamed_and_whole(recording: Recording) -> None:
    whole = Recording(recording.format, recording.scene)
    if recording.source() != whole.source() or recording.target().real:
        pytest.skip("only one local engine repeats itself")

    assert [_meaning(response) for response in recording.play()] == [_meaning(response) for response in whole.play()]


@pytest.mark.parametrize("scene", ON_BOTH_FORMATS, ids=lambda scene: scene.name)
def test_one_model_gives_one_answer_on_both_formats(scene: Scene) -> None:
    openai, anthropic = (Recording(name, scene) for name in (OPENAI_CHAT, ANTHROPIC_MESSAGES))
    if openai.source() != anthropic.source():
        pytest.skip("the two formats were recorded from two servers")

    assert [_meaning(response) for response in openai.play()] == [_meaning(response) for response in anthropic.play()]


@pytest.mark.parametrize("recording", RECORDED, ids=str)
def test_cassette_names_the_client_that_recorded_it(recording: Recording) -> None:
    assert recording.header()["recorded by"].startswith("triptych ")


def _meaning(response: LlmResponse) -> tuple[object, ...]:
    """Return what does not depend on how it was asked for, as ids, raw answers and the counting of a cache do."""
    error, usage = response.error, response.usage
    return (
        response.content,
        response.finish_reason,
        response.model,
        usage and (usage.input_tokens, usage.output_tokens),
        error and (error.kind, error.status, error.message, error.retryable),
    )
