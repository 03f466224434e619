"""The recorded exchanges with Bedrock Converse, and a plain reading of them, written apart from the library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from tests.formats import corpus
from tests.formats.corpus import Exchange

BEDROCK = "bedrock_converse"


def exchanges() -> tuple[Exchange, ...]:
    """Return all exchanges."""
    return corpus.exchanges_in("bedrock_converse", BEDROCK)


def answers() -> list[Exchange]:
    """Return those that were answered in one piece."""
    return [exchange for exchange in exchanges() if exchange.status < 400 and not exchange.stream]


def streams() -> list[Exchange]:
    """Return those that were answered by a stream."""
    return [exchange for exchange in exchanges() if exchange.stream]


def events(exchange: Exchange) -> list[Any]:
    """Return the events of a recorded stream."""
    frames = [json.loads(line) for line in exchange.response.splitlines()]
    return [{frame["headers"][":event-type"]: frame["payload"]} for frame in frames]


@frozen
class Told:
    """What an answer says, in the provider's words.

    Args:
        texts: The words, cited or not, a piece or block each.
        thoughts: The words of thoughts.
        seals: Their seals.
        calls: Id, name and arguments of each call that the caller executes.
        served: Ids of the calls that the service executed itself.
        citations: What the words rest on.
        end: The other fields of the answer.
    """

    texts: list[str] = field(factory=list)
    thoughts: list[str] = field(factory=list)
    seals: list[str] = field(factory=list)
    calls: list[tuple[str, str, Any]] = field(factory=list)
    served: list[str] = field(factory=list)
    citations: list[Any] = field(factory=list)
    end: dict[str, Any] = field(factory=dict)

    def call(self, use: Mapping[str, Any], arguments: Any) -> None:
        """Note a call."""
        if use.get("type") == "server_tool_use":
            self.served.append(use["toolUseId"])
        else:
            self.calls.append((use["toolUseId"], use["name"], arguments))


def read_answer(body: Mapping[str, Any]) -> Told:
    """Return what a whole answer says."""
    told = Told(end={name: value for name, value in body.items() if name != "output"})
    for block in body["output"]["message"]["content"]:
        [(kind, said)] = block.items()
        if kind == "text":
            told.texts.append(said)
        elif kind == "citationsContent":
            told.texts.extend(words["text"] for words in said.get("content", []))
            told.citations.extend(said["citations"])
        elif kind == "reasoningContent":
            told.thoughts.append(said["reasoningText"]["text"])
            told.seals.extend(seal for seal in [said["reasoningText"].get("signature")] if seal)
        elif kind == "toolUse":
            told.call(said, said["input"])
    return told


def read_events(wire: Iterable[Mapping[str, Any]]) -> Told:
    """Return what the events of a stream say."""
    told = Told()
    uses: dict[int, Any] = {}
    inputs: dict[int, str] = {}
    for event in wire:
        [(name, said)] = event.items()
        if name == "contentBlockStart" and "toolUse" in said["start"]:
            uses[said["contentBlockIndex"]] = said["start"]["toolUse"]
        elif name == "contentBlockDelta":
            delta, index = said["delta"], said["contentBlockIndex"]
            told.texts.extend(text for text in [delta.get("text")] if text)
            told.citations.extend(citation for citation in [delta.get("citation")] if citation)
            inputs[index] = inputs.get(index, "") + delta.get("toolUse", {}).get("input", "")
        elif name == "contentBlockStop" and said["contentBlockIndex"] in uses:
            index = said["contentBlockIndex"]
            told.call(uses[index], json.loads(inputs[index]))
        elif name in ("messageStop", "metadata"):
            told.end.update({key: value for key, value in said.items() if key != "p"})
    return told


def canonical(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recorded request as it is built back.

    Two things are rewritten. An empty object or list says what its absence says. Neighbouring turns of one role are
    one turn: most models refuse that roles do not alternate.
    """
    turns: list[Any] = []
    for message in body["messages"]:
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1] = {**message, "content": [*turns[-1]["content"], *message["content"]]}
        else:
            turns.append(message)
    return {**{name: value for name, value in body.items() if value not in ({}, [])}, "messages": turns}
