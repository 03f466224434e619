"""Every recorded answer goes back in the next request: sealed blocks as they came, to the API that they came from."""

from __future__ import annotations

import json
from typing import Any

from attrs import evolve

from tests.formats import corpus
from tests.formats.closed import faults
from tests.formats.corpus import Exchange, each
from tests.formats.plain import blocks_in, read_answer, results_in_body, texts_in_body
from triptych import formats
from triptych.content import Message, ToolResult
from triptych.formats import Call

# What only the recorded client or host says: a part with the fields of others; a host's own names of an effort or tier.
STRAY = "compat_b153cd66"
OWN_NAMES = ("compat_3d26e385", "compat_956b01e5")
# What hosts add to an answer and get back with it, though no request has such a field by itself.
ANSWERED = ("provider_metadata", "executed_tools")
_OTHER = {
    "openai_chat": "anthropic_messages",
    "anthropic_messages": "openai_chat",
    "mistral_chat": "anthropic_messages",
}


def next_call(exchange: Exchange, provider: str) -> Call:
    """Return the call that goes on from a recorded answer: its items, results for its calls, and another question."""
    wire = formats.load(exchange.format, provider)
    call = wire.read_request(exchange.request)
    response = wire.parse_response(exchange.response, call)
    results = [ToolResult(item.tool_call_id, item.name, content=["done"]) for item in response.tool_calls]
    contents = [*call.request.contents, *response.content, *results, Message("user", "And then?")]
    return evolve(call, request=evolve(call.request, contents=contents))


def body_without_verbatim(name: str, provider: str, call: Call) -> dict[str, Any]:
    verbatim = call.settings.extra_body or {}
    body = formats.load(name, provider).build_request(call).body
    return {key: value for key, value in body.items() if key not in verbatim}


@each(corpus.answers())
def test_every_block_of_reasoning_and_of_a_server_tool_goes_back_as_it_came(exchange: Exchange) -> None:
    body = body_without_verbatim(exchange.format, "first", next_call(exchange, "first"))
    sent = list(blocks_in(body["messages"]))
    for block in read_answer(exchange.format, exchange.response).blocks:
        assert any(all(key in other and other[key] == value for key, value in block.items()) for other in sent)


@each(corpus.answers())
def test_no_sealed_block_goes_to_another_provider(exchange: Exchange) -> None:
    seals = read_answer(exchange.format, exchange.response).seals
    text = json.dumps(body_without_verbatim(exchange.format, "second", next_call(exchange, "first")))
    assert [seal for seal in seals if seal in text] == []


@each(corpus.answers())
def test_all_words_and_all_results_are_in_the_next_request_of_either_format(exchange: Exchange) -> None:
    wire, call = read_answer(exchange.format, exchange.response), next_call(exchange, "first")
    for name in formats.names():
        body = body_without_verbatim(name, "first", call)
        words = "".join(texts_in_body(body))
        assert [text for text in wire.texts if text.rstrip() not in words] == []
        assert len([content for _, content in results_in_body(body) if content == "done"]) == len(wire.calls)


@each([exchange for exchange in corpus.answers() if exchange.id != STRAY])
def test_the_next_request_to_the_same_api_has_no_unknown_field(exchange: Exchange) -> None:
    body = body_without_verbatim(exchange.format, "first", next_call(exchange, "first"))
    messages = [{key: value for key, value in message.items() if key not in ANSWERED} for message in body["messages"]]
    assert faults(exchange.format, {**body, "messages": messages}) == []


@each([exchange for exchange in corpus.answers() if exchange.id not in OWN_NAMES])
def test_the_next_request_to_the_other_api_has_no_unknown_field(exchange: Exchange) -> None:
    name = _OTHER[exchange.format]
    assert faults(name, body_without_verbatim(name, "other", next_call(exchange, "first"))) == []
