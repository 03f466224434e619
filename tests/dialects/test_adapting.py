"""Tests of single rewritings: constraints in words, unions, roots, enums, merging, limits, and ways back."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from tests.dialects.test_cases import STRICT, named
from triptych.dialects import (
    ANTHROPIC_STRICT,
    COHERE,
    GEMINI,
    LOOSE,
    MISTRAL,
    OLLAMA,
    OPENAI_STRICT,
    Limits,
    Rules,
    adapt,
)
from triptych.errors import LlmError, Notice


def one(schema: dict[str, Any], rules: Rules) -> Any:
    """Return what a property of this schema, one that is required, is adapted to."""
    return adapt(around(schema), rules).schema["properties"]["p"]


def around(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an object with one property of a schema."""
    return {"type": "object", "properties": {"p": schema}, "required": ["p"]}


BOUNDED = {"type": "integer", "minimum": 0, "maximum": 10, "description": "How many."}


def test_a_constraint_that_the_api_does_not_take_is_said_in_the_description_and_noted() -> None:
    adapted = adapt(around(BOUNDED), ANTHROPIC_STRICT)
    said = {"type": "integer", "description": "How many. (minimum 0, maximum 10)"}
    assert adapted.schema["properties"]["p"] == said
    name = "Anthropic's strict mode"
    assert adapted.notices == (
        Notice("/properties/p", "minimum 0 moved into the description", f"{name} takes no minimum such as this"),
        Notice("/properties/p", "maximum 10 moved into the description", f"{name} takes no maximum such as this"),
    )


@pytest.mark.parametrize("rules", [OPENAI_STRICT, GEMINI, MISTRAL, OLLAMA], ids=named)
def test_a_constraint_that_the_api_takes_is_kept(rules: Rules) -> None:
    assert one(BOUNDED, rules) == BOUNDED


@pytest.mark.parametrize(
    ("schema", "rules", "expected"),
    [
        ({"type": "number", "minimum": 1}, OLLAMA, {"type": "number", "description": "(minimum 1)"}),
        ({"type": "string", "format": "uri"}, OPENAI_STRICT, {"type": "string", "description": "(in the format uri)"}),
        ({"type": "string", "format": "uri"}, ANTHROPIC_STRICT, {"type": "string", "format": "uri"}),
        ({"type": "string", "pattern": "^a$"}, OPENAI_STRICT, {"type": "string", "pattern": "^a$"}),
        ({"type": "string", "pattern": "^a$"}, OLLAMA, {"type": "string", "pattern": "^a$"}),
        ({"type": "string", "pattern": "a"}, OLLAMA, {"type": "string", "description": "(matching a)"}),
        ({"type": "string", "pattern": "^a$"}, COHERE, {"type": "string", "description": "(matching ^a$)"}),
        (
            {"type": "string", "pattern": "(?=a)b"},
            ANTHROPIC_STRICT,
            {"type": "string", "description": "(matching (?=a)b)"},
        ),
        (
            {"type": "array", "items": {"type": "null"}, "minItems": 2},
            ANTHROPIC_STRICT,
            {"type": "array", "items": {"type": "null"}, "minItems": 1, "description": "(at least 2 items)"},
        ),
        (
            {"type": "string", "not": {"const": ""}},
            OPENAI_STRICT,
            {"type": "string", "description": '(not: {"const":""})'},
        ),
        ({"const": "a"}, GEMINI, {"type": "string", "enum": ["a"]}),
        ({"const": True}, GEMINI, {"type": "boolean", "description": "(one of [true])"}),
        ({"const": True}, OPENAI_STRICT, {"type": "boolean", "enum": [True]}),
        ({"enum": [True, False]}, GEMINI, {"type": "boolean"}),
        ({"type": ["string", "null"]}, OPENAI_STRICT, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, COHERE, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"type": "string", "nullable": True}, COHERE, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"minLength": 1, "pattern": "a"}, MISTRAL, {"type": "string", "minLength": 1, "pattern": "a"}),
        ({"anyOf": [{"type": "null"}]}, OPENAI_STRICT, {"type": "null"}),
        ({"anyOf": [{"type": "null"}, False]}, OPENAI_STRICT, {"type": "null"}),
        ({"allOf": [{"minimum": 1}, {"type": "integer", "minimum": 2}]}, GEMINI, {"type": "integer", "minimum": 2}),
    ],
)
def test_a_place_is_said_as_the_api_takes_it(schema: dict[str, Any], rules: Rules, expected: dict[str, Any]) -> None:
    assert one(schema, rules) == expected


def test_what_stands_beside_a_union_is_said_in_each_branch() -> None:
    schema = {
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "anyOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {"type": "null"}}, "required": ["b", "id"]},
            {"type": "string"},
        ],
    }
    assert one(schema, ANTHROPIC_STRICT) == {
        "anyOf": [
            {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "a": {"type": "string"}},
                "required": ["a"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "b": {"type": "null"}},
                "required": ["id", "b"],
                "additionalProperties": False,
            },
        ]
    }


def test_exactly_one_of_several_is_any_of_them_and_noted_unless_a_field_tells_them_apart() -> None:
    schema = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    adapted = adapt(around(schema), OPENAI_STRICT)
    assert adapted.schema["properties"]["p"] == {"anyOf": schema["oneOf"]}
    assert [str(notice) for notice in adapted.notices] == [
        "/properties/p: oneOf became anyOf: OpenAI's strict mode cannot ask for exactly one"
    ]
    assert adapt(around({**schema, "discriminator": {"propertyName": "kind"}}), OPENAI_STRICT).notices == ()


@pytest.mark.parametrize("rules", [each for each in STRICT if each.object_root], ids=named)
def test_a_root_that_is_no_object_is_wrapped_into_one(rules: Rules) -> None:
    adapted = adapt({"type": "array", "items": {"type": "integer"}}, rules)
    assert adapted.schema["properties"] == {"value": {"type": "array", "items": {"type": "integer"}}}
    assert (adapted.schema["type"], adapted.schema["required"]) == ("object", ["value"])
    assert adapted.restore({"value": [1, 2]}) == [1, 2]
    assert adapted.restore([1, 2]) == [1, 2]


@pytest.mark.parametrize("rules", [GEMINI, OLLAMA], ids=named)
def test_a_root_may_be_anything_for_an_answer_and_not_for_a_tool(rules: Rules) -> None:
    assert adapt({"type": "integer"}, rules).schema == {"type": "integer"}
    assert adapt({"type": "integer"}, rules, arguments=True).schema == around({"type": "integer"}) | {
        "properties": {"value": {"type": "integer"}},
        "required": ["value"],
    }


def test_a_tuple_is_an_object_with_a_property_for_each_position() -> None:
    schema = {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 1}
    adapted = adapt(around(schema), OPENAI_STRICT)
    assert list(adapted.schema["properties"]["p"]["properties"]) == ["item_1", "item_2", "rest"]
    assert adapted.restore({"p": {"item_1": 1, "item_2": None, "rest": []}}) == {"p": [1]}
    assert adapted.restore({"p": {"item_1": 1, "item_2": "a", "rest": ["2", "true"]}}) == {"p": [1, "a", 2, True]}


def test_values_of_an_enum_that_are_whole_objects_are_chosen_by_their_text() -> None:
    adapted = adapt(around({"enum": [{"a": 1}, "plain"]}), OPENAI_STRICT)
    chosen = {"type": "string", "enum": ['{"a":1}'], "description": "JSON text"}
    assert adapted.schema["properties"]["p"] == {"anyOf": [chosen, {"type": "string", "enum": ["plain"]}]}
    assert adapted.restore({"p": '{"a":1}'}) == {"p": {"a": 1}}
    assert adapted.restore({"p": "plain"}) == {"p": "plain"}


def test_a_map_beside_a_list_can_be_told_from_it_when_it_is_empty() -> None:
    texts = {"type": "string"}
    schema = {"anyOf": [{"type": "array", "items": texts}, {"type": "object", "additionalProperties": texts}]}
    adapted = adapt(around(schema), OPENAI_STRICT)
    assert adapted.restore({"p": []}) == {"p": []}
    assert adapted.restore({"p": {"entries": []}}) == {"p": {}}
    assert adapted.restore({"p": {"entries": [{"key": "a", "value": "b"}]}}) == {"p": {"a": "b"}}


def test_keys_of_a_map_are_described_by_their_patterns() -> None:
    schema = {"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False}
    said = one(schema, GEMINI)
    assert said == {
        "type": "object",
        "additionalProperties": {"type": "integer"},
        "description": "(keys matching ^x)",
    }


def test_further_properties_that_the_api_forbids_are_noted() -> None:
    adapted = adapt({**around({"type": "null"}), "additionalProperties": True}, OPENAI_STRICT)
    why = "OpenAI's strict mode takes no properties that are not named"
    assert adapted.notices == (Notice("", "further properties left out", why),)


@pytest.mark.parametrize("rules", STRICT, ids=named)
def test_the_root_may_contain_itself_by_its_own_name(rules: Rules) -> None:
    schema = {"type": "object", "properties": {"more": {"type": "array", "items": {"$ref": "#"}}}}
    if rules.recursion == "no":
        with pytest.raises(LlmError, match="Root → Root"):
            adapt(schema, rules)
        return
    adapted = adapt(schema, rules)
    assert list(adapted.schema["$defs"]) == ["Root"]
    assert adapted.restore({"more": [{"more": []}]}) == {"more": [{"more": []}]}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"$ref": "#/$defs/Gone"}, "the schema refers to '#/$defs/Gone', which it does not hold"),
        ({"$ref": "https://a.example/b.json"}, "the schema refers to another document"),
        ({"type": "object", "properties": {"a": 5}}, "the schema holds no schema at /properties/a, but 5 (int)"),
        (
            {"type": "object", "properties": {"a": {"anyOf": 5}}},
            "the schema is no JSON Schema: at $.properties.a.anyOf",
        ),
        ({"type": "object", "properties": {"a": {"type": "string", "enum": [1]}}, "required": ["a"]}, "nothing can"),
    ],
)
def test_a_schema_that_cannot_be_sent_is_an_error_that_says_why(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(LlmError) as caught:
        adapt(schema, OPENAI_STRICT)
    assert (caught.value.kind, caught.value.message[: len(said)]) == ("unsupported", said)


def test_a_schema_that_grows_without_measure_by_its_references_is_refused() -> None:
    definitions: dict[str, Any] = {"D0": {"type": "object", "properties": {}}}
    for level in range(1, 40):
        inner = {"$ref": f"#/$defs/D{level - 1}"}
        definitions[f"D{level}"] = {"type": "object", "properties": {"a": inner, "b": inner}, "required": ["a", "b"]}
    schema = {"$ref": "#/$defs/D39", "$defs": definitions}
    assert len(adapt(schema, MISTRAL).schema["$defs"]) == 39
    with pytest.raises(LlmError, match="more than 20000 places"):
        adapt(schema, evolve(MISTRAL, references=False))


def test_definitions_stand_where_they_are_used_for_an_api_without_references() -> None:
    schema = {**around({"$ref": "#/$defs/T"}), "$defs": {"T": {"type": "string"}}}
    assert adapt(schema, evolve(MISTRAL, references=False)).schema == {
        **around({"type": "string"}),
        "additionalProperties": False,
    }


def test_a_schema_nested_beyond_measure_is_refused() -> None:
    schema: dict[str, Any] = {"type": "null"}
    for _ in range(3000):
        schema = {"type": "array", "items": schema}
    with pytest.raises(LlmError, match="nested too deeply"):
        adapt(schema, OPENAI_STRICT)


def test_sizes_beyond_the_limits_of_an_api_are_noted() -> None:
    limits = Limits(
        properties=1, depth=1, optional=0, unions=0, enum_values=1, long_enum=1, long_enum_characters=2, characters=3
    )
    schema = {
        "type": "object",
        "properties": {"a": {"enum": ["bb", "cc"]}, "b": {"anyOf": [{"type": "array"}, {"type": "null"}]}},
    }
    notices = adapt(schema, evolve(MISTRAL, limits=limits)).notices
    assert [notice.what for notice in notices] == [
        "2 properties",
        "2 levels of nesting",
        "2 properties that are not required",
        "1 properties that are unions",
        "2 enum values",
        "6 characters of names and enum values",
        "an enum of 2 values with 4 characters",
    ]


@pytest.mark.parametrize("value", [None, 1, "a", [], {}, [{"p": 1}], {"p": {"key": 1}}, {"p": [{"key": 1}], "x": None}])
@pytest.mark.parametrize("rules", STRICT, ids=named)
def test_an_answer_that_does_not_follow_comes_back_as_it_is(value: Any, rules: Rules) -> None:
    schema = around({"type": "object", "additionalProperties": {"type": "integer"}})
    assert adapt(schema, rules).restore(value) == value


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {}}}}},
            {"type": "object", "properties": {"a": {}}, "$defs": {"A": {"type": "object", "properties": {"a": {}}}}},
        ),
        ({"properties": {"a": {"default": 1}}}, {"type": "object", "properties": {"a": {"default": 1}}}),
        (
            {"anyOf": [{"type": "object"}, {"type": "null"}]},
            {
                "type": "object",
                "properties": {"value": {"anyOf": [{"type": "object"}, {"type": "null"}]}},
                "required": ["value"],
            },
        ),
    ],
)
def test_a_tool_that_is_not_strict_becomes_an_object_and_stays_as_it_is(
    schema: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert adapt(schema, LOOSE, arguments=True).schema == expected
