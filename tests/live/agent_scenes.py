"""What a model that calls tools is asked: the agent of examples/, and the loop of `run_tools`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from examples.agent import MODEL, QUESTION, RULES, get_weather, run
from triptych import LlmClient, LlmRequest, run_tools, tool
from triptych.content import ContentItem


@tool
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


def ask_the_agent(client: LlmClient) -> list[ContentItem]:
    """Return what the agent of examples/ says and does."""
    return run(client, QUESTION).contents


def loop(client: LlmClient) -> list[ContentItem]:
    """Return what `run_tools` says and does."""
    request = LlmRequest(instructions=RULES, contents="What is 17.5 plus 24?", tools=[get_weather, add])
    return run_tools(client, request, max_steps=4, timeout=10).items


# By the name of the cassette.
AGENT_SCENES: Mapping[str, Callable[[LlmClient], list[ContentItem]]] = {"weather": ask_the_agent, "run_tools": loop}

__all__ = ["AGENT_SCENES", "MODEL"]
