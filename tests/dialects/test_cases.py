"""Tests of schemas that APIs were seen to refuse, or that libraries were seen to change: bug cases by their numbers."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from triptych.dialects import (
    ANTHROPIC_STRICT,
    BEDROCK,
    COHERE,
    GEMINI,
    LOOSE,
    MISTRAL,
    OLLAMA,
    OPENAI_STRICT,
    Rules,
    adapt,
)
from triptych.errors import LlmError, Notice

STRICT = [OPENAI_STRICT, ANTHROPIC_STRICT, BEDROCK, GEMINI, MISTRAL, COHERE, OLLAMA]
EVERY = [*STRICT, LOOSE]
NODE = {
    "$ref": "#/$defs/Node",
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}},
            "required": ["name", "next"],
        }
    },
}


def named(rules: Rules) -> str:
    """Return what a rule set is called in a test's name."""
    return rules.name


@pytest.mark.parametrize("given", [{"type": "object"}, {"type": "object", "properties": {}}, {}])
def test_a_tool_without_arguments_is_a_closed_empty_object_and_complete(given: dict[str, Any]) -> None:  # B033
    strict = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert adapt(given, OPENAI_STRICT, arguments=True).schema == strict
    assert adapt(given, LOOSE, arguments=True).schema == {"type": "object", "properties": {}}


def test_gemini_is_sent_no_empty_properties() -> None:  # B034
    assert adapt({"type": "object", "properties": {}}, GEMINI, arguments=True).schema == {"type": "object"}


def test_an_array_that_says_nothing_of_its_items_takes_any_where_the_api_wants_a_word() -> None:  # B035
    schema = {"type": "object", "properties": {"args": {"type": "array"}}, "required": ["args"]}
    assert adapt(schema, GEMINI).schema["properties"]["args"] == {"type": "array", "items": {}}
    adapted = adapt(schema, OPENAI_STRICT)
    text = {"type": "string", "description": "(any JSON value, written as JSON text)"}
    assert adapted.schema["properties"]["args"] == {"type": "array", "items": text}
    assert adapted.restore({"args": ["1", '{"a": null}', "plain"]}) == {"args": [1, {"a": None}, "plain"]}
    why = "OpenAI's strict mode asks every value for its type"
    assert adapted.notices == (Notice("/properties/args/items", "any value became JSON text", why),)


def test_every_object_at_every_depth_is_closed_and_complete() -> None:  # B065
    inner = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]}
    schema = {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"$ref": "#/$defs/Inner"}},
            "either": {"anyOf": [inner, {"type": "boolean"}]},
        },
        "required": ["list"],
        "$defs": {"Inner": inner},
    }
    closed = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    adapted = adapt(schema, OPENAI_STRICT)
    assert adapted.schema == {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"$ref": "#/$defs/Inner"}},
            "either": {"anyOf": [closed, {"type": "boolean"}, {"type": "null"}]},
        },
        "required": ["list", "either"],
        "additionalProperties": False,
        "$defs": {"Inner": closed},
    }
    assert adapted.notices == ()
    assert adapted.restore({"list": [{"a": 1, "b": None}], "either": None}) == {"list": [{"a": 1}]}
    assert adapted.restore({"list": [], "either": {"a": 1, "b": None}}) == {"list": [], "either": {"a": 1}}


@pytest.mark.parametrize("rules", STRICT, ids=named)
def test_defaults_titles_and_examples_are_not_sent(rules: Rules) -> None:  # B066
    flag = {"type": "boolean", "default": False, "title": "Is admin", "examples": [True]}
    schema = {"type": "object", "title": "User", "properties": {"is_admin": flag}, "required": []}
    sent = adapt(schema, rules).schema
    assert "title" not in sent
    assert sent["properties"]["is_admin"].keys() <= {"type", "anyOf"}


def test_the_default_is_the_programs_where_the_model_says_null() -> None:  # B066
    schema = {"type": "object", "properties": {"is_admin": {"type": "boolean", "default": False}}}
    assert adapt(schema, OPENAI_STRICT).restore({"is_admin": None}) == {}


@pytest.mark.parametrize("rules", STRICT, ids=named)
def test_a_described_reference_keeps_its_description_and_stands_alone(rules: Rules) -> None:  # B067
    schema = {
        "type": "object",
        "properties": {"hero": {"$ref": "#/$defs/Hero", "description": "the hero"}, "other": {"$ref": "#/$defs/Hero"}},
        "required": ["hero", "other"],
        "$defs": {"Hero": {"enum": ["Ada", "Bo"], "description": "a hero"}},
    }
    sent = adapt(schema, rules).schema
    assert sent["properties"] == {
        "hero": {"type": "string", "enum": ["Ada", "Bo"], "description": "the hero"},
        "other": {"$ref": "#/$defs/Hero"},
    }
    assert sent["$defs"] == {"Hero": {"type": "string", "enum": ["Ada", "Bo"], "description": "a hero"}}


@pytest.mark.parametrize("rules", STRICT, ids=named)
def test_what_stands_beside_a_reference_holds_with_it(rules: Rules) -> None:  # B068
    schema = {
        "$ref": "#/$defs/T",
        "type": "object",
        "properties": {"a": {"enum": ["x", "y"]}},
        "$defs": {"T": {"properties": {"a": {"enum": ["y", "z"]}, "b": {"type": "null"}}, "required": ["a", "b"]}},
    }
    sent = adapt(schema, rules).schema
    assert sent["properties"] == {"a": {"type": "string", "enum": ["y"]}, "b": {"type": "null"}}
    assert sent["required"] == ["a", "b"]


def test_constraints_that_nothing_satisfies_are_an_error_that_says_which() -> None:  # B068
    schema = {"$ref": "#/$defs/T", "type": "string", "$defs": {"T": {"type": "integer"}}}
    with pytest.raises(LlmError) as caught:
        adapt(schema, OPENAI_STRICT)
    said = "nothing can follow the schema: no type is both 'string' and 'integer'"
    assert (caught.value.kind, caught.value.message) == ("unsupported", said)


@pytest.mark.parametrize("rules", [ANTHROPIC_STRICT, BEDROCK], ids=named)
def test_a_cycle_is_named_where_the_api_takes_none(rules: Rules) -> None:  # B069
    with pytest.raises(LlmError) as caught:
        adapt(NODE, rules)
    said = f"{rules.name} takes no schema that contains itself: Node → Node"
    assert (caught.value.kind, caught.value.message) == ("unsupported", said)


@pytest.mark.parametrize("rules", [OPENAI_STRICT, MISTRAL, COHERE, OLLAMA], ids=named)
def test_recursion_is_kept_where_the_api_takes_it(rules: Rules) -> None:  # B069
    adapted = adapt(NODE, rules)
    assert adapted.schema["properties"]["next"] == {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}
    answer = {"name": "a", "next": {"name": "b", "next": None}}
    assert adapted.restore(answer) == answer


def test_gemini_recurses_through_properties_that_are_not_required() -> None:  # B069
    adapted = adapt(NODE, GEMINI)
    assert adapted.schema["required"] == ["name"]
    assert adapted.restore({"name": "a", "next": {"name": "b"}}) == {"name": "a", "next": {"name": "b", "next": None}}
    why = "Gemini's JSON Schema takes a schema that contains itself through optional properties alone"
    assert adapted.notices == (Notice("", "Node.next is not required", why),)


@pytest.mark.parametrize(
    ("more", "empty"),
    [
        ({"type": "array", "items": {"$ref": "#/$defs/Tree"}}, []),
        ({"type": "object", "additionalProperties": {"$ref": "#/$defs/Tree"}}, {}),
        ({"$ref": "#/$defs/Many"}, []),
        (
            {
                "type": "array",
                "items": {"type": "object", "properties": {"of": {"$ref": "#/$defs/Tree"}}, "required": ["of"]},
            },
            [],
        ),
    ],
)
def test_what_gemini_may_leave_out_of_a_cycle_comes_back_empty(more: dict[str, Any], empty: object) -> None:  # B069
    many = {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    tree = {"type": "object", "properties": {"more": more}, "required": ["more"]}
    adapted = adapt({"$ref": "#/$defs/Tree", "$defs": {"Tree": tree, "Many": many}}, GEMINI)
    assert adapted.schema["required"] == []
    assert adapted.restore({}) == {"more": empty}


def test_a_cycle_that_gemini_cannot_end_is_named() -> None:  # B069
    parts = {
        "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}, "required": ["b"]},
        "B": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]},
    }
    with pytest.raises(LlmError) as caught:
        adapt({"$ref": "#/$defs/A", "$defs": parts}, GEMINI)
    said = "Gemini's JSON Schema takes no schema that contains itself through required properties alone: A → B → A"
    assert (caught.value.kind, caught.value.message) == ("unsupported", said)


@pytest.mark.parametrize("rules", EVERY, ids=named)
@pytest.mark.parametrize(
    "definitions",
    [
        {"A": {"$ref": "#/$defs/A"}},
        {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
        {"A": {"allOf": [{"$ref": "#/$defs/B"}]}, "B": {"$ref": "#/$defs/A", "description": "round"}},
        {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A", "minLength": 1}]}},
        {"A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/A", "description": "d"}}, "required": ["b"]}},
        {"A": {"properties": {"a": {"$ref": "#/$defs/A", "properties": {"a": {"minProperties": 1}}}}}},
    ],
)
def test_no_cycle_runs_for_ever(definitions: dict[str, Any], rules: Rules) -> None:  # B070
    try:
        adapted = adapt({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": definitions}, rules)
    except LlmError as error:
        assert error.kind == "unsupported"  # noqa: PT017 - either is right, a RecursionError is not
    else:
        assert adapted.restore({"a": {"b": {"b": 1}}}) is not None


MAP = {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "description": "Ages."}


@pytest.mark.parametrize("rules", [GEMINI, COHERE, OLLAMA], ids=named)
def test_a_map_is_kept_where_the_api_takes_maps(rules: Rules) -> None:  # B071
    schema = {"type": "object", "properties": {"ages": MAP}, "required": ["ages"]}
    assert adapt(schema, rules).schema["properties"]["ages"] == {
        "type": "object",
        "additionalProperties": {"type": "integer"},
        "description": "Ages. (at least 1 entries)",
    }


@pytest.mark.parametrize("rules", [OPENAI_STRICT, ANTHROPIC_STRICT, BEDROCK, MISTRAL], ids=named)
def test_a_map_is_a_list_of_entries_where_the_api_takes_none(rules: Rules) -> None:  # B071
    adapted = adapt({"type": "object", "properties": {"ages": MAP}, "required": ["ages"]}, rules)
    assert adapted.schema["properties"]["ages"] == {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"key": {"type": "string"}, "value": {"type": "integer"}},
            "required": ["key", "value"],
            "additionalProperties": False,
        },
        "minItems": 1,
        "description": "Ages. (each key once)",
    }
    answer = {"ages": [{"key": "Ada", "value": 36}, {"key": "Bo", "value": 7}]}
    assert adapted.restore(answer) == {"ages": {"Ada": 36, "Bo": 7}}


@pytest.mark.parametrize("rules", EVERY, ids=named)
def test_a_tool_with_definitions_is_converted(rules: Rules) -> None:  # B073
    schema = {
        "type": "object",
        "properties": {"to": {"$ref": "#/definitions/Person~1s"}},
        "required": ["to"],
        "definitions": {
            "Person/s": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        },
    }
    before = copy.deepcopy(schema)
    adapted = adapt(schema, rules, arguments=True)
    assert schema == before
    if rules is not LOOSE:
        assert adapted.schema["properties"] == {"to": {"$ref": "#/$defs/Person_1s"}}
        assert adapted.schema["$defs"]["Person_1s"]["properties"] == {"name": {"type": "string"}}


def test_a_tool_that_is_not_strict_keeps_its_optional_arguments() -> None:  # B075
    schema = {"type": "object", "properties": {"unit": {"type": "string", "default": "C"}}, "required": []}
    assert adapt(schema, LOOSE, arguments=True).schema == schema
    assert adapt(schema, OPENAI_STRICT).schema["required"] == ["unit"]
