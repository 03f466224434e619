"""Every recorded exchange with Ollama: requests come back as they were, nothing of an answer is lost."""

from __future__ import annotations

import json

from attrs import evolve

from tests.formats.closed import faults
from tests.formats.corpus import Exchange, each
from tests.formats.ollama_chat.recorded import OLLAMA, answers, exchanges, lines, read, streams
from tests.formats.plain import results_in_body, texts_in_body, words_in, words_of_items
from tests.formats.recordings import check_built_back, said_by
from tests.formats.streams import CUT, played
from triptych import formats
from triptych.content import Message, Reasoning, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.events import ProviderEvent, ReasoningDelta, TextDelta
from triptych.formats import Call
from triptych.formats.malformed import validator
from triptych.usage import Usage

WIRE = formats.load(OLLAMA, "recorded")


def finish_of(exchange: Exchange, reason: str) -> str:
    told = read([exchange.response] if not exchange.stream else lines(exchange))
    return "tool_calls" if reason == "stop" and told.calls else reason


@each(exchanges())
def test_a_request_is_built_back_as_it_was_recorded(exchange: Exchange) -> None:
    check_built_back(WIRE, exchange)


@each(exchanges())
def test_a_request_is_read_into_items_and_settings(exchange: Exchange) -> None:
    """Only what has no item and no setting travels verbatim."""
    call = WIRE.read_request(exchange.request)
    verbatim = call.settings.extra_body or {}
    assert verbatim.keys() <= {"think", "format", "options", "keep_alive"}
    assert verbatim.get("options", {}).keys() <= {"think"}
    body = {name: value for name, value in WIRE.build_request(call).body.items() if name not in verbatim}
    assert faults(OLLAMA, body) == []


@each(exchanges())
def test_every_recorded_result_finds_its_call(exchange: Exchange) -> None:
    contents = WIRE.read_request(exchange.request).request.contents
    calls = [item.tool_call_id for item in contents if isinstance(item, ToolCall)]
    assert len(set(calls)) == len(calls)
    assert [item.tool_call_id for item in contents if isinstance(item, ToolResult)] == calls


@each(exchanges())
def test_what_was_recorded_has_the_form_of_the_schema(exchange: Exchange) -> None:
    assert list(validator(OLLAMA, "Request").iter_errors(exchange.request)) == []
    kind = "StreamChunk" if exchange.stream else "Response" if exchange.status < 400 else "Error"
    for body in lines(exchange) if exchange.stream else [exchange.response]:
        assert list(validator(OLLAMA, kind).iter_errors(body)) == []


@each(answers())
def test_an_answer_is_mapped_whole(exchange: Exchange) -> None:
    response, told = WIRE.parse_response(exchange.response), read([exchange.response])
    assert response.error is None
    assert said_by(response) == ["".join(told.text), "".join(told.thought), told.calls]
    assert words_in(exchange.response["message"]) <= words_of_items(response.content)
    assert (response.model, response.id, response.provider) == (told.end["model"], None, "recorded")
    assert response.raw_finish_reason == told.end["done_reason"]
    assert response.finish_reason == finish_of(exchange, told.end["done_reason"])
    assert response.usage == Usage(told.end["prompt_eval_count"], told.end["eval_count"])


@each(streams())
def test_a_stream_says_all_that_its_lines_say(exchange: Exchange) -> None:
    stream, told = played(OLLAMA, lines(exchange), provider="recorded"), read(lines(exchange))
    response = stream.response
    assert response.error is None
    assert said_by(response) == ["".join(told.text), "".join(told.thought), told.calls]
    assert stream.words(TextDelta) == "".join(told.text)
    assert stream.words(ReasoningDelta) == "".join(told.thought)
    made = [(call_id, name, json.loads(arguments)) for call_id, name, arguments in stream.calls.values()]
    assert made == told.calls
    assert stream.items == response.content
    assert [event for event in stream.events if isinstance(event, ProviderEvent)] == []
    assert (response.model, response.provider) == (told.end["model"], "recorded")
    assert response.finish_reason == finish_of(exchange, told.end["done_reason"])
    assert response.usage == Usage(told.end["prompt_eval_count"], told.end["eval_count"])
    assert response.raw is not None
    assert told.end.items() <= response.raw.items()


@each(streams())
def test_a_stream_that_is_cut_is_interrupted_and_keeps_what_came(exchange: Exchange) -> None:
    wire = lines(exchange)
    for end in range(0, len(wire), max(len(wire) // 12, 1)):
        response, told = played(OLLAMA, wire[:end]).response, read(wire[:end])
        assert response.error is not None
        assert response.error.evolve(partial=()) == CUT
        items = [*response.content, *response.error.partial]
        words = [item.text for item in items if isinstance(item, Message)]
        thoughts = [item.text for item in items if isinstance(item, Reasoning)]
        assert ["".join(words), "".join(thoughts)] == ["".join(told.text), "".join(told.thought)]
        assert [call.tool_call_id for call in response.tool_calls] == [call_id for call_id, *_ in told.calls]


@each(streams())
def test_a_line_of_another_kind_changes_nothing_and_is_passed_on(exchange: Exchange) -> None:
    wire, novel = lines(exchange), {"type": "novel", "data": {"deep": [1]}}
    with_it = played(OLLAMA, [wire[0], novel, *wire[1:]])
    assert [event for event in with_it.events if isinstance(event, ProviderEvent)] == [ProviderEvent(novel)]
    assert with_it.response == played(OLLAMA, wire).response


@each([exchange for exchange in exchanges() if exchange.status >= 400])
def test_an_error_has_the_kind_and_the_words_of_the_server(exchange: Exchange) -> None:
    error = WIRE.parse_error(exchange.status, exchange.headers, json.dumps(exchange.response).encode())
    assert error == LlmError(exchange.response["error"], "not_found", status=404)


def next_call(exchange: Exchange) -> Call:
    """Return the call that goes on from a recorded answer: its items, results for its calls, and another question."""
    call = WIRE.read_request(exchange.request)
    response = WIRE.parse_response(exchange.response, call)
    results = [ToolResult(item.tool_call_id, item.name, content=["done"]) for item in response.tool_calls]
    contents = [*call.request.contents, *response.content, *results, Message("user", "And then?")]
    return evolve(call, request=evolve(call.request, contents=contents))


@each(answers())
def test_an_answer_goes_back_in_the_next_request(exchange: Exchange) -> None:
    built = WIRE.build_request(next_call(exchange))
    sent = [message for message in built.body["messages"] if message["role"] == "assistant"][-1]
    message = exchange.response["message"]
    calls = [call["function"] for call in message.get("tool_calls", [])]
    calls = [{"name": function["name"], "arguments": function["arguments"]} for function in calls]
    assert sent == {
        **{name: value for name, value in message.items() if name != "tool_calls"},
        **({"tool_calls": [{"function": function} for function in calls]} if calls else {}),
    }
    assert built.notices == ()


@each(answers())
def test_an_answer_goes_to_every_other_api_with_all_its_words(exchange: Exchange) -> None:
    told = read([exchange.response])
    for name in formats.names():
        body = formats.load(name, "other").build_request(next_call(exchange)).body
        assert "".join(told.text).rstrip() in "".join(texts_in_body(body))
        assert len([content for _, content in results_in_body(body) if content == "done"]) == len(told.calls)
        assert ("".join(told.thought) in json.dumps(body, ensure_ascii=False)) is (not any(told.thought))
