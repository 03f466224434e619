"""The recorded exchanges with generateContent, and a plain reading of them, written apart from the library."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from tests.formats import corpus
from tests.formats.corpus import Exchange

GEMINI = "gemini_generate"
_VALUES = frozenset({"args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema"})
_COUNTS = ("promptTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
# By the numbers that the recordings have.
_REASONS = {1: "STOP", 2: "MAX_TOKENS"}


def exchanges() -> tuple[Exchange, ...]:
    """Return all exchanges."""
    return corpus.exchanges_in("gemini", GEMINI, ("contents",))


def answers() -> list[Exchange]:
    """Return those that were answered in one piece."""
    return [exchange for exchange in exchanges() if exchange.status < 400 and not exchange.stream]


def streams() -> list[Exchange]:
    """Return those that were answered by a stream."""
    return [exchange for exchange in exchanges() if exchange.status < 400 and exchange.stream]


def errors() -> list[Exchange]:
    """Return those that were refused."""
    return [exchange for exchange in exchanges() if exchange.status >= 400]


def chunks(exchange: Exchange) -> list[Any]:
    """Return the chunks of a recorded stream: elements of an array, or data of server-sent events."""
    if isinstance(exchange.response, list):
        return exchange.response
    lines = exchange.response.replace("\r\n", "\n").split("\n")
    return [json.loads(line.removeprefix("data:")) for line in lines if line.startswith("data:")]


@frozen
class Told:
    """What an answer says, in the API's words.

    Args:
        text: The words.
        thought: The words of thoughts.
        calls: Name and arguments of each call.
        others: Parts of other kinds.
        seals: The signatures.
        reasons: The finish reasons of the first candidate.
        counts: The tokens of the last usage, by its names.
    """

    text: list[str] = field(factory=list)
    thought: list[str] = field(factory=list)
    calls: list[tuple[str, Any]] = field(factory=list)
    others: list[Any] = field(factory=list)
    seals: list[str] = field(factory=list)
    reasons: list[Any] = field(factory=list)
    counts: dict[str, Any] = field(factory=dict)

    def others_but_media(self) -> list[Any]:
        """Return the parts that are neither words nor calls nor media."""
        return [part for part in self.others if "inlineData" not in part]

    def usage(self) -> tuple[int, int]:
        """Return the tokens of input and output."""
        prompt, tools, words, thoughts = (self.counts.get(name, 0) for name in _COUNTS)
        return prompt + tools, words + thoughts


def read(wire: Iterable[Mapping[str, Any]]) -> Told:
    """Return what the chunks of a stream say; a whole answer is a stream of one chunk."""
    told = Told()
    for chunk in wire:
        for candidate in chunk.get("candidates", []):
            if candidate.get("finishReason") and candidate.get("index", 0) == 0:
                told.reasons.append(_REASONS.get(candidate["finishReason"], candidate["finishReason"]))
            for part in candidate["content"].get("parts", []):
                _read_part(told, part)
        if "promptTokenCount" in chunk["usageMetadata"]:
            told.counts.clear()
            told.counts.update(chunk["usageMetadata"])
    return told


def _read_part(told: Told, part: Mapping[str, Any]) -> None:
    if "thoughtSignature" in part:
        told.seals.append(part["thoughtSignature"])
    if "functionCall" in part:
        told.calls.append((part["functionCall"]["name"], part["functionCall"]["args"]))
    elif "text" in part:
        (told.thought if part.get("thought") else told.text).append(part["text"])
    else:
        told.others.append(part)


def canonical(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recorded request as it is built back; each rewriting says the same to the API.

    Names are in camelCase, as its reference spells them; null is absence; a list of one is a list. The system text has
    no role, which the API does not read, and is absent where it is empty. The role of results is the user's, not that
    of old clients. The model's neighbouring turns of calls are one.
    """
    whole = _spelled(body)
    system = whole.pop("systemInstruction", {"parts": []})
    parts = [part for part in system["parts"] if part != {"text": ""}]
    if parts:
        whole["systemInstruction"] = {"parts": parts}
    contents: list[Any] = []
    for content in whole["contents"]:
        role = "user" if content["role"] == "function" else content["role"]
        if contents and role == contents[-1]["role"] == "model":
            contents[-1]["parts"] += content["parts"]
        else:
            contents.append({**content, "role": role})
    return {**whole, "contents": contents}


def _spelled(value: Any, name: str = "") -> Any:
    if name in _VALUES:
        return value
    if name in ("parts", "tools") and isinstance(value, dict):
        value = [value]
    if isinstance(value, list):
        return [_spelled(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    names = {key: re.sub(r"_(\w)", lambda found: found[1].upper(), key) for key in value}
    return {names[key]: _spelled(inner, names[key]) for key, inner in value.items() if inner is not None}
