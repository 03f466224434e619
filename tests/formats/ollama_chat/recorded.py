"""The recorded exchanges with Ollama's chat API, and a plain reading of them, written apart from the library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from tests.formats import corpus
from tests.formats.corpus import Exchange

OLLAMA = "ollama_chat"


def exchanges() -> tuple[Exchange, ...]:
    """Return all exchanges with the chat endpoint."""
    return corpus.exchanges_in("ollama", OLLAMA)


def answers() -> list[Exchange]:
    """Return those that were answered in one piece."""
    return [exchange for exchange in exchanges() if exchange.status < 400 and not exchange.stream]


def streams() -> list[Exchange]:
    """Return those that were answered by a stream."""
    return [exchange for exchange in exchanges() if exchange.stream]


def lines(exchange: Exchange) -> list[Any]:
    """Return the lines of a recorded stream."""
    return [json.loads(line) for line in exchange.response.split("\n") if line.strip()]


@frozen
class Told:
    """What an answer says, in the server's words.

    Args:
        text: The words.
        thought: The words of the thought.
        calls: Id, name and arguments of each call.
        end: The fields of the last line, but for the message.
    """

    text: list[str] = field(factory=list)
    thought: list[str] = field(factory=list)
    calls: list[tuple[str, str, Any]] = field(factory=list)
    end: dict[str, Any] = field(factory=dict)


def read(wire: Iterable[Mapping[str, Any]]) -> Told:
    """Return what the lines of a stream say; a whole answer is a stream of one line."""
    told = Told()
    for line in wire:
        message = line.get("message", {})
        told.text.append(message.get("content", ""))
        told.thought.append(message.get("thinking", ""))
        for call in message.get("tool_calls", []):
            told.calls.append((call["id"], call["function"]["name"], call["function"]["arguments"]))
        told.end.update({name: value for name, value in line.items() if name != "message"})
    return told


def canonical(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recorded request as it is built back.

    Two things are rewritten. An empty list of tools says what its absence says. Whether to stream is always said: the
    server streams unless it is told not to, so that silence means yes.
    """
    kept = {name: value for name, value in body.items() if (name, value) != ("tools", [])}
    return {"stream": True, **kept}
