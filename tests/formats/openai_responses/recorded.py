"""The recorded exchanges with OpenAI's Responses API, and a plain reading of them, written apart from the library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from tests.formats import corpus
from tests.formats.corpus import Exchange
from tests.formats.streams import DONE, Wire

RESPONSES = "openai_responses"
CALLS = ("function_call", "custom_tool_call")


def exchanges() -> tuple[Exchange, ...]:
    """Return all exchanges."""
    return corpus.exchanges_in(RESPONSES, RESPONSES, ("input", "prompt"))


def answers() -> list[Exchange]:
    """Return those that were answered in one piece."""
    return [exchange for exchange in exchanges() if exchange.status == 200 and not exchange.stream]


def streams() -> list[Exchange]:
    """Return those that were answered by a stream."""
    return [exchange for exchange in exchanges() if exchange.stream]


def events(exchange: Exchange) -> list[Wire]:
    """Return the events of a recorded stream."""
    lines = exchange.response.replace("\r\n", "\n").split("\n")
    data = [line.removeprefix("data:").strip() for line in lines if line.startswith("data:")]
    return [DONE if said == DONE else json.loads(said) for said in data]


def last_response(wire: Iterable[Wire]) -> dict[str, Any]:
    """Return the response that the last event of a stream has, with the items as their own last events had them.

    The seal of a thought is made anew for each event that holds it; each opens the same thought.
    """
    done: list[Any] = []
    last: dict[str, Any] = {}
    for event in wire:
        if event != DONE and event["type"] == "response.output_item.done":
            done.append(event["item"])
        elif event != DONE and event["type"] in ("response.completed", "response.incomplete"):
            last = event["response"]
    return {**last, "output": done}


@frozen
class Told:
    """What the items of an answer say, in the API's words.

    Args:
        texts: The words of each text.
        refusals: The words of each refusal.
        thoughts: The words of each thought, else those of its summary.
        calls: Call id, name, and arguments or input of each call that the caller answers.
        others: The items of the API's own tools.
    """

    texts: list[str] = field(factory=list)
    refusals: list[str] = field(factory=list)
    thoughts: list[str] = field(factory=list)
    calls: list[tuple[str, str, Any]] = field(factory=list)
    others: list[Any] = field(factory=list)


def read(items: Iterable[Mapping[str, Any]]) -> Told:
    """Return what the items of an answer say."""
    told = Told()
    for item in items:
        if item["type"] == "message":
            told.texts.extend(part["text"] for part in item["content"] if part["type"] == "output_text")
            told.refusals.extend(part["refusal"] for part in item["content"] if part["type"] == "refusal")
        elif item["type"] == "reasoning":
            words = [part["text"] for part in item.get("content") or item["summary"]]
            told.thoughts.extend(["\n".join(words)] if words else [])
        elif item["type"] in CALLS:
            said = (
                json.loads(item["arguments"]) if "arguments" in item and _whole(item) else {"input": item.get("input")}
            )
            told.calls.append((item["call_id"], item["name"], said))
        else:
            told.others.append(item)
    return told


def _whole(item: Mapping[str, Any]) -> bool:
    return item.get("status") != "incomplete"


def canonical(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recorded request as it is built back.

    Three things are rewritten. A text alone is a message of the user's. `stream: false` says what its absence says. A
    function says its strictness, as null where it was left out: the reference demands the field, the API does not.
    """
    kept = {name: value for name, value in body.items() if (name, value) != ("stream", False)}
    if isinstance(kept.get("input"), str):
        kept["input"] = [{"role": "user", "content": kept["input"]}]
    if "tools" in kept:
        kept["tools"] = [{"strict": None, **tool} if tool["type"] == "function" else tool for tool in kept["tools"]]
    return kept
