"""What Ollama's format keeps, whatever conversation it is given; see `tests.formats.test_conversations` for more."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats import strategies
from tests.formats.ollama_chat.recorded import OLLAMA
from triptych import formats
from triptych.content import ContentItem, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.formats import Call
from triptych.request import LlmRequest

WIRE = formats.load(OLLAMA, strategies.PROVIDER)
quick = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def messages_of(contents: list[ContentItem]) -> list[Any]:
    """Return the wire messages of a conversation; none where it was refused for having none."""
    try:
        return list(WIRE.build_request(Call(LlmRequest(contents=contents), "m")).body["messages"])
    except LlmError as refused:
        if refused.kind == "invalid_request":
            return []
        raise


def pairs_of(messages: list[Any]) -> list[tuple[str, Any, str]]:
    """Return name, arguments and result of each call, paired as the API does: by name, in order."""
    pairs = []
    waiting: dict[str, list[Any]] = defaultdict(list)
    for message in messages:
        if message["role"] == "tool":
            pairs.append((message["tool_name"], waiting[message["tool_name"]].pop(0), message["content"]))
            continue
        assert not any(waiting.values()), "a call is followed by something that is no result"
        for call in message.get("tool_calls") or []:
            waiting[call["function"]["name"]].append(call["function"]["arguments"])
    assert not any(waiting.values())
    return pairs


@quick
@given(st.data())
def test_every_result_is_paired_with_its_own_call(data: st.DataObject) -> None:
    contents = data.draw(strategies.conversations(OLLAMA))
    tags = iter(range(99))
    calls: dict[str, tuple[str, int]] = {}
    tagged: list[ContentItem] = []
    expected = []
    for item in contents:
        if isinstance(item, ToolCall):
            calls[item.tool_call_id] = (item.name, next(tags))
            tagged.append(ToolCall(item.tool_call_id, item.name, {"tag": calls[item.tool_call_id][1]}))
        elif isinstance(item, ToolResult):
            name, tag = calls[item.tool_call_id]
            tagged.append(ToolResult(item.tool_call_id, item.name, content=[str(tag)]))
            expected.append((name, {"tag": tag}, str(tag)))
        else:
            tagged.append(item)
    assert sorted(pairs_of(messages_of(tagged)), key=str) == sorted(expected, key=str)


@quick
@given(strategies.calls_of(OLLAMA, strategies.torn_conversations(OLLAMA)))
def test_arguments_are_always_an_object(call: Call) -> None:
    """B002, B003, B015: whatever text the model wrote, and wherever the history comes from."""
    for message in messages_of(list(call.request.contents)):
        for wire in message.get("tool_calls") or []:
            assert isinstance(wire["function"]["arguments"], dict)


@quick
@given(strategies.calls_of(OLLAMA, strategies.conversations(OLLAMA)))
def test_a_body_that_was_read_pairs_the_same_results(call: Call) -> None:
    messages = messages_of(list(call.request.contents))
    read = WIRE.read_request({"model": "m", "messages": messages}).request.contents
    results = {item.tool_call_id for item in read if isinstance(item, ToolResult)}
    assert results == {item.tool_call_id for item in read if isinstance(item, ToolCall)}
