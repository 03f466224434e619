"""Agent-message records, the older form of a conversation: a role, and blocks of raw text or tagged by `content_type`.

A block that is a str is text. The others are those of `triptych.persist` under the names that records have for them:
`tool_use` is a `ToolCall`, and `text` is read too. A message of the user's that begins with the superseded marker
`<ctx>…</ctx>` is read as a `ClientContext`, and written as a `client_context` block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from attrs import field, frozen

from triptych import jsontext
from triptych.checks import is_a, list_of, one_of, shown
from triptych.content import (
    ITEM_TYPES,
    ClientContext,
    CompressionFiller,
    ContentItem,
    Deleted,
    Message,
    Role,
    ToolResult,
)
from triptych.persist import FormError, structure, unstructure

_TAG = "content_type"
_TYPES_READ = {"tool_use": "tool_call"}
_TYPES_WRITTEN = {ours: theirs for theirs, ours in _TYPES_READ.items()}
_IDS_READ = {"tool_use_id": "tool_call_id", "toolUseId": "tool_call_id"}
# What records of different ages call a field, by the name of the block that has it.
_FIELDS_READ: Mapping[str, Mapping[str, str]] = {
    "tool_use": {
        "id": "tool_call_id",
        "tool_use_id": "tool_call_id",
        "toolUseId": "tool_call_id",
        "input": "arguments",
    },
    "tool_result": {"tool_use_id": "tool_call_id", "toolUseId": "tool_call_id"},
    "error": {"message": "error_message", "code": "error_code"},
}
_OWN = ("role", "content")
# Where a path begins in the words of a fault; there may be several.
_PATH = re.compile(r"(?:^|(?<=; ))\$(?=[.\[:])")
_MARKER = re.compile(r"\s*<ctx>(?P<facts>.*?)</ctx>\s*", re.DOTALL)


@frozen
class AgentRecord:
    """One record: what one side said in one go.

    Args:
        role: Whose it is.
        items: What was said, in order.
        fields: The other fields of the record, such as an id or a time, as they are.
    """

    role: Role = field(validator=one_of(*get_args(Role)))
    items: list[ContentItem] = field(factory=list, validator=list_of(*ITEM_TYPES))
    fields: Mapping[str, Any] = field(factory=dict, validator=is_a(dict))


def read_record(record: Mapping[str, Any]) -> AgentRecord:
    """Return what a record says.

    Args:
        record: An object with `role` and `content`: a str, or a list of blocks.

    Raises:
        FormError: it is none; the message has the path, what was expected and what was got.
    """
    if not isinstance(record, Mapping):
        raise FormError(f"$: expected an object with a role and content, got {shown(record)}")
    role: Any = record.get("role")
    content: Any = record.get("content")
    if role not in get_args(Role):
        raise FormError(f"$.role: expected one of {', '.join(map(repr, get_args(Role)))}, got {shown(role)}")
    blocks = [content] if isinstance(content, str) else content
    if not isinstance(blocks, list):
        raise FormError(f"$.content: expected a str or a list of blocks, got {shown(content)}")
    items = [item for index, block in enumerate(blocks) for item in _read_block(block, role, index)]
    return AgentRecord(role, items, {name: value for name, value in record.items() if name not in _OWN})


def _read_block(block: Any, role: Role, index: int) -> list[ContentItem]:
    if isinstance(block, dict) and block.get(_TAG) == "text" and block.keys() == {_TAG, "text"}:
        block = block["text"]
    if isinstance(block, str):
        return _read_text(block, role)
    try:
        item = structure(_as_items_have_it(block, role))
    except FormError as fault:
        raise FormError(_PATH.sub(rf"\g<0>.content[{index}]", str(fault))) from fault
    if isinstance(item, ITEM_TYPES):
        return [item]
    try:
        return [Message(role, [item])]  # a picture or a paper is a block of its own
    except TypeError as fault:
        raise FormError(f"$.content[{index}]: expected an item or a part, got {shown(item)}") from fault


def _read_text(text: str, role: Role) -> list[ContentItem]:
    marker = _MARKER.match(text) if role == "user" else None
    if marker is None:
        return [Message(role, text)]
    rest = text[marker.end() :]
    context = ClientContext(_facts(marker["facts"]))
    return [context, Message(role, rest)] if rest else [context]


def _facts(text: str) -> dict[str, Any]:
    try:
        facts = jsontext.decode(text)
    except ValueError:
        facts = None
    return facts if isinstance(facts, dict) else {"text": text.strip()}


def _as_items_have_it(block: Any, role: Role) -> Any:
    """Return a block under the names that items have: of its type, and of its fields."""
    if not isinstance(block, dict) or not isinstance(block.get(_TAG), str):
        return block
    tag: str = block[_TAG]
    names = _FIELDS_READ.get(tag, {})
    renamed = {new: block[old] for old, new in names.items() if old in block and new not in block}
    used = {old for old, new in names.items() if old in block and new not in block}
    rest = {name: value for name, value in block.items() if name not in used}
    known = {**rest, **renamed, _TAG: _TYPES_READ.get(tag, tag)}
    if tag == "tool_use" and known.get("arguments", 0) is None:
        del known["arguments"]
    return {"role": role, **known} if tag == "compression_filler" else known


def write_record(record: AgentRecord) -> dict[str, Any]:
    """Return the JSON object of a record: `read_record` gives the same record back.

    Args:
        record: The record.
    """
    return {"role": record.role, **record.fields, "content": [_write_block(item, record.role) for item in record.items]}


def _write_block(item: ContentItem, role: Role) -> Any:
    if isinstance(item, Message) and isinstance(item.content, str) and item == Message(role, item.content):
        marked = role == "user" and _MARKER.match(item.content)
        if not marked:
            return item.content
    block = unstructure(item)
    tag = block[_TAG]
    return {**block, _TAG: _TYPES_WRITTEN.get(tag, tag)}


def to_records(items: Iterable[ContentItem]) -> list[AgentRecord]:
    """Return items as records: what one side says in a row is one.

    Args:
        items: The conversation.
    """
    groups: list[tuple[Role, list[ContentItem]]] = []
    for item in items:
        role = _role(item, groups[-1][0] if groups else "user")
        if groups and groups[-1][0] == role:
            groups[-1][1].append(item)
        else:
            groups.append((role, [item]))
    return [AgentRecord(role, group) for role, group in groups]


def _role(item: ContentItem, before: Role) -> Role:
    if isinstance(item, Message | CompressionFiller):
        return item.role
    if isinstance(item, Deleted):
        return before  # a tombstone does not say whose it was
    return "user" if isinstance(item, ToolResult | ClientContext) else "assistant"


def to_items(records: Iterable[AgentRecord]) -> list[ContentItem]:
    """Return the conversation that records make.

    Args:
        records: The records in order.
    """
    return [item for record in records for item in record.items]
