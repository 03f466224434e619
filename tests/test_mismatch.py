"""Tests of the words for what a value has wrong by a schema."""

from __future__ import annotations

from typing import Any

import pytest

from triptych.mismatch import mismatches

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"], "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        ({"type": "string"}, 5, "$: expected string, got 5 (integer)"),
        ({"type": ["integer", "null"]}, "x", '$: expected integer or null, got "x" (string)'),
        ({"type": "integer"}, 1.5, "$: expected integer, got 1.5 (number)"),
        ({"type": "array"}, {}, "$: expected array, got {} (object)"),
        ({"type": "object"}, [], "$: expected object, got [] (array)"),
        ({"type": "string"}, None, "$: expected string, got null"),
        ({"type": "string"}, True, "$: expected string, got true (boolean)"),
        ({"enum": ["C", "F", 3]}, "K", '$: expected one of "C", "F", 3, got "K" (string)'),
        ({"const": "a"}, "b", '$: expected "a", got "b" (string)'),
        ({"minimum": 1}, 0, "$: expected a number >= 1, got 0 (integer)"),
        ({"exclusiveMaximum": 3}, 3, "$: expected a number < 3, got 3 (integer)"),
        ({"multipleOf": 2}, 3, "$: expected a multiple of 2, got 3 (integer)"),
        ({"minLength": 2}, "a", '$: expected a string of at least 2 characters, got "a" (string)'),
        ({"pattern": "^b"}, "a", '$: expected a string that matches "^b", got "a" (string)'),
        ({"maxItems": 1}, [1, 2], "$: expected an array of at most 1 items, got [1,2] (array)"),
        ({"uniqueItems": True}, [1, 1], "$: expected an array without repetitions, got [1,1] (array)"),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}, {"enum": [1]}]},
            5,
            "$: expected string or null or one of 1, got 5 (integer)",
        ),
        ({"anyOf": [PERSON, {"type": "null"}]}, {"name": 5}, "$.name: expected string, got 5 (integer)"),
        ({"oneOf": [{"$ref": "#/$defs/p"}], "$defs": {"p": PERSON}}, 5, "$: expected object, got 5 (integer)"),
        ({"items": {"type": "string"}}, ["a", 1], "$[1]: expected string, got 1 (integer)"),
        (PERSON, {}, "$.name: expected string, got nothing"),
        ({"required": ["a"]}, {}, "$.a: expected a value, got nothing"),
        (
            PERSON,
            {"name": "x", "agge": 1},
            "$.agge: expected no such field (did you mean 'age'?): the fields are name, age",
        ),
        ({"additionalProperties": False}, {"a": 1}, "$.a: expected no such field: there are no fields"),
        ({"not": {"type": "string"}}, "a", "$: 'a' should not be valid under {'type': 'string'}"),
    ],
)
def test_a_mistake_has_its_place_what_was_expected_and_what_came(schema: Any, value: Any, words: str) -> None:
    assert mismatches(schema, value) == [words]


def test_a_value_that_follows_the_schema_has_nothing_wrong() -> None:
    assert mismatches(PERSON, {"name": "x", "age": 3.0}) == []


def test_every_mistake_has_a_line_and_ten_are_enough() -> None:
    assert mismatches(PERSON, {"name": 5, "age": -1}) == [
        "$.age: expected a number >= 0, got -1 (integer)",
        "$.name: expected string, got 5 (integer)",
    ]
    assert len(mismatches({"items": {"type": "string"}}, list(range(50)))) == 10


def test_a_long_value_is_cut_short() -> None:
    [line] = mismatches({"type": "integer"}, "x" * 10_000)
    assert line == f'$: expected integer, got "{"x" * 78}… (string)'


def test_a_format_counts_where_it_is_asked_for() -> None:
    schema = {"type": "string", "format": "date"}
    assert mismatches(schema, "tomorrow") == []
    assert mismatches(schema, "tomorrow", formats=True) == [
        '$: expected a string of the format "date", got "tomorrow" (string)'
    ]
