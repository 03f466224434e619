"""Every choice of tools, with and without calls in the history, parallel or not, on every format.

`built` holds each body against the closed schema, and `make conformance` against the provider's own package.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.formats.bodies import HERE, built
from triptych import BaseTool, Message, ToolCall, ToolResult, formats

ADD = BaseTool("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
NOW = BaseTool("now", "Tells the time.")
QUESTION = Message("user", "q")
HISTORY = [
    QUESTION,
    ToolCall("call_1", "add", {"a": 1}),
    ToolCall("call_2", "now"),
    ToolResult("call_1", "add", content=["2"]),
    ToolResult("call_2", "now", "error", content=["no clock"]),
]
CHOICES = (None, "auto", "required", "none", "add")
GRID = list(product(CHOICES, (None, True, False), (False, True)))


@pytest.mark.parametrize("name", formats.names())
@pytest.mark.parametrize(("choice", "parallel", "called"), GRID)
def test_a_choice_is_said_or_told(name: str, choice: str | None, parallel: bool | None, called: bool) -> None:
    """B025, B026, B028, B029, B030."""
    settings: dict[str, Any] = {} if parallel is None else {"parallel_tool_calls": parallel}
    contents = HISTORY if called else [QUESTION]
    result = built(name, contents, tools=[ADD, NOW], tool_choice=choice, settings=settings)
    told = {notice.path for notice in result.notices}
    back = formats.load(name, HERE).read_request(result.body)
    if choice not in (None, "auto"):
        said = back.request.chosen_tool or back.request.tool_choice
        assert said == choice or "tool_choice" in told
    if parallel is False and choice != "none":
        assert back.settings.parallel_tool_calls is False or "settings.parallel_tool_calls" in told
    assert told <= {"tool_choice", "settings.parallel_tool_calls"}


@pytest.mark.parametrize("name", formats.names())
@pytest.mark.parametrize("parallel", [None, True, False])
def test_calls_in_the_history_need_no_tools_in_the_request(name: str, parallel: bool | None) -> None:
    settings: dict[str, Any] = {} if parallel is None else {"parallel_tool_calls": parallel}
    result = built(name, HISTORY, settings=settings)
    back = formats.load(name, HERE).read_request(result.body).request
    assert [item.name for item in back.contents if isinstance(item, ToolCall)] == ["add", "now"]
    assert back.tool_choice is None
    assert {notice.path for notice in result.notices} <= {"tools", "settings.parallel_tool_calls"}
