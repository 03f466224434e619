"""Tools whose names or schemas an API refuses: what is sent, and the way back, whole and streamed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.formats.bodies import answer, issuer
from triptych import BaseTool, ItemDone, LlmRequest, LlmResponse, Message, ToolCall, ToolCallDelta, ToolResult, formats
from triptych.dialects import tool_names
from triptych.formats import Call
from triptych.formats.wire_format import WireFormat

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "default": "Oslo"},
        "unit": {"type": "string"},
        "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "required": ["city"],
}
ODD = ["weather.now", "weather now", "9lives", "büro", "x" * 70, "plain"]
PROVIDER = "here"

each_format = pytest.mark.parametrize("name", formats.names())
each_strict = pytest.mark.parametrize(
    "name", [name for name in formats.names() if name not in ("ollama_chat", "gemini_generate")]
)


def rules(name: str) -> tool_names.NameRules:
    wire = formats.load(name)
    assert isinstance(wire, WireFormat)
    found: tool_names.NameRules = getattr(tool_names, wire.fit.names)
    return found


def asking(tools: list[BaseTool], contents: list[Any] | None = None) -> Call:
    return Call(LlmRequest(contents=contents or [Message("user", "q")], tools=tools), "m")


def names_in(body: Any) -> list[str]:
    """Return the names of tools in a body, wherever its format has them, in order and once each."""
    tools = body["toolConfig"] if "toolConfig" in body else body["tools"]
    found = re.findall(r'"name": ("(?:[^"\\]|\\.)*")', json.dumps(tools))
    return list(dict.fromkeys(json.loads(each) for each in found))


@each_format
def test_each_name_that_goes_out_is_one_that_the_api_takes_and_no_others(name: str) -> None:
    body = formats.load(name, PROVIDER).build_request(asking([BaseTool(tool) for tool in ODD])).body
    sent = names_in(body)
    assert (len(sent), [each for each in sent if not rules(name).takes(each)]) == (len(ODD), [])
    assert sent[-1] == "plain"


@each_format
def test_a_call_and_its_result_in_the_history_bear_the_name_of_the_tool(name: str) -> None:
    history = [Message("user", "q"), ToolCall("c1", "weather now", {}), ToolResult("c1", "weather now", content=["1"])]
    wire = formats.load(name, PROVIDER)
    body = wire.build_request(asking([BaseTool("weather now")], history)).body
    (sent,) = names_in(body)
    text = json.dumps(body)
    assert sent in text
    assert name == "ollama_chat" or "weather now" not in text
    call = next(item for item in wire.read_request(body).request.contents if isinstance(item, ToolCall))
    assert call.name == sent


def answered(name: str, call: Call, arguments: Any) -> LlmResponse:
    """Return what a format reads of an answer that calls the one tool of a call by the name that was sent."""
    wire = formats.load(name, PROVIDER)
    (sent,) = names_in(wire.build_request(call).body)
    return wire.parse_response(answer(name, calls=[("c1", sent, arguments)]), call)


@each_format
def test_an_answer_calls_the_tool_by_its_own_name(name: str) -> None:
    response = answered(name, asking([BaseTool("weather now")]), {"a": 1})
    assert [(call.name, call.arguments) for call in response.tool_calls] == [("weather now", {"a": 1})]


@each_strict
def test_a_strict_tool_is_made_to_fit_and_its_arguments_come_back_as_the_program_meant_them(name: str) -> None:
    call = asking([BaseTool("f", "Does.", SCHEMA, strict=True)])
    body = formats.load(name, PROVIDER).build_request(call).body
    assert '"default"' not in json.dumps(body)
    assert '"minLength"' not in json.dumps(body) or name == "mistral_chat"
    entries = [{"key": "a", "value": 1}]
    sent = {"city": "Rome", "unit": None, "labels": {"a": 1} if name == "cohere_chat" else entries}
    response = answered(name, call, sent)
    arguments = response.tool_calls[0].arguments
    assert (arguments["city"], arguments["labels"]) == ("Rome", {"a": 1})
    assert arguments.get("unit") is None


@each_format
def test_a_tool_that_is_not_strict_goes_out_as_it_is(name: str) -> None:
    body = formats.load(name, PROVIDER).build_request(asking([BaseTool("f", parameters=SCHEMA)])).body
    assert json.dumps(SCHEMA["properties"]) in json.dumps(body)


def test_a_strict_tool_that_was_read_from_the_api_goes_back_as_it_was() -> None:
    function = {"name": "f", "parameters": {**SCHEMA, "title": "F"}, "strict": True}
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "q"}],
        "tools": [{"type": "function", "function": function}],
    }
    wire = formats.load("openai_chat", PROVIDER)
    call = wire.read_request(body)
    assert getattr(call.request.tools[0], "issuer", None) == issuer("openai_chat", PROVIDER)
    assert wire.build_request(call).body == body
    elsewhere = json.dumps(formats.load("openai_responses", PROVIDER).build_request(call).body)
    assert '"title"' not in elsewhere


def test_a_schema_that_no_model_can_be_held_to_goes_out_loose_with_a_notice() -> None:
    node: dict[str, Any] = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}, "required": ["next"]}
    tool = BaseTool("f", parameters={**node, "$defs": {"N": node}}, strict=True)
    built = formats.load("anthropic_messages", PROVIDER).build_request(asking([tool]))
    assert "strict" not in built.body["tools"][0]
    assert [(notice.path, notice.what) for notice in built.notices] == [("tools[0].strict", "left out")]


def test_a_stream_tells_the_tools_own_name_and_its_last_event_the_arguments_as_they_were_meant() -> None:
    call = asking([BaseTool("weather now", parameters=SCHEMA, strict=True)])
    wire = formats.load("openai_chat", PROVIDER)
    (sent,) = names_in(wire.build_request(call).body)
    parser = wire.stream_parser(call)
    arguments = '{"city":"Rome","unit":null,"labels":null}'
    delta = {
        "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": {"name": sent, "arguments": arguments}}]
    }
    events = parser.feed({"id": "r", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    assert [event.name for event in events if isinstance(event, ToolCallDelta)] == ["weather now"]
    events = parser.feed(
        {"id": "r", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    )
    expected = ToolCall("c1", "weather now", {"city": "Rome"})
    assert [event.item for event in events if isinstance(event, ItemDone)] in ([], [expected])
    parser.end_marker()
    assert parser.ended
    assert parser.finish(None).tool_calls == [expected]
