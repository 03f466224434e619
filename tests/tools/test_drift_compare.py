"""Tests of the comparison of two wire types: what one has and the other lacks is told, and nothing else."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tools.drift.compare import compare, compare_all
from tools.drift.schema import SchemaReader

Schema = dict[str, Any]

SCHEMAS = {path.stem: path for path in sorted(Path(__file__).parents[2].glob("schemas/*.json"))}
ROOTS = ("Request", "Response", "StreamEvent", "StreamChunk")

TEXT: Schema = {"type": "string"}


def fields(**properties: Schema) -> Schema:
    """Return the schema of an object."""
    return {"type": "object", "properties": properties}


def tagged(tag: str, **properties: Schema) -> Schema:
    """Return the schema of a variant that its `type` tells apart."""
    return fields(type={"const": tag}, **properties)


def drift(ours: Schema, theirs: Schema, **definitions: Schema) -> list[str]:
    """Return what differs between two schemas, as lines; both may refer to the definitions."""
    mine, other = (SchemaReader({"$defs": {**definitions, "Root": root}}).definition("Root") for root in (ours, theirs))
    return [f"{one.path}: {one.missing}" for one in compare(mine, other, "Root")]


def refer(name: str) -> Schema:
    """Return a reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def test_equal_types_differ_in_nothing() -> None:
    root = fields(a=TEXT, b={"type": "array", "items": {"oneOf": [tagged("x", c=TEXT), tagged("y")]}})
    assert drift(root, root) == []


def test_a_field_of_one_side_is_told_with_the_side_that_lacks_it() -> None:
    assert drift(fields(a=TEXT, b=TEXT), fields(a=TEXT, c=TEXT)) == ["Root.b: there", "Root.c: here"]


def test_a_field_is_found_at_any_depth() -> None:
    ours = fields(a={"type": "array", "items": fields(b=fields(c=TEXT))})
    theirs = fields(a={"type": "array", "items": fields(b=fields(c=TEXT, d=TEXT))})
    assert drift(ours, theirs) == ["Root.a[].b.d: here"]


def test_the_entries_of_a_map_are_compared() -> None:
    ours = {"type": "object", "additionalProperties": fields(a=TEXT)}
    theirs = {"type": "object", "additionalProperties": fields(a=TEXT, b=TEXT)}
    assert drift(ours, theirs) == ["Root{}.b: here"]


def test_enum_values_are_told_one_by_one() -> None:
    assert drift({"enum": ["a", "b"]}, {"enum": ["b", "c", "d"]}) == [
        "Root = c: here",
        "Root = d: here",
        "Root = a: there",
    ]


def test_the_examples_of_an_open_text_are_its_known_values() -> None:
    ours = {"type": "string", "examples": ["a"]}
    theirs = {"anyOf": [TEXT, {"enum": ["a", "b"]}]}
    assert drift(ours, theirs) == ["Root = b: here"]


def test_known_values_of_ours_are_not_asked_of_a_side_that_names_none() -> None:
    assert drift({"enum": ["a"]}, TEXT) == []


def test_null_is_no_difference() -> None:
    assert drift({"type": ["string", "null"]}, TEXT) == []
    assert drift({"enum": ["a", None]}, {"const": "a"}) == []


def test_whole_numbers_and_fractions_are_the_same_kind() -> None:
    assert drift({"type": "integer"}, {"type": "number"}) == []


def test_a_literal_true_is_a_flag() -> None:
    assert drift({"const": True}, {"type": "boolean"}) == []


def test_a_kind_of_value_that_one_side_alone_takes_is_told() -> None:
    ours = {"anyOf": [TEXT, {"type": "number"}]}
    theirs = {"anyOf": [TEXT, {"type": "array", "items": TEXT}, fields(a=TEXT)]}
    assert drift(ours, theirs) == ["Root (list): here", "Root (number): there", "Root (object): here"]


def test_a_variant_of_one_side_is_told_by_its_tag() -> None:
    ours = {"oneOf": [tagged("text", text=TEXT), tagged("image"), tagged("film")]}
    theirs = {"oneOf": [tagged("image"), tagged("sound", seconds=TEXT), tagged("text", text=TEXT)]}
    assert drift(ours, theirs) == ["Root[type=film]: there", "Root[type=sound]: here"]


def test_variants_are_paired_by_tag_and_never_by_order_or_name() -> None:
    ours = {"oneOf": [tagged("text", text=TEXT), tagged("image", url=TEXT)]}
    theirs = {"oneOf": [tagged("image", text=TEXT), tagged("text", url=TEXT)]}
    assert drift(ours, theirs) == [
        "Root[type=image].url: there",
        "Root[type=image].text: here",
        "Root[type=text].text: there",
        "Root[type=text].url: here",
    ]


def test_one_variant_for_several_tags_is_compared_under_each_of_them() -> None:
    ours = {"oneOf": [fields(role={"const": role}, text=TEXT) for role in ("user", "system", "tool")]}
    theirs = {
        "oneOf": [fields(role={"enum": ["user", "system"]}, name=TEXT, text=TEXT), fields(role={"const": "tool"})]
    }
    assert drift(ours, theirs) == [
        "Root[role=system].name: here",
        "Root[role=tool].text: there",
        "Root[role=user].name: here",
    ]


def test_variants_below_one_tag_are_told_apart_by_another() -> None:
    ours = {
        "oneOf": [tagged("message", role={"const": "user"}), tagged("message", role={"const": "model"}), tagged("call")]
    }
    theirs = {
        "oneOf": [
            tagged("message", role={"const": "user"}),
            tagged("message", role={"const": "model"}, phase=TEXT),
            tagged("call"),
        ]
    }
    assert drift(ours, theirs) == ["Root[type=message][role=model].phase: here"]


def test_a_tag_may_be_an_open_text_with_known_values() -> None:
    def opened(word: str) -> Schema:
        return {"anyOf": [TEXT, {"const": word}]}

    ours = {"oneOf": [tagged("a", x=TEXT), tagged("b", y=TEXT)]}
    theirs = {"oneOf": [fields(type=opened("a"), x=TEXT), fields(type=opened("b"), x=TEXT, y=TEXT)]}
    assert drift(ours, theirs) == ["Root[type=b].x: here"]


def test_a_variant_without_the_tag_is_a_variant_of_its_own() -> None:
    ours = {"oneOf": [tagged("a"), tagged("b")]}
    theirs = {"oneOf": [tagged("a"), tagged("b"), fields(x=TEXT)]}
    assert drift(ours, theirs) == ["Root[type=-]: here"]


def test_variants_that_no_tag_tells_apart_are_taken_as_one() -> None:
    ours = {"anyOf": [fields(text=TEXT), fields(image=TEXT)]}
    assert drift(ours, fields(text=TEXT, image=TEXT, sound=TEXT)) == ["Root.sound: here"]


def test_one_type_stands_for_several_that_a_tag_would_tell_apart() -> None:
    ours = {"oneOf": [tagged("text", text=TEXT), tagged("schema", schema=TEXT)]}
    theirs = fields(type={"enum": ["text", "schema"]}, text=TEXT, schema=TEXT)
    assert drift(ours, theirs) == []


def test_a_setting_with_values_is_no_tag() -> None:
    ours = {"oneOf": [fields(mode={"enum": ["a", "b"]}, x=TEXT), fields(mode={"enum": ["a"]}, y=TEXT)]}
    theirs = fields(mode={"enum": ["a", "b"]}, x=TEXT)
    assert drift(ours, theirs) == ["Root.y: there"]


def test_an_object_that_one_side_leaves_open_is_told() -> None:
    known = fields(a=fields(b=TEXT))
    assert drift(fields(a={"type": "object"}), known) == ["Root.a (fields): here"]
    assert drift(fields(a={}), known) == ["Root.a (fields): here"]
    assert drift(known, fields(a={})) == ["Root.a (fields): there"]


def test_an_object_keeps_its_fields_beside_a_rule_on_which_are_required() -> None:
    ours = {**fields(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert drift(ours, fields(a=TEXT, c=TEXT)) == ["Root.b: there", "Root.c: here"]


def test_an_object_without_fields_is_an_open_one() -> None:
    assert drift({"type": "object", "properties": {}}, {"type": "object"}) == []


def test_types_that_hold_themselves_are_compared_once() -> None:
    tree = fields(leaf=TEXT, branches={"type": "array", "items": refer("Tree")})
    other = fields(branches={"type": "array", "items": refer("Other")})
    assert drift(refer("Tree"), refer("Other"), Tree=tree, Other=other) == ["Root.leaf: there"]


def test_a_pair_of_types_is_told_where_it_is_nearest() -> None:
    deep, near = (
        fields(a=fields(x=refer("Mine")), b=refer("Mine")),
        fields(a=fields(x=refer("Other")), b=refer("Other")),
    )
    assert drift(deep, near, Mine=fields(c=TEXT), Other=fields(d=TEXT)) == [
        "Root.b.c: there",
        "Root.b.d: here",
    ]


def test_what_two_roots_share_is_told_under_the_first() -> None:
    mine = SchemaReader({"$defs": {"Part": fields(a=TEXT)}}).definition("Part")
    other = SchemaReader({"$defs": {"Part": fields(a=TEXT, b=TEXT)}}).definition("Part")
    found = compare_all([("Response", mine, other), ("Request", mine, other)])
    assert [(one.path, one.missing) for one in found] == [("Response.b", "here")]


def between(ours: Schema, theirs: Schema) -> list[str]:
    """Return what differs between two whole schemas from their roots."""
    mine, other = SchemaReader(ours), SchemaReader(theirs)
    roots = [(root, mine.definition(root), other.definition(root)) for root in ROOTS if root in theirs["$defs"]]
    return [f"{one.path}: {one.missing}" for one in compare_all(roots)]


@pytest.mark.parametrize("stem", SCHEMAS)
def test_a_schema_does_not_differ_from_itself(stem: str) -> None:
    schema = json.loads(SCHEMAS[stem].read_text(encoding="utf-8"))
    assert between(schema, schema) == []


def test_no_field_of_a_request_or_of_an_answer_can_go_untold() -> None:
    schema = json.loads(SCHEMAS["cohere_chat"].read_text(encoding="utf-8"))
    untold = []
    for name, definition in schema["$defs"].items():
        for field in definition.get("properties", {}):
            changed = copy.deepcopy(schema)
            del changed["$defs"][name]["properties"][field]
            if not between(changed, schema):
                untold.append(f"{name}.{field}")
    assert [one for one in untold if not one.startswith("Error")] == []
