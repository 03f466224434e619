"""A real model that calls tools, as it was recorded: the agent of examples/, and the loop of `run_tools`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from examples import agent
from tests.live.agent_scenes import AGENT_SCENES, MODEL
from triptych import LlmClient, Message, ToolCall, ToolResult

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "cassettes" / "agent"


def test_the_example_prints_how_it_came_to_its_answer() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "examples/agent.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    lines = [line.partition(" ")[2] for line in ran.stdout.splitlines()]
    assert lines[:2] == ["user: What is the weather in Oslo?", 'agent: calls get_weather({"city":"Oslo"})']
    assert lines[2].startswith("tools: get_weather gives success after ")
    assert "4 degrees" in lines[3]


def test_the_example_is_short() -> None:
    assert len((ROOT / "examples" / "agent.py").read_text(encoding="utf-8").splitlines()) < 80


def test_the_agent_thinks_acts_and_observes() -> None:
    with LlmClient(MODEL, temperature=0, cassette=FOLDER / "weather.yaml") as client:
        context = agent.run(client, agent.QUESTION)
    call = context.contents[1]
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments) == ("get_weather", {"city": "Oslo"})
    assert context.contents[2] == ToolResult(
        call.tool_call_id,
        "get_weather",
        content=["4 degrees, rain"],
        payload="4 degrees, rain",
        runtime_ms=getattr(context.contents[2], "runtime_ms", None),
    )
    assert [event.author for event in context.events] == ["user", "agent", "tools", "agent"]
    assert (context.current_step, context.final_result) == (2, getattr(context.contents[3], "text", None))


@pytest.mark.parametrize("name", AGENT_SCENES)
def test_every_scene_plays_to_its_end_offline(name: str) -> None:
    with LlmClient(MODEL, temperature=0, cassette=FOLDER / f"{name}.yaml") as client:
        items = AGENT_SCENES[name](client)
    calls = [item for item in items if isinstance(item, ToolCall)]
    results = [item for item in items if isinstance(item, ToolResult)]
    assert [call.tool_call_id for call in calls] == [result.tool_call_id for result in results]
    assert {result.status for result in results} == {"success"}
    assert isinstance(items[-1], Message)
    assert items[-1].text


def test_a_question_that_was_not_recorded_ends_the_run_with_the_error() -> None:
    with LlmClient(MODEL, temperature=0, cassette=FOLDER / "weather.yaml") as client:
        context = agent.run(client, "Weather on the moon?")
    assert [type(item).__name__ for item in context.contents] == ["Message", "ErrorItem"]
    assert (context.current_step, context.final_result) == (1, None)
