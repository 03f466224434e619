"""Tests of what is merged: a value follows the schemas that stood beside one another just when it follows the one."""

from __future__ import annotations

from typing import Any

from attrs import evolve
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.dialects.references import valid
from triptych.dialects import MISTRAL, adapt
from triptych.errors import LlmError

# An API that takes all that the drawn schemas say, but nothing beside a reference or a union and no `allOf`.
PLAIN = evolve(
    MISTRAL,
    keywords=MISTRAL.keywords | {"minProperties", "maxProperties"},
    closed=False,
    maps=True,
    object_root=False,
)
NAMES = ("a", "b", "c")
_counts = st.integers(0, 2)
_scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 4), st.sampled_from(["", "a", "bc"])
)
VALUES = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=8,
)
_LEAVES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"type": st.just("integer")}, optional={"minimum": _counts, "multipleOf": st.integers(1, 3)}),
    st.fixed_dictionaries({"type": st.just("string")}, optional={"minLength": _counts, "maxLength": _counts}),
    st.fixed_dictionaries({"type": st.sampled_from([["string", "null"], ["integer", "null"], "null", "boolean"])}),
    st.fixed_dictionaries({"enum": st.lists(_scalars, min_size=1, max_size=3)}),
    st.fixed_dictionaries({"const": _scalars}),
    st.just({"$ref": "#/$defs/T"}),
)


def _composed(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    many = st.lists(inner, min_size=1, max_size=2)
    further = st.sampled_from([True, False]) | inner
    objects = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)},
        optional={
            "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "additionalProperties": further,
            "maxProperties": _counts,
        },
    )
    arrays = st.fixed_dictionaries(
        {"type": st.just("array")},
        optional={"items": inner, "minItems": _counts, "prefixItems": many, "maxItems": _counts},
    )
    beside = st.tuples(objects | arrays, st.sampled_from(["allOf", "anyOf"]), many).map(
        lambda drawn: {**drawn[0], drawn[1]: drawn[2]}
    )
    referring = st.fixed_dictionaries({"$ref": st.just("#/$defs/T"), "allOf": many})
    return objects | arrays | beside | referring | many.map(lambda parts: {"allOf": parts})


SCHEMAS = st.recursive(_LEAVES, _composed, max_leaves=8)


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    schema=SCHEMAS, shared=SCHEMAS.filter(lambda schema: "$ref" not in str(schema)), values=st.lists(VALUES, max_size=6)
)
@example(
    schema={"allOf": [{"$ref": "#/$defs/T"}, {"type": "object", "properties": {}, "additionalProperties": False}]},
    shared={"type": "object", "properties": {"a": {"type": "integer"}}},
    values=[{}, {"a": 1}],
)
def test_a_merged_schema_means_what_its_parts_mean(
    schema: dict[str, Any], shared: dict[str, Any], values: list[Any]
) -> None:
    definitions = {"T": shared}
    try:
        made = adapt({**schema, "$defs": definitions}, PLAIN)
    except LlmError:
        assert not any(valid(value, schema, definitions) for value in values)
        return
    assert "allOf" not in str(made.schema)
    for value in values:
        before, after = valid(value, schema, definitions), valid(value, made.schema, made.schema.get("$defs", {}))
        assert before == after or (after and made.notices), value
