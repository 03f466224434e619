"""What every folder of the corpus is read by: the answer to a recorded request, and a request as it is built back."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tests.formats import rewritings, streams
from tests.formats.bedrock_converse import recorded as bedrock
from tests.formats.cohere_chat import recorded as cohere
from tests.formats.corpus import Exchange, all_exchanges
from tests.formats.gemini_generate import recorded as gemini
from tests.formats.ollama_chat import recorded as ollama
from tests.formats.openai_responses import recorded as responses
from tests.formats.streams import DONE, Wire, played
from triptych import formats
from triptych.formats import Call, Format
from triptych.response import LlmResponse

RECORDED = "recorded"

_EVENTS: Mapping[str, Callable[[Exchange], list[Wire]]] = {
    "bedrock_converse": bedrock.events,
    "cohere_chat": lambda exchange: [*cohere.events(exchange), DONE],
    "gemini_generate": gemini.chunks,
    "ollama_chat": ollama.lines,
    "openai_responses": responses.events,
}
_CANONICAL: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "bedrock_converse": bedrock.canonical,
    "cohere_chat": cohere.canonical,
    "gemini_generate": gemini.canonical,
    "ollama_chat": ollama.canonical,
    "openai_responses": responses.canonical,
}


@cache
def answered() -> tuple[Exchange, ...]:
    """Return the exchanges of all formats that the provider answered, in one piece or in a stream."""
    return tuple(exchange for exchange in all_exchanges() if exchange.status == 200)


def asked(exchange: Exchange, provider: str | None = RECORDED) -> Call:
    """Return what a recorded request says.

    Args:
        exchange: The exchange.
        provider: Whose API it was sent to.
    """
    return formats.load(exchange.format, provider).read_request(copy.deepcopy(exchange.request))


def answer_to(exchange: Exchange, call: Call, provider: str | None = RECORDED) -> LlmResponse:
    """Return what we read of a recorded answer, whole or streamed.

    Args:
        exchange: The exchange.
        call: What was asked.
        provider: Whose answer it is.
    """
    if exchange.stream:
        return played(exchange.format, events(exchange), provider=provider, call=call).response
    return formats.load(exchange.format, provider).parse_response(copy.deepcopy(exchange.response), call)


def events(exchange: Exchange) -> list[Wire]:
    """Return the events of a recorded stream."""
    return _EVENTS.get(exchange.format, streams.wire_events)(exchange)


def as_built(exchange: Exchange) -> dict[str, Any]:
    """Return a recorded request as it is built back: with the documented rewritings of its format."""
    if exchange.format in _CANONICAL:
        return _CANONICAL[exchange.format](exchange.request)
    return rewritings.canonical(exchange.format, exchange.request)


def check_built_back(wire: Format, exchange: Exchange) -> None:
    """Check that a recorded request, read and built again, is as it was, and that neither changed what it was given."""
    body = copy.deepcopy(exchange.request)
    call = wire.read_request(body)
    before = copy.deepcopy(call)
    built = wire.build_request(call)
    assert (built.body, built.notices) == (as_built(exchange), ())
    assert (body, call) == (exchange.request, before)


def said_by(response: LlmResponse) -> list[Any]:
    """Return words, thoughts and calls of a response, each put together."""
    calls = [(call.tool_call_id, call.name, call.arguments) for call in response.tool_calls]
    return [response.text, response.reasoning, calls]
