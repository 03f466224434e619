"""Tests of the items of a conversation: how they are made, compared, copied and read."""

from __future__ import annotations

import copy
import datetime
import json
import pickle
from collections.abc import Callable
from typing import Any, get_args

import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych import (
    ClientContext,
    CompressionFiller,
    ContentItem,
    Deleted,
    ErrorItem,
    Image,
    Issuer,
    Message,
    Opaque,
    Reasoning,
    Refusal,
    Text,
    ToolCall,
    ToolResult,
)
from triptych.content import ITEM_TYPES, read_arguments
from triptych.parts import PART_TYPES

ISSUER = Issuer("anthropic_messages", "anthropic")
PICTURE = Image("https://h/x.png")
ITEMS = [
    Message("user", "hi"),
    Message("assistant", [Text("a"), PICTURE], name="ada", provider_data={"x": {"y": [1]}}, issuer=ISSUER),
    ToolCall("c1", "f", {"a": 1}),
    ToolCall("c1", "f", raw_arguments='{"a": 1}'),
    ToolCall("c1", "f", raw_arguments='{"a": '),
    ToolResult("c1", "f", "error", ["4", {"a": 1}, PICTURE], payload=(1, 2), runtime_ms=1.5, raw_response={"a": 1}),
    Reasoning("thought", summary=["short"], signature="s", encrypted="e", redacted=True, issuer=ISSUER),
    Refusal("no"),
    ErrorItem("it broke", "timeout"),
    Deleted("tool_call"),
    CompressionFiller("user"),
    ClientContext({"page": {"url": "https://h"}}),
    Opaque({"type": "novel"}, issuer=ISSUER),
]


@pytest.mark.parametrize("item", ITEMS, ids=repr)
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, evolve, lambda item: pickle.loads(pickle.dumps(item))])
def test_a_copy_is_equal(item: Any, duplicate: Callable[[Any], Any]) -> None:
    again = duplicate(item)
    assert again == item
    assert type(again) is type(item)
    assert repr(again) == repr(item)


@pytest.mark.parametrize("item", ITEMS, ids=repr)
def test_its_repr_is_the_call_that_makes_it(item: Any) -> None:
    names = {kind.__name__: kind for kind in (*ITEM_TYPES, *PART_TYPES, Issuer)}
    assert eval(repr(item), names) == item


@pytest.mark.parametrize("item", ITEMS, ids=repr)
def test_it_cannot_be_changed(item: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        item.provider_data = {}
    with pytest.raises((AttributeError, TypeError)):
        item.unknown = 1


def test_every_kind_of_item_is_in_the_union_and_among_the_samples() -> None:
    assert set(get_args(ContentItem)) == set(ITEM_TYPES)
    assert {type(item) for item in ITEMS} == set(ITEM_TYPES)


def test_items_of_plain_values_are_hashable() -> None:
    assert len({Message("user", "a"), Message("user", "a"), Refusal("a"), ErrorItem("a"), CompressionFiller()}) == 4


def test_a_message_takes_words_or_parts_and_gives_the_words() -> None:
    assert Message(role="user", content="hi").text == "hi"
    assert Message("user", ["a", PICTURE, Text("b")]).content == [Text("a"), PICTURE, Text("b")]
    assert Message("user", ["a", PICTURE, Text("b")]).text == "ab"
    assert Message("user", ("a",)).content == [Text("a")]
    assert Message("user", []).text == ""


def test_a_message_keeps_a_list_of_its_own() -> None:
    parts = [Text("a")]
    message = Message("user", parts)
    parts.append(Text("b"))
    assert message.content == [Text("a")]


@pytest.mark.parametrize(
    ("raw", "arguments", "malformed"),
    [
        ('{"a": 1}', {"a": 1}, False),
        ("{}", {}, False),
        ("", {}, False),
        (" \n", {}, False),
        ("null", {}, False),
        (json.dumps('{"a": 1}'), {"a": 1}, False),
        ('{"n": 123456789012345678901234567890}', {"n": 123456789012345678901234567890}, False),
        ('{"a": 1, "a": 2}', {"a": 2}, False),
        (r'{"a": "\ud83d\ude00 \u0000"}', {"a": "😀 \x00"}, False),
        ('{"a": ', {}, True),
        ('{"path": "a" "b"}', {}, True),
        ("[1]", {}, True),
        ("5", {}, True),
        ("hello", {}, True),
        ('"hello"', {}, True),
        ("[" * 100_000, {}, True),
    ],
)
def test_arguments_are_read_from_their_text_and_the_text_is_kept(
    raw: str, arguments: dict[str, Any], malformed: bool
) -> None:
    """B001, B003."""
    call = ToolCall("c1", "f", raw_arguments=raw)
    assert (call.arguments, call.raw_arguments, call.malformed) == (arguments, raw, malformed)
    assert evolve(call, name="g").raw_arguments == raw


def test_a_call_without_arguments_has_none() -> None:
    assert ToolCall("c1", "f") == ToolCall("c1", "f", {}) == ToolCall("c1", "f", raw_arguments="")
    assert ToolCall("c1", "f").arguments == {}
    assert not ToolCall("c1", "f").malformed


def test_how_an_object_is_spelled_does_not_make_two_calls_different() -> None:
    assert ToolCall("c1", "f", {"a": 1}) == ToolCall("c1", "f", raw_arguments='{ "a":1 }')
    assert ToolCall("c1", "f", raw_arguments="[1]") != ToolCall("c1", "f", raw_arguments="[2]")
    assert ToolCall("c1", "f", raw_arguments="[1]") != ToolCall("c1", "f")


def test_text_that_says_other_arguments_than_those_given_is_dropped() -> None:
    call = ToolCall("c1", "f", raw_arguments='{"a": 1}')
    assert evolve(call, arguments={"a": 2}).raw_arguments is None
    assert ToolCall("c1", "f", {"a": 1}, "[1]").raw_arguments is None
    assert ToolCall("c1", "f", {"a": 1}, '{"a":1}').raw_arguments == '{"a":1}'
    assert ToolCall("c1", "f", {}, "[1]").malformed


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(), JSON))
def test_any_arguments_are_the_same_given_or_read(arguments: dict[str, Any]) -> None:
    given_call, read_call = ToolCall("c", "f", arguments), ToolCall("c", "f", raw_arguments=json.dumps(arguments))
    assert read_call == given_call
    assert read_call.arguments == arguments
    assert pickle.loads(pickle.dumps(read_call)) == given_call


@settings(deadline=None)
@given(st.text())
def test_no_text_of_arguments_fails(raw: str) -> None:
    call = ToolCall("c", "f", raw_arguments=raw)
    assert call.raw_arguments == raw
    assert call.arguments == (read_arguments(raw) or {})


@pytest.mark.parametrize(
    ("content", "kept", "text"),
    [
        (["4"], ["4"], "4"),
        (["a", {"b": 2}, None, 1.5, True], ["a", {"b": 2}, None, 1.5, True], 'a\n{"b":2}\nnull\n1.5\ntrue'),
        (["a", Text("b"), PICTURE, Opaque({"x": 1})], ["a", Text("b"), PICTURE, Opaque({"x": 1})], "a\nb"),
        ({"a": 1}, [{"a": 1}], '{"a":1}'),
        (3, [3], "3"),
        ("words", ["words"], "words"),
        (PICTURE, [PICTURE], ""),
        (("a", "b"), ["a", "b"], "a\nb"),
        (None, [], ""),
        ([], [], ""),
        ([[1, 2]], [[1, 2]], "[1,2]"),
        (datetime.date(2026, 1, 2), [datetime.date(2026, 1, 2)], '"2026-01-02"'),
        (float("nan"), None, "null"),
    ],
    ids=repr,
)
def test_a_result_takes_any_json_value_and_has_its_words(content: Any, kept: list[Any] | None, text: str) -> None:
    """B024."""
    result = ToolResult("c1", "f", content=content)
    assert result.text == text
    if kept is not None:
        assert result.content == kept


@pytest.mark.parametrize(
    ("payload", "raw_response", "value"),
    [
        (None, None, None),
        ({"a": 1}, {"b": 2}, {"a": 1}),
        (0, {"b": 2}, 0),
        (False, {"b": 2}, False),
        ([], {"b": 2}, []),
        ({"items": [1]}, None, {"items": [1]}),
        (None, {"b": 2}, {"b": 2}),
        (None, {}, {}),
        (None, {"items": [1, 2]}, [1, 2]),
        (None, {"items": []}, []),
        (None, {"items": "x"}, {"items": "x"}),
        (None, {"items": [1], "next": 2}, {"items": [1], "next": 2}),
        (None, {"content": [{"json": 1}]}, {"content": [{"json": 1}]}),
        (None, {"toolResult": {"content": [{"json": {"a": 1}}]}}, {"a": 1}),
        (None, {"toolResult": {"content": [{"json": {"items": [1]}}]}}, [1]),
        (None, {"toolResult": {"content": [{"json": [1]}], "status": "success", "toolUseId": "t"}}, [1]),
        (None, {"toolResult": {"content": [{"json": None}]}}, None),
        (None, {"toolResult": {"content": [{"text": '{"a": 1}'}]}}, {"a": 1}),
        (None, {"toolResult": {"content": [{"text": '{"items": [1]}'}]}}, [1]),
        (None, {"toolResult": {"content": [{"text": "plain words"}]}}, "plain words"),
        (None, {"toolResult": {"content": [{"text": ""}]}}, ""),
        (None, {"toolResult": {"content": [{"text": "5"}, {"image": {"format": "png"}}, {"image": {}}]}}, 5),
        (None, {"toolResult": {"content": [{"json": 1}, {"text": "more"}]}}, None),
        (None, {"toolResult": {"content": [{"image": {}}]}}, None),
        (None, {"toolResult": {"content": [{"image": {}}, {"json": 1}]}}, None),
        (None, {"toolResult": {"content": [{"text": 5}]}}, None),
        (None, {"toolResult": {"content": []}}, None),
        (None, {"toolResult": {"content": "words"}}, None),
        (None, {"toolResult": {"content": ["words"]}}, None),
        (None, {"toolResult": {"content": None}}, None),
        (None, {"toolResult": {}}, None),
        (None, {"toolResult": "words"}, None),
        (None, {"toolResult": None}, None),
    ],
    ids=repr,
)
def test_the_payload_is_found_in_every_form_of_record(payload: Any, raw_response: Any, value: Any) -> None:
    found = ToolResult("c1", "f", payload=payload, raw_response=raw_response).resolve_payload()
    assert found == value
    assert type(found) is type(value)


def test_finding_the_payload_changes_nothing() -> None:
    record = {"toolResult": {"content": [{"json": {"items": [1]}}, {"image": {}}]}}
    before = copy.deepcopy(record)
    ToolResult("c1", raw_response=record).resolve_payload()
    assert record == before


def test_what_the_model_reads_for_an_emptied_turn() -> None:
    assert CompressionFiller.TEXT == "<Deleted in compression>"
    assert CompressionFiller() == CompressionFiller("assistant")


ROLES = "'system', 'developer', 'user', 'assistant'"


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        (
            Message,
            {"role": "asistant", "content": "x"},
            f"Message.role: expected one of {ROLES}, got 'asistant' (str) (did you mean 'assistant'?)",
        ),
        (Message, {"role": None, "content": "x"}, f"Message.role: expected one of {ROLES}, got None (NoneType)"),
        (
            Message,
            {"role": "user", "content": None},
            "Message.content: expected a str or a list of parts, got None (NoneType)",
        ),
        (
            Message,
            {"role": "user", "content": {"type": "text"}},
            "Message.content: expected a str or a list of parts, got {'type': 'text'} (dict)",
        ),
        (
            Message,
            {"role": "user", "content": ["a", 5]},
            "Message.content[1]: expected a str or one of Text, Image, Audio, Video, Document, Opaque, got 5 (int)",
        ),
        (Message, {"role": "user", "content": "", "name": 5}, "Message.name: expected str or None, got 5 (int)"),
        (
            Message,
            {"role": "user", "content": "", "issuer": "openai"},
            "Message.issuer: expected Issuer or None, got 'openai' (str)",
        ),
        (ToolCall, {"tool_call_id": None, "name": "f"}, "ToolCall.tool_call_id: expected str, got None (NoneType)"),
        (ToolCall, {"tool_call_id": "c", "name": 5}, "ToolCall.name: expected str, got 5 (int)"),
        (
            ToolCall,
            {"tool_call_id": "c", "name": "f", "arguments": "{}"},
            "ToolCall.arguments: expected dict or None, got '{}' (str)",
        ),
        (
            ToolCall,
            {"tool_call_id": "c", "name": "f", "arguments": {"a": 1j}},
            "ToolCall.arguments: expected JSON values, got {'a': 1j} (dict): a value of type complex has no JSON form",
        ),
        (
            ToolCall,
            {"tool_call_id": "c", "name": "f", "raw_arguments": b"{}"},
            "ToolCall.raw_arguments: expected str or None, got b'{}' (bytes)",
        ),
        (ToolResult, {"tool_call_id": 1}, "ToolResult.tool_call_id: expected str, got 1 (int)"),
        (ToolResult, {"tool_call_id": "c", "name": 1}, "ToolResult.name: expected str or None, got 1 (int)"),
        (
            ToolResult,
            {"tool_call_id": "c", "status": "succes"},
            "ToolResult.status: expected one of 'success', 'error', got 'succes' (str) (did you mean 'success'?)",
        ),
        (
            ToolResult,
            {"tool_call_id": "c", "content": ["a", 1j]},
            "ToolResult.content[1]: expected JSON values, got 1j (complex): a value of type complex has no JSON form",
        ),
        (
            ToolResult,
            {"tool_call_id": "c", "runtime_ms": "5"},
            "ToolResult.runtime_ms: expected int or float or None, got '5' (str)",
        ),
        (
            ToolResult,
            {"tool_call_id": "c", "raw_response": [1]},
            "ToolResult.raw_response: expected dict or None, got [1] (list)",
        ),
        (Reasoning, {"text": None}, "Reasoning.text: expected str, got None (NoneType)"),
        (Reasoning, {"summary": "short"}, "Reasoning.summary: expected a list of str, got 'short' (str)"),
        (Reasoning, {"summary": ["a", 1]}, "Reasoning.summary[1]: expected str, got 1 (int)"),
        (Reasoning, {"signature": b"s"}, "Reasoning.signature: expected str or None, got b's' (bytes)"),
        (Reasoning, {"encrypted": 1}, "Reasoning.encrypted: expected str or None, got 1 (int)"),
        (Reasoning, {"redacted": None}, "Reasoning.redacted: expected bool, got None (NoneType)"),
        (Refusal, {"refusal": None}, "Refusal.refusal: expected str, got None (NoneType)"),
        (ErrorItem, {"error_message": 5}, "ErrorItem.error_message: expected str, got 5 (int)"),
        (ErrorItem, {"error_message": "", "error_code": 5}, "ErrorItem.error_code: expected str or None, got 5 (int)"),
        (Deleted, {"deleted_type": 5}, "Deleted.deleted_type: expected str or None, got 5 (int)"),
        (
            CompressionFiller,
            {"role": "tool"},
            f"CompressionFiller.role: expected one of {ROLES}, got 'tool' (str)",
        ),
        (ClientContext, {"context": "x"}, "ClientContext.context: expected dict, got 'x' (str)"),
        (
            ClientContext,
            {"context": {"a": int}},
            "ClientContext.context: expected JSON values, got {'a': <class 'int'>} (dict): "
            "a value of type type has no JSON form",
        ),
    ],
)
def test_a_wrong_field_is_named(kind: type[Any], fields: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        kind(**fields)
    assert str(caught.value) == words


def test_arguments_that_hold_themselves_are_refused() -> None:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    with pytest.raises(ValueError, match=r"^ToolCall\.arguments: .* is nested too deeply for JSON, or holds itself$"):
        ToolCall("c1", "f", circle)
