"""Values of every class that has a JSON form."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.formats.strategies import PRIVATE, calls, calls_of, json_values, names, objects, texts, torn_conversations
from triptych.agent import Event
from triptych.content import ContentItem, Deleted, Message, Reasoning, ToolCall, ToolResult
from triptych.errors import LlmError, Notice
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, RefusalDelta, TextDelta, ToolCallDelta
from triptych.output import OutputSchema
from triptych.parts import Issuer, Opaque, Text
from triptych.persist import unstructure
from triptych.response import LlmResponse
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool
from triptych.usage import Usage

FORMATS = tuple(PRIVATE)
issuers = st.builds(Issuer, st.sampled_from(FORMATS), st.none() | names)

# What a history has beside what formats are tried with: the program's own values and everybody's private data.
own_items: SearchStrategy[ContentItem] = st.one_of(
    st.builds(
        ToolResult,
        names,
        st.none() | names,
        content=st.lists(json_values | texts.map(Text), max_size=2),
        payload=json_values,
        runtime_ms=st.none() | st.integers(0, 9) | st.floats(0, 1e6),
        raw_response=st.none() | objects,
    ),
    st.builds(Reasoning, texts, summary=st.lists(texts, max_size=2), encrypted=texts, issuer=issuers),
    st.builds(ToolCall, names, names, objects, provider_data=objects, issuer=issuers),
    st.builds(Message, st.just("assistant"), texts, provider_data=objects, issuer=issuers),
    st.builds(Opaque, objects, issuer=issuers),
    st.builds(Deleted, names),
)


def is_finite(value: object) -> bool:
    """Return whether there is no NaN and no infinity in a value, which JSON has no numbers for."""
    try:
        json.dumps(unstructure(value), allow_nan=False)
    except ValueError:
        return False
    return True


def histories() -> SearchStrategy[list[ContentItem]]:
    """Return conversations of all providers, whole and torn, with private data of each."""
    pieces = st.one_of(own_items.map(lambda item: [item]), *(torn_conversations(name) for name in FORMATS))
    return (
        st.lists(pieces, max_size=4).map(lambda groups: [item for group in groups for item in group]).filter(is_finite)
    )


errors = st.builds(
    LlmError,
    texts,
    st.sampled_from(["internal", "rate_limit", "stream_interrupted"]),
    status=st.none() | st.integers(400, 599),
    retry_after=st.none() | st.floats(0, 60),
    retryable=st.none() | st.booleans(),
    body=st.none() | texts,
    partial=st.lists(calls, max_size=2),
)
usages = st.builds(Usage, st.integers(0, 2**70), st.integers(0, 99), reasoning_tokens=st.integers(0, 9), raw=objects)
responses = st.builds(
    LlmResponse,
    st.lists(own_items, max_size=3),
    error=st.none() | errors,
    usage=st.none() | usages,
    finish_reason=st.sampled_from([None, "stop", "unknown"]),
    model=st.none() | texts,
    notices=st.lists(st.builds(Notice, texts, texts, texts), max_size=2).map(tuple),
    output=json_values,
    raw=st.none() | objects,
).filter(is_finite)
requests = (
    st.sampled_from(FORMATS)
    .flatmap(lambda name: calls_of(name, torn_conversations(name)))
    .filter(lambda call: is_finite(call.request))
)
events: SearchStrategy[Any] = st.one_of(
    st.builds(TextDelta, texts, st.integers(0, 2)),
    st.builds(ReasoningDelta, texts),
    st.builds(RefusalDelta, texts),
    st.builds(ToolCallDelta, st.none() | names, names, texts, st.integers(0, 2)),
    st.builds(ItemDone, own_items),
    st.builds(ProviderEvent, objects),
    st.builds(Event, names, st.lists(own_items, max_size=2), st.datetimes(timezones=st.just(UTC))),
).filter(is_finite)
others: SearchStrategy[Any] = st.one_of(
    issuers,
    errors,
    usages,
    st.builds(Settings, extra_body=st.none() | objects, reasoning=st.sampled_from([None, "low", 512])),
    st.builds(Notice, texts, texts, texts),
    st.builds(OutputSchema, objects, repairs=st.integers(0, 2)),
    st.builds(BaseTool, names, texts, objects, issuer=st.none() | issuers),
    st.builds(ProviderTool, objects, st.none() | issuers),
).filter(is_finite)
