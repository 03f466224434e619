"""Every recorded exchange with generateContent: requests come back as they were, nothing of an answer is lost."""

from __future__ import annotations

import json
from typing import Any

from attrs import asdict, evolve

from tests.formats.closed import faults
from tests.formats.corpus import Exchange, each
from tests.formats.gemini_generate.recorded import (
    GEMINI,
    answers,
    canonical,
    chunks,
    errors,
    exchanges,
    read,
    streams,
)
from tests.formats.plain import results_in_body, texts_in_body, words_in, words_of_items
from tests.formats.recordings import check_built_back
from tests.formats.streams import CUT, played
from triptych import formats
from triptych.content import Message, Opaque, Reasoning, ToolCall, ToolResult
from triptych.events import ReasoningDelta, TextDelta
from triptych.formats import Call
from triptych.formats.malformed import validator
from triptych.response import LlmResponse

WIRE = formats.load(GEMINI, "recorded")
# The model's call could not be executed, or the prompt was blocked.
FAILED = {
    "gemini_0586ff88": ("malformed_response", "UNEXPECTED_TOOL_CALL"),
    "gemini_773a7510": ("malformed_response", "MALFORMED_FUNCTION_CALL"),
    "gemini_88219f64": ("content_filter", "MODEL_ARMOR"),
}
KINDS = {
    "gemini_11fd5bb3": ("authentication", "API_KEY_INVALID"),
    "gemini_1ad63cdf": ("not_found", "NOT_FOUND"),
    "gemini_324bed0e": ("authentication", "PERMISSION_DENIED"),
    "gemini_497c0528": ("not_found", "NOT_FOUND"),
    "gemini_55325ad8": ("invalid_request", "INVALID_ARGUMENT"),
    "gemini_5fcf3ef3": ("not_found", "NOT_FOUND"),
    "gemini_651fa5c8": ("rate_limit", "RESOURCE_EXHAUSTED"),
    "gemini_78d096d9": ("rate_limit", "RESOURCE_EXHAUSTED"),
    "gemini_82d2fcec": ("invalid_request", "INVALID_ARGUMENT"),
    "gemini_889ec51d": ("authentication", "API_KEY_INVALID"),
    "gemini_8e8ba7d3": ("invalid_request", "INVALID_ARGUMENT"),
    "gemini_9f9cc491": ("invalid_request", "INVALID_ARGUMENT"),
}
VERBATIM = {"generationConfig", "toolConfig", "safetySettings", "cachedContent", "model", "modelArmorConfig"}


def said_by(response: LlmResponse) -> list[Any]:
    calls = [(call.name, call.arguments) for call in response.tool_calls]
    thoughts = "".join(item.text for item in response.content if isinstance(item, Reasoning))
    return [response.text, thoughts, calls, [item.data for item in others_of(response)]]


def others_of(response: LlmResponse) -> list[Any]:
    return [item for item in response.content if isinstance(item, Opaque)]


def seals_of(response: LlmResponse) -> list[str]:
    """Return the signatures in the items, in order."""
    found: list[str] = []

    def look(value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in ("thoughtSignature", "signature") and inner:
                    found.append(inner)
                else:
                    look(inner)
        elif isinstance(value, (list, tuple)):
            for inner in value:
                look(inner)

    look([asdict(item) for item in response.content])
    return found


@each(exchanges())
def test_a_request_is_built_back_as_it_was_recorded(exchange: Exchange) -> None:
    check_built_back(WIRE, exchange)


@each(exchanges())
def test_a_request_is_read_into_items_and_settings(exchange: Exchange) -> None:
    """Only what has no item and no setting travels verbatim."""
    call = WIRE.read_request(exchange.request)
    verbatim = call.settings.extra_body or {}
    assert verbatim.keys() <= VERBATIM
    body = {name: value for name, value in WIRE.build_request(call).body.items() if name not in verbatim}
    assert faults(GEMINI, body) == []


@each(exchanges())
def test_every_recorded_result_finds_its_call(exchange: Exchange) -> None:
    contents = WIRE.read_request(exchange.request).request.contents
    calls = [item.tool_call_id for item in contents if isinstance(item, ToolCall)]
    assert len(set(calls)) == len(calls)
    assert [item.tool_call_id for item in contents if isinstance(item, ToolResult)] == calls


@each(exchanges())
def test_what_was_recorded_has_the_form_of_the_schema(exchange: Exchange) -> None:
    assert list(validator(GEMINI, "Request").iter_errors(canonical(exchange.request))) == []
    kind = "Error" if exchange.status >= 400 else "StreamChunk" if exchange.stream else "Response"
    streamed = kind == "StreamChunk"
    for body in chunks(exchange) if streamed else [_decoded(exchange.response)]:
        assert list(validator(GEMINI, kind).iter_errors(body)) == []


def _decoded(response: Any) -> Any:
    return json.loads(response) if isinstance(response, str) else response


@each([exchange for exchange in answers() if exchange.id not in FAILED])
def test_an_answer_is_mapped_whole(exchange: Exchange) -> None:
    response, told = WIRE.parse_response(exchange.response), read([exchange.response])
    assert response.error is None
    assert said_by(response) == ["".join(told.text), "".join(told.thought), told.calls, told.others_but_media()]
    assert seals_of(response) == told.seals
    for candidate in exchange.response["candidates"]:
        kept = words_of_items(response.content)  # media are a data URL there
        words = words_in(candidate["content"].get("parts", []))
        assert [word for word in words if not any(word in text for text in kept)] == []
    assert (response.model, response.id) == (exchange.response["modelVersion"], exchange.response.get("responseId"))
    assert_finish_and_usage(response, told)


def assert_finish_and_usage(response: LlmResponse, told: Any) -> None:
    """Usage has one meaning: input and output together are the API's own total."""
    assert response.raw_finish_reason == told.reasons[-1]
    neutral = {"STOP": "tool_calls" if told.calls else "stop", "MAX_TOKENS": "length"}
    assert response.finish_reason == neutral[told.reasons[-1]]
    assert response.usage is not None
    assert (response.usage.input_tokens, response.usage.output_tokens) == told.usage()
    assert response.usage.total_tokens == told.counts["totalTokenCount"]


@each([exchange for exchange in answers() if exchange.id in FAILED])
def test_an_answer_that_is_none_to_use_says_why(exchange: Exchange) -> None:
    """B089, B091."""
    response = WIRE.parse_response(exchange.response)
    assert response.error is not None
    assert (response.error.kind, response.error.code) == FAILED[exchange.id]
    assert (response.content, response.raw) == ([], exchange.response)
    assert response.error_message == (
        exchange.response["candidates"][0]["finishMessage"]
        if "candidates" in exchange.response
        else exchange.response["promptFeedback"]["blockReasonMessage"]
    )


@each(streams())
def test_a_stream_says_all_that_its_chunks_say(exchange: Exchange) -> None:
    stream, told = played(GEMINI, chunks(exchange), provider="recorded"), read(chunks(exchange))
    response = stream.response
    assert response.error is None
    assert said_by(response) == ["".join(told.text), "".join(told.thought), told.calls, told.others]
    assert seals_of(response) == told.seals
    assert stream.words(TextDelta) == "".join(told.text)
    assert stream.words(ReasoningDelta) == "".join(told.thought)
    made = [(name, json.loads(arguments)) for _, name, arguments in stream.calls.values()]
    assert made == told.calls
    assert stream.items == response.content
    assert_finish_and_usage(response, told)


@each(streams())
def test_a_stream_that_came_as_one_array_is_the_same_answer(exchange: Exchange) -> None:
    whole = WIRE.parse_response(chunks(exchange))
    assert whole == played(GEMINI, chunks(exchange), provider="recorded").response


@each(streams())
def test_a_stream_that_is_cut_is_interrupted_and_keeps_what_came(exchange: Exchange) -> None:
    wire = chunks(exchange)
    for end in range(len(wire)):
        response, told = played(GEMINI, wire[:end]).response, read(wire[:end])
        if wire[end - 1 :][0]["candidates"][0].get("finishReason") and end:
            assert response.error is None  # a finish reason before the last part
            continue
        assert response.error is not None
        assert response.error.evolve(partial=()) == CUT
        items = [*response.content, *response.error.partial]
        words = [item.text for item in items if isinstance(item, Message)]
        thoughts = [item.text for item in items if isinstance(item, Reasoning)]
        assert ["".join(words), "".join(thoughts)] == ["".join(told.text), "".join(told.thought)]


@each(errors())
def test_an_error_has_its_kind_and_the_words_of_the_api(exchange: Exchange) -> None:
    wire = _decoded(exchange.response)
    for body in (wire, [wire]):
        error = WIRE.parse_error(exchange.status, exchange.headers, json.dumps(body).encode())
        assert (error.kind, error.code) == KINDS[exchange.id]
        assert (error.message, error.status) == (wire["error"]["message"], exchange.status)


def next_call(exchange: Exchange) -> Call:
    """Return the call that goes on from a recorded answer: its items, results for its calls, and another question."""
    call = WIRE.read_request(exchange.request)
    response = WIRE.parse_response(exchange.response, call)
    results = [ToolResult(item.tool_call_id, item.name, content=["done"]) for item in response.tool_calls]
    contents = [*call.request.contents, *response.content, *results, Message("user", "And then?")]
    return evolve(call, request=evolve(call.request, contents=contents))


@each([exchange for exchange in answers() if exchange.id not in FAILED])
def test_an_answer_goes_back_in_the_next_request_byte_for_byte(exchange: Exchange) -> None:
    built = WIRE.build_request(next_call(exchange))
    sent = [part for content in built.body["contents"] for part in content["parts"]]
    for candidate in exchange.response["candidates"]:
        for part in candidate["content"].get("parts", []):
            assert part in sent or part == {"text": ""}
    assert built.notices == ()
    verbatim = next_call(exchange).settings.extra_body or {}
    assert faults(GEMINI, {name: value for name, value in built.body.items() if name not in verbatim}) == []


@each([exchange for exchange in answers() if exchange.id not in FAILED])
def test_an_answer_goes_to_every_other_api_with_all_its_words_and_no_seal(exchange: Exchange) -> None:
    told, call = read([exchange.response]), next_call(exchange)
    for name in ("openai_chat", "anthropic_messages", "mistral_chat", "ollama_chat", GEMINI):
        elsewhere = evolve(call, model="m", settings=evolve(call.settings, extra_body=None))
        body = formats.load(name, "other").build_request(elsewhere).body
        words = "".join(texts_in_body(body))
        assert [text for text in told.text if text.rstrip() not in words] == []
        assert len([content for _, content in results_in_body(body) if content == "done"]) == len(told.calls)
        assert [seal for seal in told.seals if seal in json.dumps(body)] == []
