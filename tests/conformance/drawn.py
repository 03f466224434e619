"""Conversations drawn for the matrix: the same of each source for all its targets."""

from __future__ import annotations

from functools import cache

from attrs import evolve
from hypothesis import HealthCheck, given, settings

from tests.formats import strategies
from triptych.content import Message
from triptych.formats import Call
from triptych.tools import ProviderTool

NUMBER = 200
# The same conversations in every run, however slow the machine is.
_REPEATABLE = settings(derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def conversations(source: str) -> tuple[Call, ...]:
    """Return `NUMBER` conversations, with private data of the source's provider among them.

    Each has words of a user: without any, every API refuses it.
    """
    drawn: list[Call] = []

    @settings(_REPEATABLE, max_examples=NUMBER)
    @given(strategies.calls_of(source, strategies.torn_conversations(source)))
    def draw(call: Call) -> None:
        drawn.append(call if _has_words(call) else _with_words(call))

    draw()
    assert len(drawn) >= NUMBER
    return tuple(drawn[:NUMBER])


def without_inventions(call: Call, target: str) -> Call:
    """Return a call without the tools that the strategies make up in the name of an API: it has none such."""
    tools = [tool for tool in call.request.tools if not (isinstance(tool, ProviderTool) and _is_of(tool, target))]
    return evolve(call, request=evolve(call.request, tools=tools))


def _is_of(tool: ProviderTool, target: str) -> bool:
    return tool.issuer is not None and tool.issuer.format == target


def _has_words(call: Call) -> bool:
    said = (item for item in call.request.contents if isinstance(item, Message) and item.role == "user")
    return any(message.text.strip() for message in said)


def _with_words(call: Call) -> Call:
    return evolve(call, request=evolve(call.request, contents=[*call.request.contents, Message("user", "hi")]))
