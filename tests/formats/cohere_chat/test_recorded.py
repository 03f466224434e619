"""Every recorded exchange with Cohere: requests come back as they were, nothing of an answer is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve

from tests.formats.bodies import issuer
from tests.formats.closed import faults
from tests.formats.cohere_chat.recorded import (
    COHERE,
    answers,
    errors,
    events,
    exchanges,
    read_answer,
    read_events,
    said_by,
    streams,
    thoughts_and_plan,
)
from tests.formats.corpus import Exchange, each
from tests.formats.plain import results_in_body, texts_in_body, words_in, words_of_items
from tests.formats.recordings import check_built_back
from tests.formats.streams import CUT, played
from triptych import formats
from triptych.content import Message, Reasoning, ToolResult
from triptych.errors import Kind
from triptych.events import ProviderEvent, ReasoningDelta, TextDelta
from triptych.formats import Call
from triptych.formats.malformed import validator
from triptych.usage import Usage

WIRE = formats.load(COHERE, "recorded")
FINISH = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "MAX_TOKENS": "length",
    "TOOL_CALL": "tool_calls",
    "ERROR": "error",
}
# The model of this one counts its picture beside the tokens read.
PICTURE_BESIDE = "cohere_b5ffff7a"


def usage_of(exchange: Exchange, counts: dict[str, Any]) -> Usage | None:
    """Return the usage that recorded counts say."""
    if not counts:
        return None
    tokens = counts["tokens"]
    read = tokens["input_tokens"] + (tokens["image_tokens"] if exchange.id == PICTURE_BESIDE else 0)
    cached = counts.get("cached_tokens", 0)
    return Usage(read, tokens["output_tokens"], cached, reasoning_tokens=tokens.get("reasoning_tokens", 0))


@each(exchanges())
def test_a_request_is_built_back_as_it_was_recorded(exchange: Exchange) -> None:
    check_built_back(WIRE, exchange)


@each(exchanges())
def test_a_request_is_read_into_items_and_settings(exchange: Exchange) -> None:
    """Only what has no setting travels verbatim: a switch to think without a number, an object without a schema."""
    call = WIRE.read_request(exchange.request)
    verbatim = call.settings.extra_body or {}
    assert verbatim in ({}, {"thinking": {"type": "enabled"}}, {"response_format": {"type": "json_object"}})
    body = {name: value for name, value in WIRE.build_request(call).body.items() if name not in verbatim}
    assert faults(COHERE, body) == []


@each(exchanges())
def test_what_was_recorded_has_the_form_of_the_schema(exchange: Exchange) -> None:
    assert list(validator(COHERE, "Request").iter_errors(exchange.request)) == []
    kind = "StreamEvent" if exchange.stream else "Response" if exchange.status < 400 else "Error"
    for body in events(exchange) if exchange.stream else [exchange.response]:
        assert list(validator(COHERE, kind).iter_errors(body)) == []


@each(answers())
def test_an_answer_is_mapped_whole(exchange: Exchange) -> None:
    response, told = WIRE.parse_response(exchange.response), read_answer(exchange.response)
    assert response.error is None
    assert said_by(response) == told.said()
    assert words_in(exchange.response["message"]) <= words_of_items(response.content) | {c[2] for c in told.calls}
    assert (response.id, response.model, response.provider) == (told.end["id"], None, "recorded")
    assert response.raw_finish_reason == told.end["finish_reason"]
    assert response.finish_reason == FINISH[told.end["finish_reason"]]
    assert response.usage == usage_of(exchange, told.end["usage"])


@each(streams())
def test_a_stream_says_all_that_its_events_say(exchange: Exchange) -> None:
    stream, told = played(COHERE, events(exchange), provider="recorded"), read_events(events(exchange))
    response = stream.response
    assert said_by(response) == told.said()
    assert stream.words(TextDelta) == "".join(told.text)
    assert stream.words(ReasoningDelta) == "".join([*told.thought, *told.plan])
    assert [list(call) for call in stream.calls.values()] == told.calls
    assert stream.items == response.content
    assert [event for event in stream.events if isinstance(event, ProviderEvent)] == []
    cited = [
        item.provider_data["citations"] for item in response.content if isinstance(item, Message) and item.provider_data
    ]
    assert cited == ([told.citations] if told.citations else [])
    assert (response.id, response.provider) == (told.end["id"], "recorded")
    assert response.raw_finish_reason == told.end["finish_reason"]
    assert response.finish_reason == FINISH[told.end["finish_reason"]]
    assert response.usage == usage_of(exchange, told.end["usage"])
    assert response.error_message == told.end.get("error")
    assert response.raw is not None
    assert told.end.items() <= response.raw.items()


@each([exchange for exchange in streams() if events(exchange)[-1]["delta"]["finish_reason"] == "ERROR"])
def test_an_answer_that_failed_keeps_its_plan_and_says_why(exchange: Exchange) -> None:
    """B107: the last event has the error, in the middle of an HTTP 200."""
    response = played(COHERE, events(exchange)).response
    assert response.error is not None
    assert (response.error.kind, response.error.code) == ("invalid_request", "INVALID_TOOL_GENERATION")
    assert response.error.partial == ()
    plan = read_events(events(exchange)).plan
    assert response.content == [
        Reasoning("".join(plan), provider_data={"tool_plan": "".join(plan)}, issuer=issuer(COHERE))
    ]


@each(streams())
def test_a_stream_that_is_cut_is_interrupted_and_keeps_what_came(exchange: Exchange) -> None:
    wire = events(exchange)
    for end in range(0, len(wire), max(len(wire) // 12, 1)):
        response, told = played(COHERE, wire[:end]).response, read_events(wire[:end])
        assert response.error is not None
        assert response.error.evolve(partial=()) == CUT
        items = [*response.content, *response.error.partial]
        words = "".join(item.text for item in items if isinstance(item, Message))
        assert (words, *thoughts_and_plan(items)) == ("".join(told.text), "".join(told.thought), "".join(told.plan))
        ended = sum(event["type"] == "tool-call-end" for event in wire[:end])
        assert [call.tool_call_id for call in response.tool_calls] == [call[0] for call in told.calls[:ended]]


@each(streams())
def test_an_event_of_another_kind_changes_nothing_and_is_passed_on(exchange: Exchange) -> None:
    wire, novel = events(exchange), {"type": "novel", "data": {"deep": [1]}}
    with_it = played(COHERE, [wire[0], novel, *wire[1:]])
    assert [event for event in with_it.events if isinstance(event, ProviderEvent)] == [ProviderEvent(novel)]
    assert with_it.response == played(COHERE, wire).response


KINDS: dict[str, Kind] = {"cohere_575b21e6": "not_found", "cohere_891b2896": "context_length"}


@each(errors())
def test_an_error_has_the_kind_and_the_words_of_the_provider(exchange: Exchange) -> None:
    error = WIRE.parse_error(exchange.status, exchange.headers, json.dumps(exchange.response).encode())
    assert (error.kind, error.message, error.status) == (
        KINDS[exchange.id],
        exchange.response["message"],
        exchange.status,
    )
    assert error.code == exchange.response.get("error_type")
    assert error.request_id == exchange.headers.get("x-debug-trace-id")


def next_call(exchange: Exchange) -> Call:
    """Return the call that goes on from a recorded answer: its items, results for its calls, and another question."""
    call = WIRE.read_request(exchange.request)
    response = WIRE.parse_response(exchange.response, call)
    results = [ToolResult(item.tool_call_id, item.name, content=["done"]) for item in response.tool_calls]
    contents = [*call.request.contents, *response.content, *results, Message("user", "And then?")]
    return evolve(call, request=evolve(call.request, contents=contents))


def alone(content: list[Any]) -> Any:
    """Return the content of an answer as it goes back: one text stands alone."""
    return content[0]["text"] if len(content) == 1 and content[0]["type"] == "text" else content


@each(answers())
def test_an_answer_goes_back_in_the_next_request_with_its_thoughts_plan_and_citations(exchange: Exchange) -> None:
    built = WIRE.build_request(next_call(exchange))
    sent = [message for message in built.body["messages"] if message["role"] == "assistant"][-1]
    message = exchange.response["message"]
    if len(message.get("content", [])) == 1:
        message = {**message, "content": alone(message["content"])}
    assert sent == message
    assert built.notices == ()


@each(answers())
def test_an_answer_goes_to_every_other_api_with_all_its_words(exchange: Exchange) -> None:
    text, thought, plan, calls = read_answer(exchange.response).said()
    for name in [name for name in formats.names() if name in ("openai_chat", "anthropic_messages", "mistral_chat")]:
        body = formats.load(name, "other").build_request(next_call(exchange)).body
        assert text.rstrip() in "".join(texts_in_body(body))
        assert len([content for _, content in results_in_body(body) if content == "done"]) == len(calls)
        whole = json.dumps(body, ensure_ascii=False)
        assert not [words for words in (thought, plan) if words and words in whole]


@each([exchange for exchange in exchanges() if exchange.request.get("documents")])
@pytest.mark.parametrize("name", ["openai_chat", "anthropic_messages", "mistral_chat", "ollama_chat"])
def test_the_documents_of_a_request_go_to_another_api_as_words(exchange: Exchange, name: str) -> None:
    body = formats.load(name, "other").build_request(WIRE.read_request(exchange.request)).body
    documents = [document["data"] for document in exchange.request["documents"]]
    sent = " ".join(words_in(body))
    assert {words for words in words_in(documents) if json.dumps(words)[1:-1] not in sent and words not in sent} <= {
        document.get("title")
        for document in documents  # the name of a text, for which not every API has a place
    }
