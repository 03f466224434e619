"""Every recorded answer is mapped whole, and every recorded error says what the provider said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.formats import corpus
from tests.formats.corpus import Exchange, each
from tests.formats.plain import read_answer, words_in, words_of_items
from triptych import formats
from triptych.content import Message, Reasoning, Refusal
from triptych.parts import Audio
from triptych.response import FinishReason, LlmResponse
from triptych.usage import Usage

_FINISH: Mapping[str | None, FinishReason] = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "": "unknown",
}


def answer_of(exchange: Exchange) -> LlmResponse:
    return formats.load(exchange.format, "recorded").parse_response(exchange.response)


def said(body: Any) -> str:
    """Return the provider's words in an error body of any recorded form."""
    error = body.get("error") or body.get("detail") or body
    words = error if isinstance(error, str) else error["message"]
    assert isinstance(words, str)
    return words


@each(corpus.errors())
def test_an_error_has_the_words_of_the_provider(exchange: Exchange) -> None:
    body = json.dumps(exchange.response).encode()
    error = formats.load(exchange.format).parse_error(exchange.status, exchange.headers, body)
    assert (error.message, error.status) == (said(exchange.response), exchange.status)
    assert error.message


@each(corpus.answers())
def test_an_answer_is_mapped_without_an_error_and_kept_whole(exchange: Exchange) -> None:
    response = answer_of(exchange)
    assert response.error is None
    assert id(response.raw) == id(exchange.response)
    assert response.provider == "recorded"
    assert response.model == (exchange.response.get("model") or None)
    assert response.id == (exchange.response.get("id") or None)


@each(corpus.answers())
def test_all_words_calls_thoughts_and_refusals_are_in_the_answer(exchange: Exchange) -> None:
    response, wire = answer_of(exchange), read_answer(exchange.format, exchange.response)
    assert response.text == "".join(wire.texts)
    calls = [(call.tool_call_id, call.name, call.arguments) for call in response.tool_calls]
    assert calls == [(given or call[0], *rest) for (given, *rest), call in zip(wire.calls, calls, strict=True)]
    assert all(call.tool_call_id for call in response.tool_calls)
    assert [item.refusal for item in response.content if isinstance(item, Refusal)] == wire.refusals
    reasoning = [item.text for item in response.content if isinstance(item, Reasoning)]
    assert set(wire.thoughts) <= set(reasoning)
    parts = [part for item in response.content if isinstance(item, Message) for part in item.content]
    assert [part.transcript for part in parts if isinstance(part, Audio)] == wire.transcripts


@each(corpus.answers("anthropic_messages"))
def test_no_text_of_an_anthropic_answer_is_lost(exchange: Exchange) -> None:
    assert words_in(exchange.response["content"]) <= words_of_items(answer_of(exchange).content)


@each(corpus.answers("openai_chat"))
def test_no_text_of_an_openai_answer_is_lost(exchange: Exchange) -> None:
    kept = words_of_items(answer_of(exchange).content)
    for choice in exchange.response["choices"]:
        # Arguments are JSON in a text, an old call has no id, and a parsed content is a text: compared above.
        message = {key: value for key, value in choice["message"].items() if key not in ("function_call", "tool_calls")}
        message = {key: value for key, value in message.items() if key != "content" or isinstance(value, str)}
        assert {text for text in words_in(message) if not any(text in other for other in kept)} == set()


@each(corpus.answers())
def test_the_finish_reason_is_the_neutral_one_and_the_word_of_the_provider_is_kept(exchange: Exchange) -> None:
    response, body = answer_of(exchange), exchange.response
    if exchange.format == "anthropic_messages":
        raw = body["stop_reason"]
    else:
        choice = body["choices"][0]
        raw = choice["finish_reason"] if "finish_reason" in choice else choice["finish_details"]["type"]
    assert (response.raw_finish_reason, response.finish_reason) == (raw, _FINISH[raw])


@each(corpus.answers("anthropic_messages"))
def test_the_usage_of_an_anthropic_answer_counts_cached_input_as_input(exchange: Exchange) -> None:
    counts = exchange.response["usage"]
    cached, written = counts["cache_read_input_tokens"], counts["cache_creation_input_tokens"]
    thinking = (counts.get("output_tokens_details") or {}).get("thinking_tokens", 0)
    expected = Usage(counts["input_tokens"] + cached + written, counts["output_tokens"], cached, written, thinking)
    usage = answer_of(exchange).usage
    assert usage == expected
    assert usage is not None
    assert id(usage.raw) == id(counts)


@each(corpus.answers("openai_chat"))
def test_the_usage_of_an_openai_answer_adds_up_to_the_total_of_the_host(exchange: Exchange) -> None:
    counts, usage = exchange.response.get("usage"), answer_of(exchange).usage
    if counts is None:
        assert usage is None
        return
    assert usage is not None
    assert id(usage.raw) == id(counts)
    assert usage.input_tokens == counts["prompt_tokens"]
    assert usage.total_tokens == counts["total_tokens"]
    read, wrote = counts.get("prompt_tokens_details") or {}, counts.get("completion_tokens_details") or {}
    hits = [read.get("cached_tokens"), counts.get("prompt_cache_hit_tokens"), counts.get("cache_read_input_tokens")]
    assert usage.cache_read_tokens == next((hit for hit in [*hits, counts.get("cached_tokens")] if hit), 0)
    assert usage.reasoning_tokens == (wrote.get("reasoning_tokens") or 0)
    assert usage.cache_write_tokens == (
        read.get("cache_write_tokens") or counts.get("cache_creation_input_tokens") or 0
    )
