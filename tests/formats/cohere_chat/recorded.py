"""The recorded exchanges with Cohere's chat API, and a plain reading of them, written apart from the library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from tests.formats import corpus
from tests.formats.corpus import Exchange
from triptych.content import ContentItem, Reasoning
from triptych.response import LlmResponse

COHERE = "cohere_chat"
# Fields of an assistant's message that clients fill with null or nothing.
_OPTIONAL = ("content", "tool_plan", "tool_calls", "citations")


def exchanges() -> tuple[Exchange, ...]:
    """Return all exchanges with the chat endpoint."""
    return corpus.exchanges_in("cohere", COHERE)


def answers() -> list[Exchange]:
    """Return those that were answered in one piece."""
    return [exchange for exchange in exchanges() if exchange.status < 400 and not exchange.stream]


def streams() -> list[Exchange]:
    """Return those that were answered by a stream."""
    return [exchange for exchange in exchanges() if exchange.stream]


def errors() -> list[Exchange]:
    """Return those that were refused."""
    return [exchange for exchange in exchanges() if exchange.status >= 400]


def events(exchange: Exchange) -> list[Any]:
    """Return the events of a recorded stream, without the marker after the last."""
    data = [line.removeprefix("data: ") for line in exchange.response.split("\n") if line.startswith("data: ")]
    assert data.pop() == "[DONE]"
    return [json.loads(said) for said in data]


@frozen
class Told:
    """What an answer says, in the provider's words.

    Args:
        text: The words.
        thought: The words of thoughts.
        plan: The words of the plan.
        calls: Id, name and arguments' text of each call.
        citations: The citations.
        end: How the answer ended: id, reason, usage, error.
    """

    text: list[str] = field(factory=list)
    thought: list[str] = field(factory=list)
    plan: list[str] = field(factory=list)
    calls: list[list[str]] = field(factory=list)
    citations: list[Any] = field(factory=list)
    end: dict[str, Any] = field(factory=dict)

    def said(self) -> list[Any]:
        """Return words, thoughts, plan and calls, each put together."""
        calls = [(call_id, name, json.loads(arguments)) for call_id, name, arguments in self.calls]
        return ["".join(self.text), "".join(self.thought), "".join(self.plan), calls]


def read_answer(body: Mapping[str, Any]) -> Told:
    """Return what a whole answer says."""
    told, message = Told(), body["message"]
    for block in message.get("content", []):
        _read_block(told, block)
    told.plan.append(message.get("tool_plan", ""))
    for call in message.get("tool_calls", []):
        told.calls.append([call["id"], call["function"]["name"], call["function"]["arguments"]])
    told.citations.extend(message.get("citations", []))
    told.end.update({name: value for name, value in body.items() if name != "message"})
    return told


def _read_block(told: Told, block: Mapping[str, Any]) -> None:
    told.text.append(block.get("text", ""))
    told.thought.append(block.get("thinking", ""))


def read_events(wire: Iterable[Mapping[str, Any]]) -> Told:
    """Return what the events of a stream say."""
    told = Told()
    for event in wire:
        kind, delta = event["type"], event.get("delta", {})
        if kind == "message-end":
            told.end.update(delta)
        elif kind == "message-start":
            told.end["id"] = event["id"]
        elif kind in ("content-start", "content-delta"):
            _read_block(told, delta["message"]["content"])
        elif kind == "tool-plan-delta":
            told.plan.append(delta["message"]["tool_plan"])
        elif kind == "tool-call-start":
            call = delta["message"]["tool_calls"]
            told.calls.append([call["id"], call["function"]["name"], ""])
        elif kind == "tool-call-delta":
            told.calls[event["index"]][2] += delta["message"]["tool_calls"]["function"]["arguments"]
        elif kind == "citation-start":
            told.citations.append(delta["message"]["citations"])
    return told


def said_by(response: LlmResponse) -> list[Any]:
    """Return words, thoughts, plan and calls of a response, each put together."""
    calls = [(call.tool_call_id, call.name, call.arguments) for call in response.tool_calls]
    return [response.text, *thoughts_and_plan(response.content), calls]


def thoughts_and_plan(items: Iterable[ContentItem]) -> tuple[str, str]:
    """Return the words of thoughts, and those of the plan."""
    thoughts = [item for item in items if isinstance(item, Reasoning)]
    plans = [item.text for item in thoughts if "tool_plan" in (item.provider_data or {})]
    return "".join(item.text for item in thoughts if item.provider_data is None), "".join(plans)


def canonical(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recorded request as it is built back.

    Three things are rewritten, all of which say what their absence says: `stream: false`; an empty list of documents;
    null and empty fields of an assistant's message.
    """
    kept = {name: value for name, value in body.items() if (name, value) not in (("stream", False), ("documents", []))}
    return {**kept, "messages": [_without_empty_fields(message) for message in body["messages"]]}


def _without_empty_fields(message: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if value or name not in _OPTIONAL}
