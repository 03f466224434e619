"""All recorded chat exchanges of the corpus, of every folder, whether or not the library has their format yet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from tests.formats.corpus import FOLDER, Exchange
from triptych import formats

# The wire format of the exchanges in each folder.
FORMATS: Mapping[str, str] = {
    "openai_chat": "openai_chat",
    "openai_compatible_other": "openai_chat",
    "openai_responses": "openai_responses",
    "anthropic": "anthropic_messages",
    "gemini": "gemini_generate",
    "bedrock_converse": "bedrock_converse",
    "mistral": "mistral_chat",
    "cohere": "cohere_chat",
    "ollama": "ollama_chat",
}
# A request of another endpoint has none of these.
_CONVERSATION = frozenset({"messages", "input", "contents"})
# Here a body that does not speak of a stream asks for none; elsewhere the URL says it, or the server streams.
_SILENCE_IS_WHOLE = frozenset({"openai_chat", "openai_responses", "mistral_chat", "cohere_chat"})


@cache
def all_exchanges() -> tuple[Exchange, ...]:
    """Return the chat exchanges of every folder; none where the corpus is absent."""
    paths = [(path, name) for folder, name in FORMATS.items() for path in sorted((FOLDER / folder).glob("*.json"))]
    read = (_read(json.loads(path.read_bytes()), name) for path, name in paths)
    return tuple(exchange for exchange in read if not _CONVERSATION.isdisjoint(exchange.request))


def exchanges() -> list[Exchange]:
    """Return those in a format that the library has."""
    return [exchange for exchange in all_exchanges() if exchange.format in formats.names()]


def answers() -> list[Exchange]:
    """Return those that were answered in one piece, in a format that the library has."""
    return [exchange for exchange in exchanges() if exchange.status == 200 and not exchange.stream]


def streamed(exchange: Exchange) -> bool:
    """Return whether a request asks for a stream: by its body, or by its URL, as its answer shows."""
    return bool(exchange.request.get("stream", exchange.format not in _SILENCE_IS_WHOLE and exchange.stream))


def _read(recorded: dict[str, Any], name: str) -> Exchange:
    if urlsplit(recorded["url"]).path.endswith("/responses"):  # other hosts speak that format too
        name = "openai_responses"
    return Exchange(
        recorded["id"],
        name,
        urlsplit(recorded["url"]).netloc,
        recorded["status"],
        recorded["stream"],
        recorded["response_headers"] or {},
        recorded["request"] or {},
        recorded["response"],
    )
