"""Any provider's request, turned into any other's: what can be said is said, and the rest is told.

Each pair of wire formats is held to it over the same conversations and over every recorded request.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import pytest

from tests.formats import corpus
from tests.formats.corpus import Exchange
from tests.formats.translation import Fact, drawn, said
from triptych import convert, formats
from triptych.errors import LlmError, Notice
from triptych.formats import Call

# What a wire format has no form for, by the kind of fact: why. Nothing else may be missing from a body.
THOUGHT = "reasoning goes back to its issuer alone"
FILE = "the id of a file is its provider's own"
UNHEARD = "the API takes no sound"
UNSEEN = "the API takes no film"
SOMEWHERE = "the API takes it from fewer places, or in fewer forms"
ANY = {"thought": THOUGHT, "file": FILE}
CANNOT: Mapping[str, Mapping[str, str]] = {
    "openai_chat": {**ANY, "audio": SOMEWHERE},
    "openai_responses": {**ANY, "audio": UNHEARD, "video": UNSEEN, "stop": "there are no stop sequences"},
    "anthropic_messages": {**ANY, "audio": UNHEARD, "video": UNSEEN, "document": SOMEWHERE},
    "mistral_chat": {**ANY, "video": UNSEEN},
    "ollama_chat": {
        **ANY,
        "audio": UNHEARD,
        "video": UNSEEN,
        "image": "pictures are bytes, not URLs",
        "document": "documents are text",
        "choice": "there is no choice of tools",
        "tool": "without a choice, tools that must not be called are left out",
        "parallel_tool_calls": "there is no such setting",
    },
    "gemini_generate": {**ANY, "parallel_tool_calls": "there is no such setting"},
    "cohere_chat": {
        **ANY,
        "audio": UNHEARD,
        "video": UNSEEN,
        "document": "documents are text",
        "choice": "a call can be asked for, but not of which tool: that tool goes alone",
        "tool": "as above",
        "parallel_tool_calls": "there is no such setting",
    },
    "bedrock_converse": {
        **ANY,
        "audio": SOMEWHERE,
        "video": SOMEWHERE,
        "image": "pictures are bytes or on S3",
        "document": "documents are bytes or on S3",
        "choice": "calls cannot be forbidden",
        "tool": "without a choice, tools that must not be called are left out",
        "parallel_tool_calls": "there is no such setting",
    },
}
# Recorded requests that some targets refuse before anything is sent, and why.
REFUSED: Mapping[str, str] = {
    "oaichat_42784828": "it has system text alone, and most APIs demand a message of the user's",
}

PAIRS = list(product(formats.names(), formats.names()))
each_pair = pytest.mark.parametrize(("source", "target"), PAIRS, ids=[f"{s}-to-{t}" for s, t in PAIRS])


@cache
def bodies(source: str) -> Sequence[Mapping[str, Any]]:
    """Return the conversations as bodies of a wire format."""
    wire = formats.load(source)
    return [wire.build_request(call).body for call in drawn()]


@cache
def recorded(source: str) -> Sequence[Exchange]:
    """Return the recorded requests of a wire format that its provider took."""
    return [each for each in corpus.all_exchanges() if each.format == source and each.status < 400]


def differences(before: Call, after: Call, notices: Sequence[Notice], cannot: Mapping[str, str]) -> list[str]:
    """Return what `after` does not say of `before` without need or without a notice."""
    found = []
    facts, others = list(said(before)), list(said(after))
    left = Counter(fact for _, fact in others)
    left.subtract(fact for _, fact in facts)
    new = [fact for _, fact in others if left[fact] > 0]
    for fact, count in left.items():
        if count >= 0 or harmless(fact, before) or any(holds(other, fact) for other in new):
            continue
        paths = [path for path, each in facts if each == fact]
        told = sum(any(told_of(notice, path, fact) for notice in notices) for path in paths)
        if fact[0] not in cannot:
            found.append(f"{paths}: {fact} is missing, though it can be said")
        elif told < -count:
            found.append(f"{paths}: {fact} is missing, and no notice tells")
    return found


def told_of(notice: Notice, path: str, fact: Fact) -> bool:
    """Return whether a notice tells of a fact: at its path, or for a choice of tools and the tools at the other's."""
    if fact[0] in ("tool", "choice"):
        return notice.path.startswith(("tool_choice", "tools"))
    return notice.path.startswith(path)


def harmless(fact: Fact, call: Call) -> bool:
    """Return whether a fact says nothing that its absence would not say."""
    if fact[0] == "parallel_tool_calls":
        return fact[1] == "True" or call.request.tool_choice == "none"
    if fact[0] == "choice":
        return call.request.chosen_tool is not None and len(call.request.tools) == 1  # that it must be called is said
    return len(fact) > 1 and isinstance(fact[1], str) and (not fact[1].strip() or fact == ("result", "{}"))


def holds(other: Fact, fact: Fact) -> bool:
    """Return whether another fact says a text among others, or in other words what kind of medium something is."""
    if len(other) != 2 or len(fact) != 2:
        return False
    return str(fact[1]) in str(other[1])


@each_pair
def test_a_drawn_conversation_is_the_same_on_the_other_side_up_to_the_notices(source: str, target: str) -> None:
    reader, other = formats.load(source), formats.load(target)
    found: list[str] = []
    for body in bodies(source):
        built = convert(body, source=source, target=target, model="m")
        found += differences(reader.read_request(body), other.read_request(built.body), built.notices, CANNOT[target])
    assert found == []


@each_pair
def test_a_recorded_request_is_the_same_on_the_other_side_up_to_the_notices(source: str, target: str) -> None:
    if not recorded(source):
        pytest.skip(f"no recorded exchanges in {corpus.FOLDER}; {corpus.VARIABLE} names another folder")
    reader, other = formats.load(source), formats.load(target)
    found: list[str] = []
    for exchange in recorded(source):
        body = copy.deepcopy(exchange.request)
        try:
            built = convert(body, source=source, target=target, model="m")
        except LlmError as error:
            found += [] if exchange.id in REFUSED else [f"{exchange.id}: refused: {error.message}"]
            continue
        assert body == exchange.request
        missing = differences(reader.read_request(body), other.read_request(built.body), built.notices, CANNOT[target])
        found += [f"{exchange.id}: {each}" for each in missing]
    assert found == []
