"""Requests for Bedrock Converse: settings, tools and their choice, output, and what travels verbatim."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.formats.bedrock_converse.recorded import BEDROCK
from tests.formats.bodies import HERE, body, built, issuer, notices
from triptych import formats
from triptych.content import ContentItem, Message, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.formats.turns import safe_id
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool

WIRE = formats.load(BEDROCK, HERE)
CLAUDE, CLAUDE_3, NOVA = (
    "us.anthropic.claude-sonnet-5",
    "anthropic.claude-3-7-sonnet-20250219-v1:0",
    "amazon.nova-2-lite-v1:0",
)
ADD = BaseTool("add", "Adds.", {"type": "object", "properties": {"a": {"type": "number"}}})
ADD_WIRE = {"toolSpec": {"name": "add", "description": "Adds.", "inputSchema": {"json": ADD.parameters}}}
CALLED: list[ContentItem] = [Message("user", "go"), ToolCall("a", "add"), ToolResult("a", content=["1"])]


def fields(model: str | None = "m", **settings: Any) -> dict[str, Any]:
    """Return all fields of a body beside the messages."""
    return {name: value for name, value in body(BEDROCK, model=model, settings=settings).items() if name != "messages"}


def test_neither_the_model_nor_the_stream_is_in_the_body() -> None:
    assert body(BEDROCK, model=CLAUDE, stream=True) == {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}


def test_settings_have_their_fields() -> None:
    """B048."""
    said = fields(
        max_tokens=5, temperature=0, top_p=0.5, stop=["a"], top_k=3, service_tier="flex", metadata={"team": "a"}
    )
    assert said == {
        "inferenceConfig": {"maxTokens": 5, "temperature": 0, "topP": 0.5, "stopSequences": ["a"]},
        "additionalModelRequestFields": {"top_k": 3},
        "serviceTier": {"type": "flex"},
        "requestMetadata": {"team": "a"},
    }


@pytest.mark.parametrize(
    "setting",
    [
        {"seed": 1},
        {"user": "eve"},
        {"parallel_tool_calls": False},
        {"frequency_penalty": 1},
        {"presence_penalty": 1},
        {"logprobs": True},
        {"top_logprobs": 2},
        {"metadata": {"n": 1}},
    ],
)
def test_a_setting_that_the_api_has_not_is_left_out_with_a_notice(setting: dict[str, Any]) -> None:
    """B028."""
    assert fields(**setting) == {}
    [notice] = notices(BEDROCK, settings=setting)
    assert (notice.path, notice.what) == (f"settings.{next(iter(setting))}", "left out")


@pytest.mark.parametrize(
    ("model", "reasoning", "said"),
    [
        (CLAUDE, "high", {"thinking": {"type": "adaptive"}}),
        (None, "high", {"thinking": {"type": "adaptive"}}),
        (CLAUDE_3, "low", {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        (CLAUDE, 1024, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        (CLAUDE, "none", {"thinking": {"type": "disabled"}}),
        (NOVA, "low", {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}}),
        (NOVA, "none", {"reasoningConfig": {"type": "disabled"}}),
        ("openai.gpt-oss-120b-1:0", "medium", {"reasoning_effort": "medium"}),
        ("qwen.qwen3-32b-v1:0", "high", {"reasoning_config": "high"}),
    ],
)
def test_how_much_to_think_is_said_in_the_words_of_the_models_maker(
    model: str | None, reasoning: Any, said: dict[str, Any]
) -> None:
    effort = {"outputConfig": {"effort": reasoning}} if said.get("thinking") == {"type": "adaptive"} else {}
    assert fields(model, reasoning=reasoning) == {"additionalModelRequestFields": said, **effort}
    assert notices(BEDROCK, model=model, settings={"reasoning": reasoning}) == []


@pytest.mark.parametrize(("model", "reasoning"), [("meta.llama4", "high"), (NOVA, 1024), (CLAUDE, "odd")])
def test_how_much_to_think_is_left_out_with_a_notice_where_the_model_has_no_words_for_it(
    model: str, reasoning: Any
) -> None:
    assert fields(model, reasoning=reasoning) == {}
    [notice] = notices(BEDROCK, model=model, settings={"reasoning": reasoning})
    assert notice.what == f"{reasoning!r} left out"


def test_nova_has_its_own_place_for_top_k() -> None:
    assert fields(NOVA, top_k=9) == {"additionalModelRequestFields": {"inferenceConfig": {"topK": 9}}}


@pytest.mark.parametrize(
    ("choice", "wire"),
    [
        (None, None),
        ("auto", {"auto": {}}),
        ("required", {"any": {}}),
        ("any", {"any": {}}),
        ("add", {"tool": {"name": "add"}}),
    ],
)
def test_a_choice_of_tools_has_its_form(choice: str | None, wire: Any) -> None:
    """B029, B030."""
    said = body(BEDROCK, tools=[ADD], tool_choice=choice)["toolConfig"]
    assert said == {"tools": [ADD_WIRE], **({} if wire is None else {"toolChoice": wire})}


def test_a_choice_of_no_tool_is_a_request_without_tools_unless_the_conversation_holds_calls() -> None:
    assert "toolConfig" not in body(BEDROCK, tools=[ADD], tool_choice="none")
    [notice] = notices(BEDROCK, tools=[ADD], tool_choice="none")
    assert notice.what == "'none' became a request without tools"
    assert body(BEDROCK, CALLED, tools=[ADD], tool_choice="none")["toolConfig"] == {"tools": [ADD_WIRE]}
    assert [notice.what for notice in notices(BEDROCK, CALLED, tools=[ADD], tool_choice="none")] == ["'none' left out"]


def test_tools_are_declared_for_calls_in_the_conversation_where_none_are_given() -> None:
    spec = {
        "name": "add",
        "description": "It was called earlier in this conversation and is not available any more.",
        "inputSchema": {"json": {"type": "object"}},
    }
    assert body(BEDROCK, CALLED)["toolConfig"] == {"tools": [{"toolSpec": spec}]}
    [notice] = notices(BEDROCK, CALLED)
    assert notice.what == "declared for the calls of the conversation: add"


def test_a_model_that_thinks_within_a_budget_is_not_forced_to_a_tool() -> None:
    result = built(BEDROCK, tools=[ADD], tool_choice="required", settings={"reasoning": 1024}, model=CLAUDE_3)
    assert result.body["toolConfig"]["toolChoice"] == {"auto": {}}
    assert [notice.what for notice in result.notices] == ["'required' became 'auto'"]


@pytest.mark.parametrize(
    ("tool", "spec"),
    [
        (BaseTool("f"), {"name": "f", "inputSchema": {"json": {"type": "object", "properties": {}}}}),
        (
            BaseTool("f", "", {"properties": {}}),
            {"name": "f", "inputSchema": {"json": {"type": "object", "properties": {}}}},
        ),
        (
            BaseTool("f", strict=True),
            {
                "name": "f",
                "inputSchema": {"json": {"type": "object", "properties": {}, "additionalProperties": False}},
                "strict": True,
            },
        ),
        (BaseTool("a.b"), {"name": "a_b", "inputSchema": {"json": {"type": "object", "properties": {}}}}),
    ],
)
def test_a_tool_has_a_name_and_the_schema_of_an_object(tool: BaseTool, spec: dict[str, Any]) -> None:
    assert body(BEDROCK, tools=[tool])["toolConfig"]["tools"] == [{"toolSpec": spec}]


def test_the_services_own_tools_go_to_it_alone() -> None:
    own = ProviderTool({"systemTool": {"name": "nova_grounding"}}, issuer(BEDROCK))
    other = ProviderTool({"type": "web_search"}, issuer("anthropic_messages"))
    result = built(BEDROCK, tools=[own, other])
    assert result.body["toolConfig"] == {"tools": [{"systemTool": {"name": "nova_grounding"}}]}
    assert [notice.what for notice in result.notices] == ["provider tool left out"]
    assert "toolConfig" not in body(BEDROCK, tools=[other])


def test_an_output_type_is_a_json_schema_in_text() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "number"}}}
    said = body(
        BEDROCK, output_type=OutputSchema(schema, "a b", description="d"), settings={"reasoning": "low"}, model=CLAUDE
    )
    form = said["outputConfig"]["textFormat"]
    assert (form["type"], said["outputConfig"]["effort"]) == ("json_schema", "low")
    inner = form["structure"]["jsonSchema"]
    assert (json.loads(inner["schema"]), inner["name"], inner["description"]) == (schema, safe_id("a b"), "d")
    assert WIRE.read_request(said).request.output_type == OutputSchema(schema, safe_id("a b"), description="d")


def test_the_callers_own_fields_win_and_stand_beside_those_of_the_settings() -> None:
    extra = {
        "inferenceConfig": {"maxTokens": 9},
        "additionalModelRequestFields": {"own": 1},
        "guardrailConfig": {"guardrailIdentifier": "g", "guardrailVersion": "1"},
    }
    said = fields(max_tokens=5, temperature=1, top_k=2, extra_body=extra)
    assert said == {
        "inferenceConfig": {"maxTokens": 9, "temperature": 1},
        "additionalModelRequestFields": {"top_k": 2, "own": 1},
        "guardrailConfig": {"guardrailIdentifier": "g", "guardrailVersion": "1"},
    }


BASE: dict[str, Any] = {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}


@pytest.mark.parametrize(
    "more",
    [
        {"inferenceConfig": {"maxTokens": 5, "own": 1}},
        {"inferenceConfig": {"maxTokens": "5"}},
        {"inferenceConfig": 5},
        {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024, "display": "x"}}},
        {"additionalModelRequestFields": {"top_k": 5, "inferenceConfig": {"topK": 1}}},
        {"outputConfig": {"effort": "low"}},
        {"outputConfig": {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": {"schema": "{bad"}}}}},
        {"serviceTier": {"type": "flex", "own": 1}},
        {"requestMetadata": {"n": 1}},
        {"performanceConfig": {"latency": "optimized"}},
        {"additionalModelResponseFieldPaths": ["/stop_sequence"]},
        {"toolConfig": {"tools": [{"cachePoint": {"type": "default"}}]}},
        {"toolConfig": {"tools": [ADD_WIRE], "toolChoice": {"tool": {"name": "unknown"}}}},
        {"toolConfig": {"tools": [{"toolSpec": {"name": "add"}}, ADD_WIRE], "toolChoice": {"any": {"own": 1}}}},
        {"system": [{"text": "a"}, {"cachePoint": {"type": "default"}}]},
        {"messages": [{"role": "user", "content": [{"text": "hi"}], "own": 1}]},
        {"messages": [{"role": "user", "content": "hi"}]},
        {"messages": [*BASE["messages"], {"role": "system", "content": [{"text": "now"}]}, *BASE["messages"]]},
    ],
)
def test_a_body_with_what_has_no_setting_and_no_item_is_built_back_as_it_was(more: dict[str, Any]) -> None:
    wire = {**BASE, **more}
    result = WIRE.build_request(WIRE.read_request(wire))
    assert (result.body, result.notices) == (wire, ())


def test_a_stored_prompt_needs_no_messages() -> None:
    wire = {"promptVariables": {"topic": {"text": "rain"}}}
    assert WIRE.build_request(WIRE.read_request(wire)).body == wire


def test_a_request_without_contents_is_refused_before_it_is_sent() -> None:
    """B004: what fails here is no connection error, and is not tried again."""
    with pytest.raises(LlmError) as refused:
        body(BEDROCK, [])
    assert (refused.value.kind, refused.value.retryable) == ("invalid_request", False)


def test_a_request_is_read_into_what_it_says() -> None:
    wire = {
        **BASE,
        "system": [{"text": "Be brief."}],
        "inferenceConfig": {"maxTokens": 5, "stopSequences": ["x"]},
        "additionalModelRequestFields": {"thinking": {"type": "adaptive"}, "top_k": 4},
        "outputConfig": {"effort": "low"},
        "toolConfig": {"tools": [ADD_WIRE], "toolChoice": {"tool": {"name": "add"}}},
        "requestMetadata": {"team": "a"},
    }
    call = WIRE.read_request(wire)
    assert call.request == LlmRequest("Be brief.", [Message("user", ["hi"])], [ADD], "add")
    assert call.settings == Settings(max_tokens=5, stop=["x"], top_k=4, reasoning="low", metadata={"team": "a"})
    assert (call.model, call.stream) == (None, False)
