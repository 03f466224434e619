"""Tests of LlmRequest: every form that a caller may write, and what a wrong one is told."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError

from triptych import (
    BaseTool,
    LlmRequest,
    Message,
    OutputSchema,
    ProviderTool,
    Reasoning,
    ToolCall,
    ToolResult,
)

SEARCH = BaseTool("search", "Finds pages.", {"type": "object", "properties": {"q": {"type": "string"}}})
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
ITEMS = (
    "Message or ToolCall or ToolResult or Reasoning or Refusal or ErrorItem or Deleted or CompressionFiller or "
    "ClientContext or Opaque"
)


def full() -> LlmRequest:
    """Return a request with every field set."""
    return LlmRequest(
        instructions=["Be kind.", "Be short."],
        contents=[
            Message("user", "2 + 2?"),
            Reasoning("easy"),
            ToolCall("c1", "search", {"q": "2 + 2"}),
            ToolResult("c1", "search", content=["4"]),
        ],
        tools=[SEARCH, ProviderTool({"type": "web_search"})],
        tool_choice="search",
        output_type=SCHEMA,
    )


def test_the_request_of_the_first_example() -> None:
    request = LlmRequest(
        instructions=["You are a helpful assistant."], contents=[Message(role="user", content="What is 2 + 2?")]
    )
    assert request.instructions == ["You are a helpful assistant."]
    assert request.contents == [Message("user", "What is 2 + 2?")]
    assert (request.tools, request.tool_choice, request.output_type) == ([], None, None)


def test_one_string_is_one_instruction_and_one_user_message() -> None:
    short = LlmRequest(instructions="one string", contents="hi", tools=[], tool_choice="auto")
    assert short == LlmRequest(["one string"], [Message("user", "hi")], [], "auto")


def test_nothing_is_needed() -> None:
    assert LlmRequest() == LlmRequest([], [], [], None, None)
    assert LlmRequest(instructions=None, tools=None) == LlmRequest()


def test_tuples_become_lists() -> None:
    request = LlmRequest(("a",), (Message("user", "hi"),), (SEARCH,))
    assert (request.instructions, request.contents, request.tools) == (["a"], [Message("user", "hi")], [SEARCH])


def test_the_caller_keeps_lists_of_its_own() -> None:
    """B056."""
    instructions, contents, tools = ["a"], [Message("user", "hi")], [SEARCH]
    request = LlmRequest(instructions, contents, tools)
    instructions.append("b")
    contents.append(Message("user", "more"))
    tools.clear()
    assert request == LlmRequest(["a"], [Message("user", "hi")], [SEARCH])


@pytest.mark.parametrize("request_", [LlmRequest(), full()], ids=["empty", "full"])
def test_a_copy_is_equal(request_: LlmRequest) -> None:
    for again in (copy.copy(request_), copy.deepcopy(request_), pickle.loads(pickle.dumps(request_)), evolve(request_)):
        assert again == request_
        assert repr(again) == repr(request_)


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        full().contents = []  # type: ignore[misc]  # the mistake is the point


@pytest.mark.parametrize(
    ("choice", "kept", "chosen"),
    [
        (None, None, None),
        ("auto", "auto", None),
        ("required", "required", None),
        ("any", "required", None),
        ("none", "none", None),
        ("search", "search", "search"),
        (SEARCH, SEARCH, "search"),
        ("web", "web", "web"),
    ],
)
def test_a_choice_is_a_rule_or_one_of_the_tools(choice: Any, kept: Any, chosen: str | None) -> None:
    request = LlmRequest(tools=[SEARCH, ProviderTool({"type": "w", "name": "web"})], tool_choice=choice)
    assert (request.tool_choice, request.chosen_tool) == (kept, chosen)


def test_a_schema_may_be_given_bare_or_named() -> None:
    assert full().output_type == OutputSchema(SCHEMA)
    named = OutputSchema(SCHEMA, "number", description="one number", strict=True)
    assert LlmRequest(output_type=named).output_type is named


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"instructions": 5}, "LlmRequest.instructions: expected a list of str, got 5 (int)"),
        ({"instructions": ["a", None]}, "LlmRequest.instructions[1]: expected str, got None (NoneType)"),
        ({"contents": None}, f"LlmRequest.contents: expected a list of {ITEMS}, got None (NoneType)"),
        (
            {"contents": Message("user", "hi")},
            f"LlmRequest.contents: expected a list of {ITEMS}, got Message(role='user', content='hi') (Message)",
        ),
        ({"contents": ["hi"]}, f"LlmRequest.contents[0]: expected {ITEMS}, got 'hi' (str)"),
        (
            {"contents": [Message("user", "hi"), {"role": "user"}]},
            f"LlmRequest.contents[1]: expected {ITEMS}, got {{'role': 'user'}} (dict)",
        ),
        ({"tools": SEARCH.name}, "LlmRequest.tools: expected a list of BaseTool or ProviderTool, got 'search' (str)"),
        (
            {"tools": [{"type": "function"}]},
            "LlmRequest.tools[0]: expected BaseTool or ProviderTool, got {'type': 'function'} (dict)",
        ),
        ({"tool_choice": 5}, "LlmRequest.tool_choice: expected a name, a tool or None, got 5 (int)"),
        (
            {"output_type": "number"},
            "LlmRequest.output_type: expected OutputSchema or dict or None, got 'number' (str)",
        ),
    ],
    ids=repr,
)
def test_a_field_of_a_wrong_type_is_named(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError) as caught:
        LlmRequest(**fields)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("tools", "choice", "words"),
    [
        (
            [SEARCH],
            "serach",
            "LlmRequest.tool_choice: expected one of 'auto', 'required', 'none', 'search', got 'serach' "
            "(did you mean 'search'?)",
        ),
        (
            [SEARCH],
            "reqired",
            "LlmRequest.tool_choice: expected one of 'auto', 'required', 'none', 'search', got 'reqired' "
            "(did you mean 'required'?)",
        ),
        ([], "zzz", "LlmRequest.tool_choice: expected one of 'auto', 'required', 'none', got 'zzz'"),
        ([], SEARCH, "LlmRequest.tool_choice: expected one of 'auto', 'required', 'none', got 'search'"),
        ([SEARCH], "", "LlmRequest.tool_choice: expected one of 'auto', 'required', 'none', 'search', got ''"),
    ],
)
def test_a_choice_that_is_no_tool_of_the_request_is_told_the_nearest(
    tools: list[BaseTool | ProviderTool], choice: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        LlmRequest(tools=tools, tool_choice=choice)
    assert str(caught.value) == words


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'instruction'"):
        LlmRequest(instruction="x")  # type: ignore[call-arg]  # the mistake is the point


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"schema": "object"}, "OutputSchema.schema: expected dict, got 'object' (str)"),
        ({"schema": {}, "name": 5}, "OutputSchema.name: expected str or None, got 5 (int)"),
        ({"schema": {}, "description": 5}, "OutputSchema.description: expected str or None, got 5 (int)"),
        ({"schema": {}, "strict": 1}, "OutputSchema.strict: expected bool or None, got 1 (int)"),
    ],
    ids=repr,
)
def test_a_wrong_field_of_a_schema_is_named(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError) as caught:
        OutputSchema(**fields)
    assert str(caught.value) == words


def test_a_providers_own_tool_can_be_the_one_that_must_be_called() -> None:
    search = ProviderTool({"type": "web_search_20250305", "name": "web_search"})
    assert LlmRequest(contents="hi", tools=[search], tool_choice=search).chosen_tool == "web_search"
