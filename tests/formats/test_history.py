"""Histories as they are found in the wild, built for every format: what was torn, foreign or odd still goes out."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.formats.bodies import (
    ALL,
    ANTHROPIC,
    HERE,
    OBJECTS,
    answer,
    body,
    built,
    issuer,
    messages,
    notices,
    parsed,
)
from tests.formats.plain import calls_in_body, results_in_body, texts_in_body
from triptych.content import ContentItem, Message, Opaque, Reasoning, ToolCall, ToolResult
from triptych.errors import LlmError, Notice
from triptych.request import OutputSchema

each = pytest.mark.parametrize("name", ALL)

# APIs on which the system text stands beside the messages, and why a later one is moved there.
SYSTEM_FIRST = {
    "anthropic_messages": "few models of this API take one in the middle of a conversation",
    "gemini_generate": "this API takes none in the middle of a conversation",
    "bedrock_converse": "few models of this API take one in the middle of a conversation",
}
# APIs on which a call and its result find each other by name and order; ids of their own go back as they came.
BY_ORDER = ("ollama_chat", "gemini_generate")

CONVERSATION: list[ContentItem] = [
    Message("user", "Add."),
    ToolCall("a", "add", {"x": {"deep": [1]}}),
    ToolCall("b", "add", {"x": 2}),
    ToolResult("b", "add", content=[{"sum": [2]}]),
    ToolResult("a", "add", content=["1"]),
    Message("user", [], provider_data={"cache_control": {"type": "ephemeral"}}, issuer=issuer(ANTHROPIC)),
]


def paths(told: list[Notice]) -> list[str]:
    """Return the places of notices, but for that of the tools that Bedrock wants declared for calls."""
    return [notice.path for notice in told if notice.path != "tools"]


@pytest.mark.parametrize("name", [name for name in ALL if name not in OBJECTS])
@pytest.mark.parametrize("raw", ['{"path": "a" "b"}', "not json", "[1]", "3", '"text"'])
def test_arguments_that_are_no_object_go_back_as_they_came_where_text_is_taken(name: str, raw: str) -> None:
    """B003, B005."""
    history = [Message("user", "go"), ToolCall("x", "f", raw_arguments=raw), ToolResult("x", "f", "error", ["bad"])]
    [(call_id, tool, arguments)] = calls_in_body(body(name, history))
    assert (tool, arguments) == ("f", raw)
    assert results_in_body(body(name, history)) == [(call_id, "Error: bad")]
    assert notices(name, history) == []


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("raw", ['{"path": "a" "b"}', "not json", "[1]", "3", '"text"'])
def test_arguments_that_are_no_object_go_as_an_object_that_quotes_them_where_one_is_demanded(
    name: str, raw: str
) -> None:
    """B002, B003, B005."""
    history = [Message("user", "go"), ToolCall("x", "f", raw_arguments=raw), ToolResult("x", "f", "error", ["bad"])]
    [(call_id, tool, arguments)] = calls_in_body(body(name, history))
    assert (tool, arguments) == ("f", {"raw_arguments": raw})
    [(result_id, said)] = results_in_body(body(name, history))
    assert (result_id, "bad" in str(said)) == (call_id, True)
    assert notices(name, history)[0].path == "contents[1].arguments"


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("raw", ["", "   ", None, "null"])
def test_arguments_that_say_nothing_go_as_an_empty_object_where_one_is_demanded(name: str, raw: str | None) -> None:
    """B002, B015."""
    history = [Message("user", "go"), ToolCall("x", "f", raw_arguments=raw), ToolResult("x", "f", content=["1"])]
    assert [arguments for _, _, arguments in calls_in_body(body(name, history))] == [{}]


@each
def test_a_call_without_a_result_is_named_in_a_notice(name: str) -> None:
    """B019."""
    notice, *_ = notices(name, [Message("user", "go"), ToolCall("x", "f"), Message("user", "continue")])
    assert (notice.path, "'x'" in notice.what) == ("contents", True)


def test_a_call_without_a_result_is_answered_with_an_error_where_the_api_demands_one() -> None:
    """B019."""
    history = [Message("user", "go"), ToolCall("x", "f"), Message("user", "continue")]
    assert messages(ANTHROPIC, history)[2] == {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "x",
                "content": "No result: this call was not answered.",
                "is_error": True,
            },
            {"type": "text", "text": "continue"},
        ],
    }


def test_a_call_at_the_end_of_the_history_is_answered_too() -> None:
    """B019."""
    turns = messages(ANTHROPIC, [Message("user", "go"), ToolCall("x", "f")])
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert results_in_body({"messages": turns}) == [("x", "No result: this call was not answered.")]


@each
def test_a_result_without_a_call_is_named_in_a_notice(name: str) -> None:
    """B019."""
    [notice] = notices(name, [Message("user", "go"), ToolResult("x", "f", content=["4"])])
    assert (notice.path.partition("[")[0], "'x'" in notice.what) == ("contents", True)


def test_a_result_without_a_call_becomes_text_where_the_api_refuses_it() -> None:
    """B019."""
    turn = messages(ANTHROPIC, [Message("user", "go"), ToolResult("x", "f", content=["4"])])[-1]
    assert turn["content"] == [
        {"type": "text", "text": "Result of an earlier tool call:"},
        {"type": "text", "text": "4"},
        {"type": "text", "text": "go"},
    ]


def test_results_come_first_in_the_turn_that_follows_their_calls() -> None:
    """B019: what the user says meanwhile must not stand between."""
    history = [Message("user", "go"), ToolCall("x", "f"), Message("user", "wait"), ToolResult("x", "f", content=["4"])]
    assert messages(ANTHROPIC, history)[2] == {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "x", "content": "4"}, {"type": "text", "text": "wait"}],
    }


@each
@pytest.mark.parametrize("given", [["", ""], [None, None], ["f", "f"], ["functions.f:0", "functions.f:0", "", None]])
def test_calls_of_one_answer_get_distinct_ids_that_are_the_same_each_time(name: str, given: list[Any]) -> None:
    """B010, B012."""
    arguments: Any = {} if name in OBJECTS else "{}"
    wire = answer(name, calls=[(tool_call_id, "f", arguments) for tool_call_id in given])
    ids = [call.tool_call_id for call in parsed(name, wire).tool_calls]
    assert len(ids) == len(set(ids)) == len(given)
    assert all(ids)
    assert ids == [call.tool_call_id for call in parsed(name, copy.deepcopy(wire)).tool_calls]
    kept = {tool_call_id for tool_call_id in given if tool_call_id}
    assert kept <= set(ids)


@each
def test_made_up_ids_of_two_answers_differ(name: str) -> None:
    """B010."""
    arguments: Any = {} if name in OBJECTS else "{}"
    history: list[ContentItem] = [Message("user", "go")]
    [first] = parsed(name, answer(name, calls=[("", "f", arguments)], id="r1"), after=history).tool_calls
    history += [first, ToolResult(first.tool_call_id, "f", content=["1"])]
    [second] = parsed(name, answer(name, calls=[("", "f", arguments)], id="r2"), after=history).tool_calls
    assert first.tool_call_id != second.tool_call_id


@each
def test_calls_of_one_answer_with_one_id_are_answered_one_to_one(name: str) -> None:
    """B012."""
    pair: list[Any] = [{"a": 1}, {"a": 2}] if name in OBJECTS else ['{"a":1}', '{"a":2}']
    calls = parsed(name, answer(name, calls=[("functions.eval:301", "eval", given) for given in pair])).tool_calls
    assert [call.arguments for call in calls] == [{"a": 1}, {"a": 2}]
    results = [ToolResult(call.tool_call_id, "eval", content=[str(call.arguments["a"])]) for call in calls]
    sent = body(name, [Message("user", "go"), *calls, *results])
    ids = [tool_call_id for tool_call_id, _, _ in calls_in_body(sent)]
    assert len(set(ids)) == (1 if name in BY_ORDER else 2)
    assert results_in_body(sent) == list(zip(ids, ["1", "2"], strict=True))
    assert paths(notices(name, [Message("user", "go"), *calls, *results])) == []


@pytest.mark.parametrize("name", ["anthropic_messages", "bedrock_converse"])
def test_an_id_that_comes_back_in_a_later_turn_is_made_unique_where_the_api_demands_it(name: str) -> None:
    """B012: hosts that count from 0 in each answer."""
    turn = [ToolCall("f:0", "f"), ToolResult("f:0", "f", content=["1"])]
    sent = body(name, [Message("user", "go"), *turn, *turn])
    ids = [tool_call_id for tool_call_id, _, _ in calls_in_body(sent)]
    assert len(set(ids)) == 2
    assert [tool_call_id for tool_call_id, _ in results_in_body(sent)] == ids


@each
@pytest.mark.parametrize("tool_call_id", ["call 1", "functions.f:0", "é" * 80, "\ud83c", "a" * 65])
def test_a_foreign_id_is_mapped_alike_for_the_call_and_its_result(name: str, tool_call_id: str) -> None:
    sent = body(
        name, [Message("user", "go"), ToolCall(tool_call_id, "f"), ToolResult(tool_call_id, "f", content=["1"])]
    )
    [(call_id, _, _)] = calls_in_body(sent)
    assert results_in_body(sent) == [(call_id, "1")]
    if name in ("anthropic_messages", "bedrock_converse"):
        assert call_id.isascii()
        assert set(call_id) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
        assert len(call_id) <= 64


@each
def test_building_leaves_the_callers_objects_as_they_were(name: str) -> None:
    """B056."""
    schema = OutputSchema({"type": "object", "properties": {"a": {"type": "number"}}})
    settings = {"metadata": {"k": "v"}, "extra_body": {"own": {"deep": [1]}}, "stop": ["x"]}
    before = copy.deepcopy((CONVERSATION, schema, settings))
    sent = body(name, CONVERSATION, settings=settings, output_type=schema)
    assert (CONVERSATION, schema, settings) == before
    assert sent["own"] == {"deep": [1]}


@each
def test_a_body_does_not_depend_on_what_was_built_before(name: str) -> None:
    """B057."""
    fresh = copy.deepcopy(CONVERSATION)
    for other in ALL:
        built(other, CONVERSATION)
    assert built(name, CONVERSATION) == built(name, fresh)


@each
def test_two_system_messages_reach_the_model_in_order(name: str) -> None:
    """B041."""
    history = [Message("system", "say foo"), Message("system", "say bar"), Message("user", "go")]
    assert texts_in_body(body(name, history)) == ["say foo", "say bar", "go"]
    said = texts_in_body(body(name, [history[2]], instructions=["say foo", "say bar"]))
    assert "\n\n".join(said) == "say foo\n\nsay bar\n\ngo"


@each
def test_instructions_come_before_system_messages(name: str) -> None:
    """B041."""
    history = [Message("system", "then this"), Message("user", "go")]
    assert texts_in_body(body(name, history, instructions="first this")) == ["first this", "then this", "go"]


@pytest.mark.parametrize("name", [name for name in ALL if name not in SYSTEM_FIRST])
def test_a_later_system_message_stays_in_its_place_where_the_api_takes_it_there(name: str) -> None:
    """B042."""
    history = [Message("user", "a"), Message("assistant", "b"), Message("system", "new rule"), Message("user", "c")]
    assert texts_in_body(body(name, history)) == ["a", "b", "new rule", "c"]
    assert notices(name, history) == []


@pytest.mark.parametrize("name", SYSTEM_FIRST)
def test_a_later_system_message_is_moved_to_the_front_with_a_notice(name: str) -> None:
    """B042."""
    history = [Message("user", "a"), Message("assistant", "b"), Message("system", "new rule"), Message("user", "c")]
    assert texts_in_body(body(name, history)) == ["new rule", "a", "b", "c"]
    assert notices(name, history) == [
        Notice("contents[2]", "system message moved to the system text", SYSTEM_FIRST[name])
    ]


def test_a_later_system_message_is_not_lost_beside_a_blank_instruction() -> None:
    """B041, B042."""
    history = [Message("user", "a"), Message("system", "new rule")]
    assert body(ANTHROPIC, history, instructions=[""])["system"] == [{"type": "text", "text": "new rule"}]


@pytest.mark.parametrize("name", SYSTEM_FIRST)
def test_a_request_of_system_text_alone_is_refused_where_that_is_no_message(name: str) -> None:
    """B044."""
    with pytest.raises(LlmError) as caught:
        body(name, [Message("system", "do X")])
    assert caught.value.kind == "invalid_request"


@pytest.mark.parametrize("name", [name for name in ALL if name not in SYSTEM_FIRST])
def test_a_request_of_system_text_alone_is_sent_where_that_is_a_message(name: str) -> None:
    """B044: OpenAI answers to it."""
    sent = body(name, [Message("system", "do X")])
    assert sent.get("messages", sent.get("input")) == [{"role": "system", "content": "do X"}]


@each
def test_a_request_without_contents_is_refused_before_it_is_sent(name: str) -> None:
    """B044."""
    with pytest.raises(LlmError) as caught:
        body(name, [])
    assert (caught.value.kind, "at least one message" in caught.value.message) == ("invalid_request", True)


@each
def test_private_data_of_another_issuer_stays_at_home(name: str) -> None:
    """B051, B146."""
    other = issuer(name, "elsewhere")
    history: list[ContentItem] = [
        Message("user", "hi", provider_data={"cache": 1}, issuer=other),
        Reasoning("deep", signature="seal", provider_data={"reasoning_content": "deep"}, issuer=other),
        Reasoning("never sealed"),
        ToolCall("x", "f", provider_data={"extra_content": {"seal": 1}}, issuer=other),
        ToolResult("x", "f", content=["1"], provider_data={"cache": 1}, issuer=other),
        Opaque({"type": "server_tool_use", "id": "s", "name": "w", "input": {}}, issuer=other),
        Message("user", "go on"),
    ]
    plain = [Message("user", "hi"), ToolCall("x", "f"), ToolResult("x", "f", content=["1"]), Message("user", "go on")]
    assert body(name, history) == body(name, plain)
    assert paths(notices(name, history)) == ["contents[1]", "contents[2]", "contents[5]"]
    assert [notice.what for notice in notices(name, history)][:3] == [
        "Reasoning left out",
        "Reasoning left out",
        "Opaque left out",
    ]


@each
@pytest.mark.parametrize(
    ("provider", "format_name"),
    [("elsewhere", None), (HERE, "novel"), (None, None)],
    ids=["another provider", "another format of it", "nobody known"],
)
def test_reasoning_goes_back_only_on_a_whole_match(name: str, provider: str | None, format_name: str | None) -> None:
    """B146: the same words sealed on another platform make the session unusable."""
    sealed = Reasoning(
        "deep",
        signature="seal",
        provider_data={"reasoning_content": "deep"},
        issuer=issuer(format_name or name, provider),
    )
    assert body(name, [Message("user", "hi"), sealed]) == body(name, [Message("user", "hi")])
