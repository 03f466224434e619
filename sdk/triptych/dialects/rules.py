"""What one API takes of JSON Schema, as data: the fields that a rule set fills in."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

Recursion = Literal["yes", "optional", "no"]

SCALARS = frozenset({"string", "number", "boolean", "null"})
STRUCTURE = frozenset({"type", "description", "properties", "required", "items", "enum", "anyOf", "$ref", "$defs"})
NUMERIC_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})


@frozen
class Limits:
    """How large a schema an API takes; None where its reference names no limit.

    Args:
        properties: Properties of all objects together.
        depth: Objects and arrays within one another, the root being the first.
        optional: Properties that are not required, of all objects together.
        unions: Properties that are a union: an `anyOf` or a list of types.
        enum_values: Values of all enums together.
        long_enum: From how many string values on an enum is a long one.
        long_enum_characters: Characters of all the values of one long enum.
        characters: Characters of all names of properties and definitions and of all enum values.
    """

    properties: int | None = None
    depth: int | None = None
    optional: int | None = None
    unions: int | None = None
    enum_values: int | None = None
    long_enum: int | None = None
    long_enum_characters: int | None = None
    characters: int | None = None


@frozen
class Rules:
    """What one API takes of JSON Schema.

    `adapt` rewrites what can be said in another way and moves what cannot into descriptions.

    Args:
        name: What to call the API in notices and errors.
        page: The reference that the rules rest on.
        rewrites: Whether a schema is brought into the subset; False corrects the root alone and leaves the rest.
        keywords: The keywords that it takes, beside those of `STRUCTURE`, which all of them take.
        formats: The values of `format` that it takes; None takes any.
        pattern_refused: A regular expression that finds, in a `pattern`, what the API does not take.
        pattern_anchored: Whether a `pattern` must begin with "^" and end with "$".
        bounded: The types whose bounds (`minimum` and the like) it takes.
        min_items: The largest `minItems` that it takes; None takes any.
        enums: The kinds of values that an enum may have.
        type_lists: Whether `type` may be a list.
        any_values: Whether a schema may leave the type open.
        array_items: Whether an array must say what its items are.
        closed: Whether every object must forbid further properties.
        all_required: Whether every property must be required.
        some_required: Whether every object must have at least one required property.
        maps: Whether objects with keys of any name can be said, by `additionalProperties`.
        tuples: Whether items can be told apart by position, by `prefixItems`.
        empty_properties: Whether an object without properties has an empty `properties`, and not none.
        object_root: Whether the schema itself must be of an object.
        references: Whether it takes `$ref` and `$defs`.
        recursion: Whether a definition may contain itself: always, through properties that are not required, or never.
        limits: How large the schema may be.
    """

    name: str
    page: str
    rewrites: bool = True
    keywords: frozenset[str] = frozenset()
    formats: frozenset[str] | None = frozenset()
    pattern_refused: str | None = None
    pattern_anchored: bool = False
    bounded: frozenset[str] = frozenset({"integer", "number"})
    min_items: int | None = None
    enums: frozenset[str] = SCALARS
    type_lists: bool = True
    any_values: bool = True
    array_items: bool = False
    closed: bool = False
    all_required: bool = False
    some_required: bool = False
    maps: bool = True
    tuples: bool = True
    empty_properties: bool = True
    object_root: bool = True
    references: bool = True
    recursion: Recursion = "yes"
    limits: Limits = Limits()
