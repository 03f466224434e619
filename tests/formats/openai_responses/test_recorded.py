"""Every recorded exchange with the Responses API: requests built back, answers and streams read whole, errors named."""

from __future__ import annotations

import copy
import json
from typing import Any

from tests.formats.bodies import HERE, parsed
from tests.formats.closed import faults
from tests.formats.corpus import Exchange, each
from tests.formats.openai_responses import recorded
from tests.formats.openai_responses.recorded import CALLS, RESPONSES
from tests.formats.recordings import check_built_back
from tests.formats.streams import DONE, played
from triptych import formats
from triptych.content import Message, Opaque, Refusal, ToolResult
from triptych.events import ReasoningDelta, RefusalDelta, TextDelta
from triptych.formats import Call
from triptych.formats.malformed import validator
from triptych.request import LlmRequest
from triptych.response import LlmResponse

WIRE = formats.load(RESPONSES)
KINDS = {
    "invalid_api_key": "authentication",
    "model_not_found": "not_found",
    "context_length_exceeded": "context_length",
    "unsupported_file": "invalid_request",
    "invalid_value": "invalid_request",
}
FINISHES = {"max_output_tokens": "length", "content_filter": "content_filter", "queued": "unknown"}


@each(recorded.exchanges())
def test_a_request_is_built_back_as_it_was_recorded(exchange: Exchange) -> None:
    check_built_back(WIRE, exchange)


@each(recorded.exchanges())
def test_the_conversation_is_read_into_items_and_never_carried_verbatim(exchange: Exchange) -> None:
    call = WIRE.read_request(exchange.request)
    assert (call.settings.extra_body or {}).keys().isdisjoint({"input", "instructions", "model", "stream", "tools"})
    given: Any = exchange.request.get("input")
    items = given if isinstance(given, list) else []
    kept = [item.data for item in call.request.contents if isinstance(item, Opaque)]
    typed = ("message", "reasoning", *CALLS, *(f"{kind}_output" for kind in CALLS))
    assert kept == [item for item in items if item.get("type", "message") not in typed]


@each([exchange for exchange in recorded.exchanges() if exchange.status == 200])
def test_a_built_request_has_no_field_that_the_schema_does_not_know(exchange: Exchange) -> None:
    call = WIRE.read_request(exchange.request)
    verbatim = call.settings.extra_body or {}
    body = {key: value for key, value in WIRE.build_request(call).body.items() if key not in verbatim}
    assert faults(RESPONSES, body) == []


def check_said(response: LlmResponse, items: list[Any]) -> None:
    """Check that a response says what the items of an answer say, in their words."""
    told = recorded.read(items)
    assert response.text == "".join(told.texts)
    assert [item.refusal for item in response.content if isinstance(item, Refusal)] == told.refusals
    assert response.reasoning == "\n".join(told.thoughts)
    calls = [(call.tool_call_id, call.name, call.arguments) for call in response.tool_calls if not call.malformed]
    assert calls == [call for call in told.calls if call[2] != {"input": None}]
    assert [item.data for item in response.content if isinstance(item, Opaque)] == told.others


def check_ended(response: LlmResponse, body: dict[str, Any]) -> None:
    """Check that a response ended as the body of the answer says, and cost what it says."""
    raw = (body["incomplete_details"] or {}).get("reason") or body["status"]
    assert (response.error, response.raw_finish_reason) == (None, raw)
    ended = "tool_calls" if response.tool_calls else "stop"
    assert response.finish_reason == FINISHES.get(raw, ended)
    assert (response.id, response.model) == (body["id"], body["model"])
    counts = body["usage"]
    if counts is None:
        assert response.usage is None
    else:
        assert response.usage is not None
        assert response.usage.raw == counts
        assert response.usage_metadata == {name: counts[name] for name in ("input_tokens", "output_tokens")}
        assert response.usage.reasoning_tokens == counts["output_tokens_details"]["reasoning_tokens"]
        assert response.usage.cache_read_tokens == counts["input_tokens_details"]["cached_tokens"]


@each(recorded.answers())
def test_an_answer_is_read_whole(exchange: Exchange) -> None:
    response = parsed(RESPONSES, exchange.response)
    check_said(response, exchange.response["output"])
    check_ended(response, exchange.response)
    assert response.raw == exchange.response


def replayed(response: LlmResponse, provider: str = HERE) -> list[Any]:
    """Return the input of the request that goes on from an answer, as it begins."""
    results = [ToolResult(call.tool_call_id, content=["done"]) for call in response.tool_calls]
    contents = [*response.content, *results, Message("user", "And then?")]
    wire = formats.load(RESPONSES, provider)
    sent: list[Any] = list(wire.build_request(Call(LlmRequest(contents=contents), "m")).body["input"])
    return sent[: -len(results) - 1]


@each(recorded.answers())
def test_an_answer_goes_back_item_for_item_as_it_came(exchange: Exchange) -> None:
    """B143, B144: in its order, with its ids, and with nothing between."""
    assert replayed(parsed(RESPONSES, exchange.response)) == exchange.response["output"]


@each(recorded.answers())
def test_another_provider_gets_words_and_calls_and_no_id_or_seal(exchange: Exchange) -> None:
    sent = replayed(parsed(RESPONSES, exchange.response), "elsewhere")
    text = json.dumps(sent)
    for item in exchange.response["output"]:
        assert item.get("id") is None or item["id"] not in text
        assert item.get("encrypted_content") is None or item["encrypted_content"] not in text
    told = recorded.read(exchange.response["output"])
    assert [item["content"] for item in sent if "role" in item] == [*told.texts, *told.refusals]
    assert [(item["call_id"], item["name"]) for item in sent if item.get("type") in CALLS] == [
        (call_id, name) for call_id, name, _ in told.calls
    ]


@each(recorded.streams())
def test_a_stream_is_read_whole(exchange: Exchange) -> None:
    wire = recorded.events(exchange)
    before = copy.deepcopy(wire)
    stream = played(RESPONSES, wire)
    last = recorded.last_response(wire)
    assert stream.response == parsed(RESPONSES, last)
    check_said(stream.response, last["output"])
    check_ended(stream.response, last)
    assert stream.items == stream.response.content
    assert stream.words(TextDelta) == stream.response.text
    told = recorded.read(last["output"])
    assert stream.words(RefusalDelta) == "".join(told.refusals)
    assert stream.words(ReasoningDelta) == "".join(told.thoughts)
    assert len(stream.calls) == len(told.calls)
    assert wire == before


@each(recorded.streams())
def test_a_stream_cut_anywhere_keeps_the_items_that_were_whole(exchange: Exchange) -> None:
    """B123."""
    wire = [event for event in recorded.events(exchange) if event != DONE]
    whole = played(RESPONSES, wire).response
    for end in range(len(wire)):
        stream = played(RESPONSES, wire[:end])
        assert stream.response.error is not None
        assert stream.response.error.kind == "stream_interrupted"
        count = sum(event["type"] == "response.output_item.done" for event in wire[:end])
        assert stream.response.content == whole.content[:count]
        items = [*stream.response.content, *stream.response.error.partial]
        assert "".join(item.text for item in items if isinstance(item, Message)) == stream.words(TextDelta)


@each([exchange for exchange in recorded.exchanges() if exchange.status >= 400])
def test_an_error_has_its_kind(exchange: Exchange) -> None:
    error = WIRE.parse_error(exchange.status, exchange.headers, json.dumps(exchange.response).encode())
    said = exchange.response["error"]
    assert (error.kind, error.code, error.message) == (KINDS[said["code"]], said["code"], said["message"])
    assert (error.status, error.retryable) == (exchange.status, False)


@each(recorded.exchanges())
def test_what_was_recorded_has_the_form_of_the_schema(exchange: Exchange) -> None:
    parts: list[tuple[str, Any]] = [("Request", exchange.request)] if exchange.status == 200 else []
    if exchange.stream:
        parts += [("StreamEvent", event) for event in recorded.events(exchange) if event != DONE]
    else:
        parts.append(("Response" if exchange.status == 200 else "Error", exchange.response))
    for definition, body in parts:
        assert [error.message for error in validator(RESPONSES, definition).iter_errors(body)] == []
