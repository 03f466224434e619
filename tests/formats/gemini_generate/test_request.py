"""Requests of generateContent: tools, settings and schemas, and what older models and the other host are told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats import bodies
from tests.formats.bodies import HERE
from tests.formats.gemini_generate.recorded import GEMINI
from triptych import formats
from triptych.parts import Issuer
from triptych.request import OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool

ADD = BaseTool("add", "Adds.", {"type": "object", "properties": {"a": {"type": "number"}}})
FUNCTION = {"name": "add", "description": "Adds.", "parametersJsonSchema": ADD.parameters}
SEARCH = ProviderTool({"googleSearch": {}}, Issuer(GEMINI))
TREE = {"$defs": {"N": {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}}}, "$ref": "#/$defs/N"}
OPEN = {"type": "object", "properties": {"m": {"type": "object", "additionalProperties": {"type": "integer"}}}}
EMPTY = {"type": "object", "properties": {}}


def built(**rest: Any) -> dict[str, Any]:
    whole = bodies.body(GEMINI, **rest)
    return {name: value for name, value in whole.items() if name != "contents"}


def notices(**rest: Any) -> list[tuple[str, str]]:
    return [(notice.path, notice.what) for notice in bodies.notices(GEMINI, **rest)]


def read(body: dict[str, Any], provider: str = HERE) -> Any:
    return formats.load(GEMINI, provider).read_request({"contents": [{"parts": [{"text": "hi"}]}], **body})


@pytest.mark.parametrize(
    ("choice", "calling"),
    [
        (None, None),
        ("auto", {"mode": "AUTO"}),
        ("required", {"mode": "ANY"}),
        ("any", {"mode": "ANY"}),
        ("none", {"mode": "NONE"}),
        ("add", {"mode": "ANY", "allowedFunctionNames": ["add"]}),
        (ADD, {"mode": "ANY", "allowedFunctionNames": ["add"]}),
    ],
)
def test_what_must_be_called_has_the_words_of_the_api(choice: Any, calling: Any) -> None:
    """B029."""
    body = built(tools=[ADD, SEARCH], tool_choice=choice)
    config = {} if calling is None else {"toolConfig": {"functionCallingConfig": calling}}
    assert body == {"tools": [{"functionDeclarations": [FUNCTION]}, {"googleSearch": {}}], **config}
    back = read(body).request
    assert back.tools == [ADD, ProviderTool({"googleSearch": {}}, Issuer(GEMINI, HERE))]
    expected = "add" if choice is ADD else choice
    assert back.tool_choice == ("required" if expected == "any" else expected)


def test_a_strict_tool_asks_for_calls_that_keep_to_their_schema() -> None:
    strict = BaseTool("f", strict=True)
    assert built(tools=[strict])["toolConfig"] == {"functionCallingConfig": {"mode": "VALIDATED"}}
    assert built(tools=[strict], tool_choice="required")["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}


def test_a_choice_without_functions_is_left_out_and_named() -> None:
    assert built(tools=[SEARCH], tool_choice="required") == {"tools": [{"googleSearch": {}}]}
    assert notices(tools=[SEARCH], tool_choice="required") == [("tool_choice", "'required' left out")]
    assert notices(tools=[SEARCH], tool_choice="none") == []


@pytest.mark.parametrize("schema", [TREE, OPEN, EMPTY], ids=["recursive", "open map", "no arguments"])
def test_schemas_go_as_json_schemas_untouched(schema: dict[str, Any]) -> None:
    """B034, B069, B070, B071, B073: references, open maps and empty objects need no rewriting there."""
    body = built(tools=[BaseTool("f", None, schema)], output_type=schema)
    assert body["tools"] == [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": schema}]}]
    assert body["generationConfig"] == {"responseMimeType": "application/json", "responseJsonSchema": schema}


def test_an_array_says_what_is_in_it() -> None:
    """B035: and the caller's schema stays as it was."""
    schema: Any = {"type": "object", "properties": {"args": {"type": "array"}, "n": {"type": "array", "items": {}}}}
    [tool] = built(tools=[BaseTool("f", None, schema)])["tools"]
    said = tool["functionDeclarations"][0]["parametersJsonSchema"]
    assert said["properties"]["args"] == {"type": "array", "items": {}}
    assert schema["properties"]["args"] == {"type": "array"}


def test_a_schema_of_the_apis_own_kind_is_read_as_json_schema_and_goes_back_as_it_was() -> None:
    own = {
        "type": "OBJECT",
        "properties": {
            "a": {"type": 1, "nullable": True},
            "b": {"type": "ARRAY", "items": {"type": "INTEGER"}, "minItems": "1"},
            "type": {"any_of": [{"type": "STRING"}, {"type": "TYPE_UNSPECIFIED"}]},
        },
        "propertyOrdering": ["a", "b"],
    }
    body = {
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": own}]}],
        "generationConfig": {"responseMimeType": "application/json", "responseSchema": own},
    }
    call = read(body)
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"]},
            "b": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
            "type": {"anyOf": [{"type": "string"}, {}]},
        },
    }
    assert (call.request.tools[0].parameters, call.request.output_type) == (schema, OutputSchema(schema))
    again = formats.load(GEMINI, HERE).build_request(call).body
    assert {name: again[name] for name in body} == body


def test_every_setting_has_its_field() -> None:
    """B048: one neutral limit, one name."""
    given: dict[str, Any] = {
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 3,
        "max_tokens": 100,
        "stop": ["END"],
        "seed": 7,
        "frequency_penalty": 0.1,
        "presence_penalty": 0.2,
        "logprobs": True,
        "top_logprobs": 2,
        "reasoning": 512,
        "service_tier": "flex",
    }
    body = built(settings=given)
    assert body == {
        "generationConfig": {
            "temperature": 0.5,
            "topP": 0.9,
            "topK": 3,
            "maxOutputTokens": 100,
            "stopSequences": ["END"],
            "seed": 7,
            "frequencyPenalty": 0.1,
            "presencePenalty": 0.2,
            "responseLogprobs": True,
            "logprobs": 2,
            "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 512},
        },
        "serviceTier": "flex",
    }
    assert read(body).settings == Settings(**given)


@pytest.mark.parametrize(
    ("model", "effort", "thinking"),
    [
        ("gemini-3-pro", "high", {"includeThoughts": True, "thinkingLevel": "high"}),
        (None, "low", {"includeThoughts": True, "thinkingLevel": "low"}),
        ("gemini-2.5-flash", "medium", {"includeThoughts": True, "thinkingBudget": 8192}),
        ("models/gemini-2.5-flash", "none", {"thinkingBudget": 0}),
        ("gemini-3-flash", "none", {"thinkingLevel": "minimal"}),
    ],
)
def test_an_effort_is_a_level_or_for_older_models_a_number_of_tokens(model: Any, effort: str, thinking: Any) -> None:
    body = built(model=model, settings={"reasoning": effort})
    assert body == {"generationConfig": {"thinkingConfig": thinking}}


def test_settings_that_the_api_has_not_are_named() -> None:
    settings = {"user": "u", "metadata": {"team": "a"}, "parallel_tool_calls": False}
    assert notices(settings=settings, provider="gemini") == [
        ("settings.metadata", "left out"),
        ("settings.user", "left out"),
        ("settings.parallel_tool_calls", "left out"),
    ]
    assert notices(settings={"reasoning": "none"}) == [("settings.reasoning", "'none' became 'minimal'")]
    novel = {"settings": {"reasoning": "novel"}, "model": "gemini-2.5-pro"}
    assert notices(**novel) == [("settings.reasoning", "'novel' left out")]
    assert built(settings={"metadata": {"team": "a"}}, provider="vertex") == {"labels": {"team": "a"}}
    assert read({"labels": {"team": "a"}}, "vertex").settings == Settings(metadata={"team": "a"})


def test_the_callers_own_fields_stand_beside_those_of_the_settings() -> None:
    extra = {
        "generationConfig": {"candidateCount": 2, "temperature": 1},
        "toolConfig": {"includeServerSideToolInvocations": True},
        "cachedContent": "cachedContents/c",
    }
    body = built(tools=[ADD], tool_choice="auto", settings={"temperature": 0, "seed": 1, "extra_body": extra})
    del body["tools"]
    assert body == {
        "generationConfig": {"temperature": 1, "seed": 1, "candidateCount": 2},
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}, "includeServerSideToolInvocations": True},
        "cachedContent": "cachedContents/c",
    }


def test_a_body_in_another_spelling_is_the_same_call() -> None:
    snake = {
        "contents": {"parts": {"inline_data": {"mime_type": "image/png", "data": "AAAA"}}, "role": "user"},
        "system_instruction": {"parts": {"text": "so"}},
        "generation_config": {"max_output_tokens": 5, "stop_sequences": None},
        "tools": {"function_declarations": {"name": "f_g", "parameters": {"type": "OBJECT", "a_b": 1}}},
        "safety_settings": None,
    }
    camel = {
        "contents": [{"parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}], "role": "user"}],
        "systemInstruction": {"parts": [{"text": "so"}]},
        "generationConfig": {"maxOutputTokens": 5},
        "tools": [{"functionDeclarations": [{"name": "f_g", "parameters": {"type": "OBJECT", "a_b": 1}}]}],
    }
    wire = formats.load(GEMINI, HERE)
    assert wire.read_request(snake) == wire.read_request(camel)
    assert wire.build_request(wire.read_request(snake)).body == camel
