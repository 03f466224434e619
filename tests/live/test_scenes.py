"""Every scene, whole and streamed, replayed offline from its cassette by both clients, with no key."""

import asyncio
import json
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, frozen

from tests.live.agent_scenes import AGENT_SCENES
from tests.live.cassette_rules import header
from tests.live.scene import ALL_FORMATS, Scene, play, play_async, values
from tests.live.scenes import SCENES
from tests.live.targets import CASSETTES, Target, cassette_path, cassette_target
from triptych import ContentItem, LlmResponse, Message, ToolCall, formats
from triptych.formats import Built
from triptych.providers import resolve
from triptych.replay.cassette_file import read_recording


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

    def counts(self) -> bool:
        """Return whether the server counted tokens."""
        return self.target().counts(streamed=self.streamed)

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

AGENTS = CASSETTES / "agent"

# Two scenes are not the same to the engine's model on all formats: the engine minds a JSON schema on one of them only,
# and shows the model several instructions as several system turns on some and as a single turn on others.
NOT_THE_SAME_TO_THE_ENGINE = ("json_schema", "system_text")


def test_the_scenes_are_of_every_wire_format_and_no_cassette_is_of_none() -> None:
    assert sorted(ALL_FORMATS) == sorted(formats.names())
    agents = [AGENTS / f"{name}.yaml" for name in AGENT_SCENES]
    assert sorted(CASSETTES.rglob("*.yaml")) == sorted([*agents, *(recording.path for recording in RECORDED)])


@pytest.mark.parametrize("recording", RECORDED, ids=str)
def test_scene_holds_offline(recording: Recording) -> None:
    recording.scene.verify(recording.play(), counted=recording.counts())


@pytest.mark.parametrize("recording", RECORDED, ids=str)
def test_async_client_gives_the_same_answers(recording: Recording) -> None:
    assert values(recording.play_async()) == values(recording.play())


@pytest.mark.parametrize("recording", [each for each in RECORDED if each.streamed], ids=str)
def test_one_server_gives_one_answer_streamed_and_whole(recording: Recording) -> None:
    whole = Recording(recording.format, recording.scene)
    if recording.source() != whole.source() or recording.target().real:
        pytest.skip("only one server of this machine repeats itself")

    counted = recording.counts() and whole.counts()
    assert [_repeated(response, counted) for response in recording.play()] == [
        _repeated(response, counted) for response in whole.play()
    ]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_one_server_gives_one_answer_on_all_its_formats(scene: Scene) -> None:
    answers = defaultdict(list)
    for recording in (Recording(name, scene) for name in scene.formats):
        by_engine = recording.path.exists() and recording.source()[0].startswith("llama.cpp")
        if recording.path.exists() and not (by_engine and scene.name in NOT_THE_SAME_TO_THE_ENGINE):
            answers[recording.source()].append([_said(response, by_engine) for response in recording.play()])

    for first, *others in answers.values():
        assert others == [first] * len(others)


# The scene that is left out sends a field which is in no format.
@pytest.mark.parametrize("recording", [each for each in RECORDED if each.scene.name != "error_400"], ids=str)
def test_recorded_request_is_built_again_from_what_is_read_of_it(recording: Recording) -> None:
    host, model = resolve(recording.target().client)
    wire = formats.load(host.format, host.name, host.quirks_for(model))
    bodies = [json.loads(exchange.request_body) for exchange in read_recording(recording.path).exchanges]

    assert [wire.build_request(wire.read_request(body)) for body in bodies] == [Built(body) for body in bodies]


@pytest.mark.parametrize("recording", RECORDED, ids=str)
def test_cassette_names_the_client_that_recorded_it(recording: Recording) -> None:
    assert recording.header()["recorded by"].startswith("triptych ")


def _repeated(response: LlmResponse, counted: bool) -> tuple[object, ...]:
    """Return what a server says again when it is asked again: all but ids, raw answers and the counting of a cache."""
    return ([_without_ids(item) for item in response.content], *_said(response, counted))


def _without_ids(item: ContentItem) -> ContentItem:
    changes: dict[str, Any] = {"tool_call_id": ""} if isinstance(item, ToolCall) else {}
    if item.provider_data is not None:
        changes["provider_data"] = {name: value for name, value in item.provider_data.items() if name != "id"}
    return evolve(item, **changes)


def _said(response: LlmResponse, counted: bool) -> tuple[object, ...]:
    """Return what does not depend on how it was asked for; the number of tokens where it was counted alike."""
    error, usage = response.error, response.usage
    words = [
        (item.role, item.content) if isinstance(item, Message) else (item.name, item.arguments)
        for item in response.content
        if isinstance(item, Message | ToolCall)
    ]
    return (
        words,
        response.finish_reason,
        counted and usage and (usage.input_tokens, usage.output_tokens),
        error and (error.kind, error.status, error.retryable),
    )
