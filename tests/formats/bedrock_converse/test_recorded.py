"""Every recorded exchange with Bedrock: requests come back as they were, nothing of an answer is lost."""

from __future__ import annotations

import json
from typing import Any

from attrs import evolve

from tests.formats.bedrock_converse.recorded import (
    BEDROCK,
    answers,
    events,
    exchanges,
    read_answer,
    read_events,
    streams,
)
from tests.formats.closed import faults
from tests.formats.corpus import Exchange, each
from tests.formats.plain import blocks_in, results_in_body, texts_in_body, words_in, words_of_items
from tests.formats.recordings import check_built_back, said_by
from tests.formats.streams import CUT, played
from tests.framing import recorded as framed
from triptych import formats
from triptych.content import Message, Opaque, ToolResult
from triptych.events import ProviderEvent, ReasoningDelta, TextDelta
from triptych.formats import Call
from triptych.formats.malformed import validator
from triptych.usage import Usage

WIRE = formats.load(BEDROCK, "recorded")
FINISH = {
    "end_turn": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "guardrail_intervened": "content_filter",
}
# Fields of a request that have neither an item nor a setting.
VERBATIM = {"additionalModelRequestFields", "guardrailConfig", "outputConfig"}
# Kind and type of each recorded error; some recordings lack the header with the type.
KINDS = {
    "bedrock_40d46ef2": ("authentication", "UnrecognizedClientException"),
    "bedrock_43453380": ("invalid_request", None),
    "bedrock_8830ea89": ("not_found", "ResourceNotFoundException"),
    "bedrock_a36af99f": ("not_found", None),
    "bedrock_d0b095d9": ("invalid_request", None),
}


def usage_of(end: dict[str, Any]) -> Usage:
    counts = end["usage"]
    cached, written = counts.get("cacheReadInputTokens", 0), counts.get("cacheWriteInputTokens", 0)
    assert counts["totalTokens"] == counts["inputTokens"] + cached + written + counts["outputTokens"]
    return Usage(counts["inputTokens"] + cached + written, counts["outputTokens"], cached, written)


@each(exchanges())
def test_a_request_is_built_back_as_it_was_recorded(exchange: Exchange) -> None:
    check_built_back(WIRE, exchange)


@each(exchanges())
def test_a_request_is_read_into_items_and_settings(exchange: Exchange) -> None:
    """Only what has no item and no setting travels verbatim."""
    call = WIRE.read_request(exchange.request)
    assert (call.settings.extra_body or {}).keys() <= VERBATIM
    assert (call.model, call.stream) == (None, False)
    assert not any(isinstance(item, Opaque) and "role" in item.data for item in call.request.contents)
    assert faults(BEDROCK, WIRE.build_request(call).body) == []


@each(exchanges())
def test_what_was_recorded_has_the_form_of_the_schema(exchange: Exchange) -> None:
    assert list(validator(BEDROCK, "Request").iter_errors(exchange.request)) == []
    kind = "StreamEvent" if exchange.stream else "Response" if exchange.status < 400 else "Error"
    for body in events(exchange) if exchange.stream else [exchange.response]:
        assert list(validator(BEDROCK, kind).iter_errors(body)) == []


@each(answers())
def test_an_answer_is_mapped_whole(exchange: Exchange) -> None:
    response, told = WIRE.parse_response(exchange.response), read_answer(exchange.response)
    assert response.error is None
    assert said_by(response) == ["".join(told.texts), "".join(told.thoughts), told.calls]
    message = exchange.response["output"]["message"]
    assert words_in(message["content"]) - {"assistant", "tool_use"} <= words_of_items(response.content)
    assert (response.model, response.id, response.provider) == (None, None, "recorded")
    assert response.finish_reason == FINISH[told.end["stopReason"]]
    assert response.raw_finish_reason == told.end["stopReason"]
    assert response.usage == usage_of(told.end)


@each(streams())
def test_a_stream_says_all_that_its_events_say(exchange: Exchange) -> None:
    stream, told = played(BEDROCK, events(exchange), provider="recorded"), read_events(events(exchange))
    response = stream.response
    assert response.error is None
    assert said_by(response) == ["".join(told.texts), "".join(told.thoughts), told.calls]
    assert stream.words(TextDelta) == "".join(told.texts)
    assert stream.words(ReasoningDelta) == "".join(told.thoughts)
    made = [(call_id, name, json.loads(arguments)) for call_id, name, arguments in stream.calls.values()]
    assert made == told.calls
    assert stream.items == response.content
    assert [event for event in stream.events if isinstance(event, ProviderEvent)] == []
    blocks = list(blocks_in([item.data for item in response.content if isinstance(item, Opaque)]))
    assert {block["toolUseId"] for block in blocks if "name" in block} == set(told.served)
    kept = [block for item in response.content if isinstance(item, Message) for block in blocks_in(item_data(item))]
    assert [citation for citation in told.citations if citation not in kept] == []
    assert response.finish_reason == FINISH[told.end["stopReason"]]
    assert response.usage == usage_of(told.end)
    assert response.raw is not None
    assert told.end.items() <= response.raw.items()


def item_data(item: Message) -> list[Any]:
    return [part.provider_data for part in item.content if not isinstance(part, str) and part.provider_data]


@each(streams())
def test_a_recorded_stream_is_framed_as_it_was_sent(exchange: Exchange) -> None:
    """The events that the framing gives, cut anywhere, are those that the recording tells."""
    [body] = [stream.body for stream in framed.streams() if stream.id == exchange.id]
    for size in (1 << 20, 97, 1):
        framing = WIRE.framing()
        data = [event for start in range(0, len(body), size) for event in framing.feed(body[start : start + size])]
        assert [json.loads(event) for event in [*data, *framing.finish()]] == events(exchange)


@each(streams())
def test_a_stream_that_is_cut_is_interrupted_and_keeps_what_came(exchange: Exchange) -> None:
    wire = events(exchange)
    for end in range(0, len(wire) - 2, max(len(wire) // 12, 1)):
        response, told = played(BEDROCK, wire[:end]).response, read_events(wire[:end])
        assert response.error is not None
        assert response.error.evolve(partial=()) == CUT
        words = [item.text for item in [*response.content, *response.error.partial] if isinstance(item, Message)]
        assert "".join(words) == "".join(told.texts)
        assert [call.tool_call_id for call in response.tool_calls] == [call_id for call_id, *_ in told.calls]


@each(streams())
def test_an_event_of_another_kind_changes_nothing_and_is_passed_on(exchange: Exchange) -> None:
    wire, novel = events(exchange), {"novelEvent": {"deep": [1]}}
    with_it = played(BEDROCK, [wire[0], novel, *wire[1:]])
    assert [event for event in with_it.events if isinstance(event, ProviderEvent)] == [ProviderEvent(novel)]
    assert with_it.response == played(BEDROCK, wire).response


@each([exchange for exchange in exchanges() if exchange.status >= 400])
def test_an_error_has_its_kind_and_the_words_of_the_service(exchange: Exchange) -> None:
    error = WIRE.parse_error(exchange.status, exchange.headers, json.dumps(exchange.response).encode())
    assert (error.kind, error.code) == KINDS[exchange.id]
    assert (error.message, error.status) == (exchange.response["message"], exchange.status)
    assert error.request_id == exchange.headers.get("x-amzn-requestid")


def next_call(exchange: Exchange) -> Call:
    """Return the call that goes on from a recorded answer: its items, results for its calls, and another question."""
    call = WIRE.read_request(exchange.request)
    response = WIRE.parse_response(exchange.response, call)
    results = [ToolResult(item.tool_call_id, item.name, content=["done"]) for item in response.tool_calls]
    contents = [*call.request.contents, *response.content, *results, Message("user", "And then?")]
    return evolve(call, request=evolve(call.request, contents=contents))


@each(answers())
def test_an_answer_goes_back_in_the_next_request_as_it_came(exchange: Exchange) -> None:
    built = WIRE.build_request(next_call(exchange))
    assert (built.notices, faults(BEDROCK, built.body)) == ((), [])
    sent = list(blocks_in(built.body["messages"]))
    for block in exchange.response["output"]["message"]["content"]:
        use = block.get("toolUse", {})
        plain = {
            key: value for key, value in use.items() if (key, value) != ("type", "tool_use")
        }  # answers alone say it
        assert ({"toolUse": plain} if use else block) in sent


@each(answers())
def test_an_answer_goes_to_every_other_api_with_all_its_words_and_without_its_seals(exchange: Exchange) -> None:
    told = read_answer(exchange.response)
    for name in ("openai_chat", "anthropic_messages", "mistral_chat", "ollama_chat", BEDROCK):
        body = formats.load(name, "other").build_request(next_call(exchange)).body
        text = json.dumps(body, ensure_ascii=False)
        assert "".join(told.texts).strip() in "".join(texts_in_body(body))
        assert len([content for _, content in results_in_body(body) if content == "done"]) == len(told.calls)
        assert [seal for seal in [*told.seals, *told.thoughts] if seal in text] == []
