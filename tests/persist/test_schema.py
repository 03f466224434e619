"""schemas/content_items.json and the classes say the same: what is written follows it, and it has no more than they."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import NOTHING, fields
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from tests.persist.values import events, histories, others, requests, responses
from triptych.content import ITEM_TYPES, ContentItem
from triptych.formats import Call
from triptych.parts import PART_TYPES
from triptych.persist import CONTENT_TYPES, FormError, structure, unstructure
from triptych.persist.field_types import types_of

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "schemas/content_items.json").read_text(encoding="utf-8"))
DEFINITIONS: dict[str, Any] = SCHEMA["$defs"]
UNIONS = {"Value", "ContentItem", "Part", "StreamEvent"}
# Definitions that stand for what is no class of ours.
OTHERS = {"Unknown", "WrappedObject", "Unserialisable", "AnyValue"}
# Where one class alone can stand, its tag may be left out.
NESTED = {"Issuer", "Usage", "LlmError", "Notice", "OutputSchema"}

some = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def validator(name: str) -> Draft202012Validator:
    """Return a validator for a definition whose objects take no field that the schema does not name."""
    closed = {
        key: {**one, "additionalProperties": False} if "properties" in one and key != "Unknown" else one
        for key, one in DEFINITIONS.items()
    }
    return Draft202012Validator({**SCHEMA, "$defs": closed, "$ref": f"#/$defs/{name}"})


def faults(value: Any, plain: Any) -> list[str]:
    """Return what is wrong with the JSON of a value by the closed schema of its class."""
    found = validator(type(value).__name__).iter_errors(json.loads(json.dumps(plain)))
    return [f"{error.json_path}: {error.message[:300]}" for error in found]


def test_the_schema_is_sound() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_every_class_has_its_definition_and_every_definition_its_class() -> None:
    assert set(DEFINITIONS) - UNIONS - OTHERS == {kind.__name__ for kind in CONTENT_TYPES.values()}


@pytest.mark.parametrize("tag", CONTENT_TYPES)
def test_a_definition_has_the_fields_of_its_class_and_requires_what_it_requires(tag: str) -> None:
    kind = CONTENT_TYPES[tag]
    definition = DEFINITIONS[kind.__name__]
    names = types_of(kind)
    required = {one.name for one in fields(kind) if one.name in names and one.default is NOTHING}
    assert definition["properties"]["content_type"]["const"] == tag
    assert set(definition["properties"]) == {"content_type", *names}
    if kind.__name__ not in NESTED:
        required.add("content_type")
    assert set(definition.get("required", [])) == required


def test_the_unions_are_those_of_the_classes() -> None:
    def members(name: str) -> list[str]:
        return [one["$ref"].rpartition("/")[2] for one in DEFINITIONS[name]["anyOf"]]

    assert members("ContentItem") == [*(kind.__name__ for kind in ITEM_TYPES), "Unknown"]
    assert members("Part") == [*(kind.__name__ for kind in PART_TYPES), "Unknown"]
    assert members("Value") == [*(kind.__name__ for kind in CONTENT_TYPES.values()), "Unknown"]


@some
@given(histories())
def test_what_is_written_of_a_history_follows_the_schema(history: list[ContentItem]) -> None:
    assert [fault for item in history for fault in faults(item, unstructure(item))] == []


@some
@given(requests)
def test_what_is_written_of_a_request_follows_the_schema(call: Call) -> None:
    assert faults(call.request, unstructure(call.request)) == []


@pytest.mark.parametrize("values", [responses, events, others])
def test_what_is_written_of_responses_events_and_pieces_follows_the_schema(values: Any) -> None:
    @some
    @given(values)
    def check(value: Any) -> None:
        assert faults(value, unstructure(value)) == []

    check()


# The least of each class.
LEAST: dict[str, dict[str, Any]] = {
    "message": {"role": "user", "content": "a"},
    "tool_call": {"tool_call_id": "a", "name": "f"},
    "tool_result": {"tool_call_id": "a"},
    "refusal": {"refusal": "a"},
    "error": {"error_message": "a"},
    "client_context": {"context": {}},
    "opaque": {"data": {}},
    "text": {"text": "a"},
    **{name: {"file_id": "a", "source": "https://h.example/a"} for name in ("image", "audio", "video", "document")},
    "issuer": {"format": "a"},
    "tool": {"name": "f"},
    "provider_tool": {"definition": {}},
    "output_schema": {"schema": {}},
    "llm_error": {"message": "a"},
    "notice": {"path": "a", "what": "b", "why": "c"},
    "event": {"author": "a", "content": []},
    **{name: {"text": "a"} for name in ("text_delta", "reasoning_delta", "refusal_delta")},
    "tool_call_delta": {"tool_call_id": "a", "name": "f", "arguments": ""},
    "item_done": {"item": {"content_type": "deleted"}},
    "provider_event": {"data": {}},
}
PROBES: tuple[Any, ...] = (
    None,
    True,
    1,
    1.5,
    "a",
    [],
    [None],
    ["a"],
    {},
    {"a": "b"},
    {"content_type": "text", "text": "a"},
)
# What a field takes beyond its JSON type is checked by the class, and not said by the schema.
NARROWER = {"source", "timestamp", "tool_choice", "name"}


@pytest.mark.parametrize("tag", CONTENT_TYPES)
def test_a_field_takes_what_the_schema_says_and_nothing_else(tag: str) -> None:
    kind, least = CONTENT_TYPES[tag], {"content_type": tag, **LEAST.get(tag, {})}
    differing = []
    for name in types_of(kind):
        for probe in PROBES:
            plain = {**least, name: probe}
            valid = Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{kind.__name__}"}).is_valid(plain)
            if _is_read(plain) != valid and not (valid and name in NARROWER):
                differing.append((name, probe, valid))
    assert differing == []


def _is_read(plain: dict[str, Any]) -> bool:
    try:
        structure(plain)
    except FormError:
        return False
    return True
