"""All recorded chat exchanges of the corpus, of every folder, whether or not the library has their format yet."""

from __future__ import annotations

from tests.formats.corpus import Exchange, all_exchanges
from triptych import formats

# Here a body that does not speak of a stream asks for none; elsewhere the URL says it, or the server streams.
_SILENCE_IS_WHOLE = frozenset({"openai_chat", "openai_responses", "mistral_chat", "cohere_chat"})


def exchanges() -> list[Exchange]:
    """Return those in a format that the library has."""
    return [exchange for exchange in all_exchanges() if exchange.format in formats.names()]


def answers() -> list[Exchange]:
    """Return those that were answered in one piece, in a format that the library has."""
    return [exchange for exchange in exchanges() if exchange.status == 200 and not exchange.stream]


def streamed(exchange: Exchange) -> bool:
    """Return whether a request asks for a stream: by its body, or by its URL, as its answer shows."""
    return bool(exchange.request.get("stream", exchange.format not in _SILENCE_IS_WHOLE and exchange.stream))
