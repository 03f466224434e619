"""Ids of calls that come again in a later turn: hosts count from 0 in each answer, or name a call by its tool.

Chat Completions, Mistral, Cohere and Responses pair a result with a call before it, so an id that was used and answered
may come again; Anthropic and Bedrock refuse it; Ollama and Gemini pair by name and order. In an answer that we read the
calls have ids that no call before has; a history that was written elsewhere keeps its ids where the API takes them.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.bodies import ALL, OBJECTS, answer, body, notices, parsed
from tests.formats.plain import calls_in_body, results_in_body
from tests.formats.splitters import streams
from tests.formats.streams import played
from triptych.content import ContentItem, Message, ToolCall, ToolResult
from triptych.formats import Call
from triptych.request import LlmRequest

each_format = pytest.mark.parametrize("name", ALL)
each_id = pytest.mark.parametrize("given_id", ["call_0", "functions.f:0", "", None])


def called(name: str, given_id: str | None, number: int) -> dict[str, Any]:
    """Return an answer of two calls, the first of which has an id that other answers have too."""
    arguments = [{"n": number}, {"n": -number}]
    said = arguments if name in OBJECTS else [json.dumps(each) for each in arguments]
    return answer(name, calls=[(given_id, "f", said[0]), (None, "f", said[1])])


def conversation(name: str, given_id: str | None) -> list[ContentItem]:
    """Return three turns of two calls each, with the results, as they come about."""
    history: list[ContentItem] = [Message("user", "go")]
    for number in (1, 2, 3):
        calls = parsed(name, called(name, given_id, number), after=history).tool_calls
        results = [ToolResult(call.tool_call_id, "f", content=[str(call.arguments["n"])]) for call in calls]
        history += [*calls, *results]
    return history


@each_id
@each_format
def test_each_call_of_a_conversation_has_an_id_of_its_own(name: str, given_id: str | None) -> None:
    """B012."""
    calls = [item for item in conversation(name, given_id) if isinstance(item, ToolCall)]
    assert len({call.tool_call_id for call in calls}) == len(calls) == 6
    assert given_id in (calls[0].tool_call_id, "", None)


@each_id
@each_format
def test_each_result_goes_out_with_its_own_call(name: str, given_id: str | None) -> None:
    """B012."""
    history = conversation(name, given_id)
    sent = body(name, history)
    ids = [tool_call_id for tool_call_id, _, _ in calls_in_body(sent)]
    assert results_in_body(sent) == list(zip(ids, ["1", "-1", "2", "-2", "3", "-3"], strict=True))
    assert [notice for notice in notices(name, history) if notice.path == "contents"] == []


@each_format
def test_made_up_ids_differ_though_the_conversation_was_shortened(name: str) -> None:
    """A conversation of which the beginning was taken out is as long as it was when it gave out an id."""
    history = conversation(name, None)
    kept = [*history[-4:-2], *history[-2:]]
    for start in (0, 2):
        after = [Message("user", "go"), *kept[start:]]
        calls = parsed(name, called(name, None, 4), after=after).tool_calls
        before = {item.tool_call_id for item in after if isinstance(item, ToolCall | ToolResult)}
        assert before.isdisjoint(call.tool_call_id for call in calls)


@each_format
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_stream_gives_the_same_ids_as_the_answer_in_one_piece(name: str, data: st.DataObject) -> None:
    call = Call(LlmRequest(contents=[Message("user", "go"), ToolCall("call_0", "f"), ToolResult("call_0", "f")]))
    whole = called(name, "call_0", 1)
    stream = played(name, data.draw(streams(name, whole)), call=call)
    ids = [item.tool_call_id for item in parsed(name, whole, after=call.request.contents).tool_calls]
    assert [item.tool_call_id for item in stream.response.tool_calls] == ids
    assert [item.tool_call_id for item in stream.items if isinstance(item, ToolCall)] == ids
    assert ids[0] == "call_0_2"


@each_format
def test_a_result_answers_the_call_of_its_own_turn_where_an_earlier_one_was_broken_off(name: str) -> None:
    """B012, B019: both turns were written elsewhere, with one id."""
    history = [
        Message("user", "go"),
        ToolCall("f:0", "f", {"n": 1}),
        Message("user", "again"),
        ToolCall("f:0", "f", {"n": 2}),
        ToolResult("f:0", "f", content=["2"]),
    ]
    sent = body(name, history)
    *_, last = calls_in_body(sent)
    assert results_in_body(sent)[-1] == (last[0], "2")
    turns = sent.get("contents") or sent.get("input") or sent["messages"]
    assert [("again" in json.dumps(turn), '"2"' in json.dumps(turn)) for turn in turns][-3:] == [
        (True, False),
        (False, False),
        (False, True),
    ]
    [told] = [notice.what for notice in notices(name, history) if notice.path == "contents"]
    assert "f" in told
