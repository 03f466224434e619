"""Whole answers of generateContent of every kind, and the streams that the API sends of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from tests.formats.knife import Knife
from tests.formats.strategies import names
from tests.formats.streams import DONE, Wire

Answer = dict[str, Any]

_texts = st.one_of(st.text(max_size=8), st.sampled_from(["a\u2028b", "\x85", "😀", " \n", ""]))
_values = st.one_of(st.none(), st.booleans(), st.integers(0, 9), st.floats(0, 1), _texts)
# An empty list has no piece of its own.
_objects = st.dictionaries(names, st.one_of(_values, st.lists(_values, min_size=1, max_size=2)), max_size=2)
_seals = {"thoughtSignature": st.just("c2VhbA==")}
_calls = st.fixed_dictionaries(
    {
        "functionCall": st.fixed_dictionaries(
            {"name": names, "args": _objects}, optional={"id": st.sampled_from(["a", "b", ""])}
        )
    },
    optional=_seals,
)
_parts = st.one_of(
    st.fixed_dictionaries({"text": _texts}, optional={**_seals, "thought": st.booleans()}),
    _calls,
    st.fixed_dictionaries({"executableCode": st.just({"language": "PYTHON", "code": "1"})}, optional=_seals),
    st.just({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}),
    st.just({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgoAAAAA"}}),
)
_reasons = st.sampled_from(["STOP", 1, 2, "MAX_TOKENS", "SAFETY", "MALFORMED_FUNCTION_CALL", "NOVEL"])
_candidates = st.fixed_dictionaries(
    {
        "content": st.one_of(
            st.just({"role": "model"}),
            st.fixed_dictionaries({"role": st.just("model"), "parts": st.lists(_parts, max_size=5)}),
        ),
        "finishReason": _reasons,
    },
    optional={"safetyRatings": st.just([{"category": 8, "probability": 1}]), "avgLogprobs": st.just(-0.5)},
)
_usage = st.fixed_dictionaries(
    {"promptTokenCount": st.integers(1, 90), "totalTokenCount": st.integers(1, 90)},
    optional={"candidatesTokenCount": st.integers(0, 90), "thoughtsTokenCount": st.integers(0, 90)},
)

# What the pieces before the last say of usage.
_EARLY: tuple[dict[str, Any], ...] = ({"trafficType": "ON_DEMAND"}, {"promptTokenCount": 1, "totalTokenCount": 1})


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    """Return a whole answer, of one candidate or two."""
    candidates = draw(st.lists(_candidates, min_size=1, max_size=2))
    if len(candidates) > 1:
        candidates = [{**candidate, "index": index} for index, candidate in enumerate(candidates)]
    top = {"modelVersion": "m", "responseId": "r"}
    return {"candidates": candidates, "usageMetadata": draw(_usage), **top}


@st.composite
def streams(draw: st.DrawFn, answer: Mapping[str, Any]) -> list[Wire]:
    """Return a stream that says what `answer` says, its texts cut somewhere, its calls whole or by their values.

    Args:
        draw: What hypothesis gives.
        answer: The answer.
    """
    knife = Knife(draw)
    top = {name: value for name, value in answer.items() if name not in ("candidates", "usageMetadata")}
    pieces: list[Any] = knife.woven([_candidate(knife, candidate) for candidate in answer["candidates"]])
    early = {"usageMetadata": knife.one_of(*_EARLY)}
    wire: list[Wire] = [{"candidates": [piece], **early, **top} for piece in pieces]
    wire[-1] = {**wire[-1], "usageMetadata": answer["usageMetadata"]}
    if knife.one_of(True, False):
        wire.append({"usageMetadata": {"trafficType": "ON_DEMAND"}, **top})
    return [*wire, *([DONE] if knife.one_of(True, False) else [])]


def _candidate(knife: Knife, candidate: Mapping[str, Any]) -> list[Any]:
    """Return the pieces of one candidate, the finish reason in the last or after it."""
    label = {"index": candidate["index"]} if "index" in candidate else {}
    rest = {name: value for name, value in candidate.items() if name != "content"}
    parts = [piece for part in candidate.get("content", {}).get("parts", []) for piece in _pieces(knife, part)]
    grouped: list[Any] = [{"content": {"role": "model", "parts": [part]}, **label} for part in parts]
    together: bool = bool(grouped) and knife.one_of(True, False)
    if together:
        return [*grouped[:-1], {**grouped[-1], **rest}]
    return [*grouped, {"content": {"role": "model"}, **rest}]


def _pieces(knife: Knife, part: Mapping[str, Any]) -> list[Any]:
    if "functionCall" in part and knife.one_of(True, False):
        return _call_pieces(knife, part)
    if "text" not in part or "thoughtSignature" in part:
        return [part]
    return [{**part, "text": piece} for piece in knife.pieces(part["text"])]


def _call_pieces(knife: Knife, part: Mapping[str, Any]) -> list[Any]:
    """Return a call as Vertex AI streams it where it is asked for arguments in pieces."""
    call = part["functionCall"]
    first = {name: value for name, value in call.items() if name != "args"}
    pieces: list[Any] = []
    for name, value in call["args"].items():
        pieces += _value_pieces(knife, f"$.{name}", value)
    return [
        {**part, "functionCall": {**first, "willContinue": True}},
        *({"functionCall": {"partialArgs": [piece], "willContinue": True}} for piece in pieces),
        {"functionCall": {}},
    ]


def _value_pieces(knife: Knife, path: str, value: Any) -> list[Any]:
    if isinstance(value, list):
        return [piece for at, one in enumerate(value) for piece in _value_pieces(knife, f"{path}[{at}]", one)]
    if value is None:
        return [{"jsonPath": path, "nullValue": "NULL_VALUE"}]
    if isinstance(value, bool):
        return [{"jsonPath": path, "boolValue": value}]
    if isinstance(value, str):
        said = knife.pieces(value)
        return [
            {"jsonPath": path, "stringValue": piece, "willContinue": at < len(said) - 1}
            for at, piece in enumerate(said)
        ]
    return [{"jsonPath": path, "numberValue": value}]
