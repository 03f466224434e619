"""Tools, in every format: their definitions, the choice among them, and the arguments that come back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.formats.bodies import ALL, ANTHROPIC, BOTH, OPENAI, answer, body, issuer, notices, parsed
from tests.formats.closed import faults
from tests.formats.plain import blocks_in
from triptych.errors import Notice
from triptych.parts import Issuer
from triptych.provider import Quirks
from triptych.request import OutputSchema
from triptych.tools import BaseTool, ProviderTool

both = pytest.mark.parametrize("name", BOTH)
each = pytest.mark.parametrize("name", ALL)
ADD = BaseTool("add", "Adds.", {"type": "object", "properties": {"a": {"type": "number"}}})


@each
@pytest.mark.parametrize("arguments", ["", "  \n", "null", "{}", None])
def test_arguments_that_say_nothing_are_an_empty_object(name: str, arguments: str | None) -> None:
    """B001."""
    response = parsed(name, answer(name, calls=[("c", "f", arguments)]))
    assert response.error is None
    assert [(call.arguments, call.malformed) for call in response.tool_calls] == [({}, False)]


@each
def test_absent_arguments_are_an_empty_object(name: str) -> None:
    """B001."""
    wire = answer(name, calls=[("c", "f", "here")])
    for block in blocks_in(wire):
        fields: Any = block
        for field in [field for field, value in block.items() if value == "here"]:
            del fields[field]
    assert "here" not in str(wire)
    assert [call.arguments for call in parsed(name, wire).tool_calls] == [{}]


@each
@pytest.mark.parametrize("arguments", [{"sql": "select 1"}, '{"sql": "select 1"}', '"{\\"sql\\": \\"select 1\\"}"'])
def test_arguments_are_the_same_as_an_object_as_its_text_and_as_the_text_of_that(name: str, arguments: Any) -> None:
    """B008."""
    [call] = parsed(name, answer(name, calls=[("c", "q", arguments)])).tool_calls
    assert (call.tool_call_id, call.name, call.arguments) == ("c", "q", {"sql": "select 1"})


@each
@pytest.mark.parametrize("arguments", ["[1]", "3", [1], 3, "{bad", '"\\"\\\\\\"{}\\\\\\"\\""'])
def test_arguments_that_are_no_object_are_kept_and_flagged(name: str, arguments: Any) -> None:
    """B003, B008."""
    [call] = parsed(name, answer(name, calls=[("c", "q", arguments)])).tool_calls
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    assert (call.arguments, call.raw_arguments, call.malformed) == ({}, raw, True)


@each
def test_what_is_empty_is_absent_and_what_depends_on_tools_goes_with_them(name: str) -> None:
    """B025, B026."""
    settings = {"stop": [], "metadata": {}, "parallel_tool_calls": False}
    assert body(name, tools=[], tool_choice="auto", settings=settings) == body(name)


@each
def test_a_request_of_a_model_and_a_message_has_no_other_field(name: str) -> None:
    """B053: Anthropic demands a limit as well, and Ollama streams unless it is told not to."""
    plain: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    bodies = {
        "openai_responses": {"model": "m", "input": [{"role": "user", "content": "hi"}]},
        "anthropic_messages": {**plain, "max_tokens": 4096},
        "ollama_chat": {**plain, "stream": False},
        "gemini_generate": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
        "bedrock_converse": {"messages": [{"role": "user", "content": [{"text": "hi"}]}]},
    }
    assert body(name) == bodies.get(name, plain)


@pytest.mark.parametrize(
    ("choice", "openai", "anthropic"),
    [
        (None, None, None),
        ("auto", "auto", {"type": "auto"}),
        ("none", "none", {"type": "none"}),
        ("required", "required", {"type": "any"}),
        ("any", "required", {"type": "any"}),
        ("add", {"type": "function", "function": {"name": "add"}}, {"type": "tool", "name": "add"}),
        (ADD, {"type": "function", "function": {"name": "add"}}, {"type": "tool", "name": "add"}),
    ],
    ids=["unset", "auto", "none", "required", "any", "by name", "itself"],
)
def test_each_choice_of_a_tool_has_the_word_of_the_api(choice: Any, openai: Any, anthropic: Any) -> None:
    """B029, B030."""
    assert body(OPENAI, tools=[ADD], tool_choice=choice).get("tool_choice") == openai
    assert body(ANTHROPIC, tools=[ADD], tool_choice=choice).get("tool_choice") == anthropic


CHOICES: dict[str, dict[str, Any]] = {
    "openai_responses": {
        "auto": "auto",
        "none": "none",
        "required": "required",
        "any": "required",
        "add": {"type": "function", "name": "add"},
    },
    "mistral_chat": {
        "auto": "auto",
        "none": "none",
        "required": "any",
        "any": "any",
        "add": {"type": "function", "function": {"name": "add"}},
    },
    "ollama_chat": dict.fromkeys(("auto", "none", "required", "any", "add")),
    "gemini_generate": {
        "auto": {"mode": "AUTO"},
        "none": {"mode": "NONE"},
        "required": {"mode": "ANY"},
        "any": {"mode": "ANY"},
        "add": {"mode": "ANY", "allowedFunctionNames": ["add"]},
    },
    "cohere_chat": {"auto": None, "none": "NONE", "required": "REQUIRED", "any": "REQUIRED", "add": "REQUIRED"},
    "bedrock_converse": {
        "auto": {"auto": {}},
        "none": None,
        "required": {"any": {}},
        "any": {"any": {}},
        "add": {"tool": {"name": "add"}},
    },
}


@pytest.mark.parametrize(
    ("name", "choice", "wire"), [(name, choice, wire) for name in CHOICES for choice, wire in CHOICES[name].items()]
)
def test_each_choice_of_a_tool_has_the_word_of_each_other_api_or_a_notice(name: str, choice: str, wire: Any) -> None:
    """B029, B030."""
    sent = body(name, tools=[ADD], tool_choice=choice)
    calling = sent.get("toolConfig", {})
    assert sent.get("tool_choice", calling.get("functionCallingConfig", calling.get("toolChoice"))) == wire
    unsaid = wire is None and choice != "auto"
    assert [notice.path for notice in notices(name, tools=[ADD], tool_choice=choice)] == ["tool_choice"] * unsaid


@each
def test_a_switch_for_parallel_calls_is_said_or_told(name: str) -> None:
    """B026, B028."""
    given: dict[str, Any] = {"tools": [ADD], "settings": {"parallel_tool_calls": False}}
    told = [notice.path for notice in notices(name, **given)]
    assert told == ["settings.parallel_tool_calls"] * (body(name, **given) == body(name, tools=[ADD]))


@each
def test_a_limit_of_tokens_has_one_field(name: str) -> None:
    """B048."""
    assert str(body(name, settings={"max_tokens": 123})).count("123") == 1


def test_a_host_may_have_its_own_word_for_a_required_call() -> None:
    """B029."""
    quirks = Quirks(required_tool_choice="any")
    sent = body(OPENAI, tools=[ADD], tool_choice="required", quirks=quirks, known=False)
    assert sent["tool_choice"] == "any"


@each
def test_an_unknown_tool_is_refused_where_it_is_chosen(name: str) -> None:
    """B029."""
    with pytest.raises(ValueError, match=r"tool_choice: expected one of .*'add'.*got 'ad' \(did you mean 'add'\?\)"):
        body(name, tools=[ADD], tool_choice="ad")


@pytest.mark.parametrize("parallel", [True, False])
def test_the_switch_for_parallel_calls_is_where_the_api_has_it(parallel: bool) -> None:
    """B026."""
    settings = {"parallel_tool_calls": parallel}
    assert body(OPENAI, tools=[ADD], settings=settings)["parallel_tool_calls"] is parallel
    choice = {"type": "auto", "disable_parallel_tool_use": not parallel}
    assert body(ANTHROPIC, tools=[ADD], settings=settings)["tool_choice"] == choice


def test_a_host_that_refuses_the_switch_for_parallel_calls_does_not_get_it() -> None:
    """B026."""
    quirks = Quirks(parallel_tool_calls=False)
    settings = {"parallel_tool_calls": False}
    assert "parallel_tool_calls" not in body(OPENAI, tools=[ADD], settings=settings, quirks=quirks)
    assert [notice.path for notice in notices(OPENAI, tools=[ADD], settings=settings, quirks=quirks)] == [
        "settings.parallel_tool_calls"
    ]


@pytest.mark.parametrize("choice", ["required", "add"])
def test_a_forced_tool_gives_way_to_thinking_within_a_budget(choice: str) -> None:
    """B032."""
    sent = body(ANTHROPIC, tools=[ADD], tool_choice=choice, settings={"reasoning": 2048})
    assert (sent["thinking"], sent["tool_choice"]) == ({"type": "enabled", "budget_tokens": 2048}, {"type": "auto"})
    [notice] = notices(ANTHROPIC, tools=[ADD], tool_choice=choice, settings={"reasoning": 2048})
    assert notice.path == "tool_choice"


def test_a_schema_for_the_answer_forces_no_tool() -> None:
    """B032: the API has structured answers of its own."""
    schema = {"type": "object", "properties": {"a": {"type": "number"}}, "additionalProperties": False}
    sent = body(ANTHROPIC, output_type=schema, settings={"reasoning": "high"})
    assert sent["output_config"] == {"effort": "high", "format": {"type": "json_schema", "schema": schema}}
    assert "tools" not in sent
    assert "tool_choice" not in sent


@pytest.mark.parametrize("parameters", [None, {}, {"type": "object"}, {"type": "object", "properties": {}}])
@pytest.mark.parametrize("strict", [None, False, True])
def test_a_tool_without_parameters_has_an_object_schema(parameters: dict[str, Any] | None, strict: bool | None) -> None:
    """B033."""
    tool = BaseTool("now", parameters=parameters, strict=strict)
    [openai] = body(OPENAI, tools=[tool])["tools"]
    closed = {"additionalProperties": False, "required": []} if strict else {}
    assert openai["function"]["parameters"] == {"type": "object", "properties": {}, **closed}
    [anthropic] = body(ANTHROPIC, tools=[tool])["tools"]
    assert anthropic["input_schema"]["type"] == "object"
    assert ("additionalProperties" in anthropic["input_schema"]) is bool(strict)


@both
def test_strictness_of_the_answer_and_of_each_tool_are_independent(name: str) -> None:
    """B075."""
    optional = {"type": "object", "properties": {"a": {"type": "number"}}, "required": []}
    tools = [BaseTool("f", parameters=optional), BaseTool("g", strict=True), BaseTool("h", strict=False)]
    sent = body(name, tools=tools, output_type=OutputSchema({"type": "object"}, "answer", strict=True))
    wires = [tool["function"] if name == OPENAI else tool for tool in sent["tools"]]
    assert [wire.get("strict") for wire in wires] == [None, True, False]
    assert wires[0]["parameters" if name == OPENAI else "input_schema"] == optional
    if name == OPENAI:
        assert sent["response_format"]["json_schema"]["strict"] is True


@both
def test_a_schema_is_sent_as_it_was_given(name: str) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "number"}}}
    [tool] = body(name, tools=[BaseTool("f", "Does.", schema)])["tools"]
    assert tool == (
        {"type": "function", "function": {"name": "f", "description": "Does.", "parameters": schema}}
        if name == OPENAI
        else {"name": "f", "description": "Does.", "input_schema": schema}
    )


@each
def test_a_tool_of_a_provider_goes_to_its_api_alone(name: str) -> None:
    definition = {"type": "web_search_20250305", "name": "web_search"}
    own = [
        ProviderTool(definition, issuer(name)),
        ProviderTool(definition, Issuer(name)),
        ProviderTool(definition),
    ]
    assert str(body(name, tools=own, known=False)).count(str(definition)) == 3
    foreign = [ProviderTool(definition, Issuer(name, "elsewhere")), ProviderTool(definition, Issuer("novel"))]
    assert body(name, tools=foreign) == body(name)
    assert notices(name, tools=foreign) == [
        Notice(f"tools[{index}]", "provider tool left out", "it is another API's") for index in range(2)
    ]


@each
def test_a_whole_request_with_tools_has_no_unknown_field(name: str) -> None:
    tools = [ADD, BaseTool("now", strict=True)]
    for choice in (None, "auto", "none", "required", "add"):
        sent = body(name, tools=tools, tool_choice=choice, settings={"parallel_tool_calls": False})
        assert faults(name, sent) == []
