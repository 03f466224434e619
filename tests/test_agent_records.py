"""Tests of agent-message records: read in all their ages, written in one form, and grouped by who speaks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.persist.values import histories
from triptych.agent_records import AgentRecord, read_record, to_items, to_records, write_record
from triptych.content import (
    ClientContext,
    CompressionFiller,
    ContentItem,
    Deleted,
    ErrorItem,
    Message,
    Reasoning,
    ToolCall,
    ToolResult,
)
from triptych.parts import Image, Issuer, Opaque
from triptych.persist import FormError, dumps, loads

RECORD = {
    "role": "assistant",
    "id": "m1",
    "content": [
        "Let me look.",
        {"content_type": "tool_use", "tool_call_id": "c1", "name": "look", "arguments": {"at": "sky"}},
        {"content_type": "error", "error_message": "stopped", "error_code": "cancelled"},
        {"content_type": "deleted", "deleted_type": "tool_use"},
        {"content_type": "compression_filler", "role": "user"},
    ],
}
READ = AgentRecord(
    "assistant",
    [
        Message("assistant", "Let me look."),
        ToolCall("c1", "look", {"at": "sky"}),
        ErrorItem("stopped", "cancelled"),
        Deleted("tool_use"),
        CompressionFiller("user"),
    ],
    {"id": "m1"},
)


def read(*blocks: Any, role: str = "user") -> list[ContentItem]:
    """Return the items of a record of these blocks."""
    return read_record({"role": role, "content": list(blocks)}).items


def test_a_record_is_read_and_written_again_as_it_was() -> None:
    assert read_record(RECORD) == READ
    assert write_record(READ) == RECORD


def test_a_record_of_a_bare_text_is_a_message() -> None:
    assert read_record({"role": "user", "content": "hi"}) == AgentRecord("user", [Message("user", "hi")])


def test_a_text_block_may_be_tagged() -> None:
    assert read({"content_type": "text", "text": "hi"}) == [Message("user", "hi")]


def test_tool_results_of_the_new_and_the_old_form_give_their_payload() -> None:
    envelope = {"toolResult": {"content": [{"text": '{"items": [1, 2]}'}, {"image": {}}]}}
    new, old, bare, broken = read(
        {"content_type": "tool_result", "tool_call_id": "c1", "payload": {"a": 1}, "raw_response": envelope},
        {"content_type": "tool_result", "tool_call_id": "c2", "raw_response": envelope},
        {"content_type": "tool_result", "tool_call_id": "c3", "raw_response": {"a": 1}, "status": "error"},
        {"content_type": "tool_result", "tool_call_id": "c4", "raw_response": {"toolResult": {"content": []}}},
    )
    assert [one.resolve_payload() for one in (new, old, bare, broken) if isinstance(one, ToolResult)] == [
        {"a": 1},
        [1, 2],
        {"a": 1},
        None,
    ]
    assert bare == ToolResult("c3", status="error", raw_response={"a": 1})


@pytest.mark.parametrize("name", ["id", "tool_use_id", "toolUseId"])
def test_the_fields_of_a_tool_use_have_other_names_in_older_records(name: str) -> None:
    block = {"content_type": "tool_use", name: "c1", "name": "f", "input": {"a": 1}}
    assert read(block, role="assistant") == [ToolCall("c1", "f", {"a": 1})]


def test_a_filler_without_a_role_has_that_of_its_record() -> None:
    assert read({"content_type": "compression_filler"}) == [CompressionFiller("user")]


MARKERS: dict[str, tuple[str, list[ContentItem]]] = {
    "an object": ('<ctx>{"page": "home"}</ctx>', [ClientContext({"page": "home"})]),
    "white space around": ('\n<ctx>\n{"page": "home"}\n</ctx>\n', [ClientContext({"page": "home"})]),
    "words": ("<ctx> the home page </ctx>", [ClientContext({"text": "the home page"})]),
    "nothing": ("<ctx></ctx>", [ClientContext({"text": ""})]),
    "a question behind it": (
        '<ctx>{"page": "home"}</ctx>\nWhat is this?',
        [ClientContext({"page": "home"}), Message("user", "What is this?")],
    ),
    "a marker within a text": ("What is <ctx>{}</ctx>?", [Message("user", "What is <ctx>{}</ctx>?")]),
    "a marker without an end": ("<ctx>{}", [Message("user", "<ctx>{}")]),
}


@pytest.mark.parametrize(("text", "items"), MARKERS.values(), ids=MARKERS)
def test_the_superseded_marker_is_read_as_context(text: str, items: list[ContentItem]) -> None:
    assert read(text) == items
    record = AgentRecord("user", items)
    assert read_record(write_record(record)) == record


def test_the_marker_is_the_users_alone() -> None:
    assert read("<ctx>{}</ctx>", role="assistant") == [Message("assistant", "<ctx>{}</ctx>")]


def test_a_text_that_only_looks_like_the_marker_is_not_taken_for_it_when_it_comes_back() -> None:
    record = AgentRecord("user", [Message("user", "<ctx>{}</ctx>")])
    assert read_record(write_record(record)) == record


def test_what_records_have_no_name_for_is_kept_as_items_have_it() -> None:
    items: list[ContentItem] = [
        Message("user", [Image("https://h.example/a.png")], name="ann"),
        Reasoning("so", signature="seal", issuer=Issuer("anthropic_messages")),
        Opaque({"content_type": "hologram"}, issuer=Issuer("unknown")),
    ]
    record = AgentRecord("user", items)
    assert read_record(write_record(record)) == record
    assert read({"content_type": "image", "source": "https://h.example/a.png"}) == [
        Message("user", [Image("https://h.example/a.png")])
    ]


def test_unknown_fields_of_blocks_are_kept() -> None:
    record = {"role": "user", "content": [{"content_type": "tool_result", "tool_call_id": "a", "cost": 3}]}
    assert write_record(read_record(record)) == record


def test_items_are_grouped_by_who_speaks() -> None:
    items: list[ContentItem] = [
        ClientContext({"page": "home"}),
        Message("user", "hi"),
        Message("assistant", "let me look"),
        ToolCall("a", "f"),
        ToolResult("a"),
        Deleted(),
        CompressionFiller("assistant"),
        ErrorItem("stopped"),
    ]
    records = to_records(items)
    assert [(record.role, len(record.items)) for record in records] == [
        ("user", 2),
        ("assistant", 2),
        ("user", 2),
        ("assistant", 2),
    ]
    assert to_items(records) == items


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(histories())
def test_a_history_survives_being_written_as_records(history: list[ContentItem]) -> None:
    written = json.dumps([write_record(record) for record in to_records(history)])
    # The payloads of results are JSON values here, so nothing of them changes.
    assert to_items(read_record(record) for record in json.loads(written)) == loads(dumps(history))


WRONG: dict[str, tuple[Any, str]] = {
    "no object": (3, "$: expected an object with a role and content, got 3 (int)"),
    "no role": (
        {"content": []},
        "$.role: expected one of 'system', 'developer', 'user', 'assistant', got None (NoneType)",
    ),
    "no content": ({"role": "user"}, "$.content: expected a str or a list of blocks, got None (NoneType)"),
    "a number among blocks": (
        {"role": "user", "content": ["a", 3]},
        "$.content[1]: expected an object with a content_type, got 3 (int)",
    ),
    "a wrong type in a block": (
        {"role": "user", "content": [{"content_type": "tool_use", "tool_call_id": "a", "name": 3}]},
        "$.content[0].name: expected str, got 3 (int)",
    ),
    "several faults": (
        {"role": "user", "content": ["a", {"content_type": "tool_result", "status": "success", "name": 1}]},
        "$.content[1].tool_call_id: the key 'tool_call_id' is missing; $.content[1].name: expected str or None, got 1"
        " (int)",
    ),
    "what is no item": (
        {"role": "user", "content": [{"content_type": "usage"}]},
        "$.content[0]: expected an item or a part, got Usage(input_tokens=0, output_tokens=0, cache_read_tokens=0,"
        " cache_write_tokens=… (Usage)",
    ),
}


@pytest.mark.parametrize(("record", "words"), WRONG.values(), ids=WRONG)
def test_what_is_no_record_is_refused_with_its_path(record: Any, words: str) -> None:
    with pytest.raises(FormError) as refused:
        read_record(record)
    assert str(refused.value) == words
