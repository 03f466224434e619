"""Turns that a provider refuses: mended on the wire alone, where it refuses them, and never in the caller's items."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.formats.bodies import ALL, built
from triptych.content import Message
from triptych.parts import Text

# A turn on the wire: its role by our name, and its texts.
Turn = tuple[str, tuple[str, ...]]

ASK, SAY = Message("user", "a"), Message("assistant", "b")
CASES: Mapping[str, Sequence[Message]] = {
    "two users in a row": [ASK, Message("user", "b")],
    "two answers in a row": [ASK, SAY, Message("assistant", "c"), Message("user", "d")],
    "an answer first": [SAY, ASK],
    "system text in the middle": [ASK, SAY, Message("system", "s"), Message("user", "c")],
    "an empty question": [ASK, SAY, Message("user", "")],
    "a blank question": [ASK, SAY, Message("user", " \n")],
    "an empty part": [Message("user", [Text(""), Text("a")])],
    "an empty answer": [ASK, Message("assistant", ""), Message("user", "b")],
    "white space at the end of the last answer": [ASK, Message("assistant", "b \n")],
    "white space at the end of an earlier answer": [ASK, Message("assistant", "b \n"), Message("user", "c")],
    "white space alone for a last answer": [ASK, Message("assistant", " ")],
}

# What each API refuses and how it goes out instead; all else goes as it is. That a text of nothing is left out, that
# white space at the end is, and that two turns are one, loses no word and so is told by no notice.
_NOTHING_LOST: Mapping[str, list[Turn]] = {
    "an empty question": [("user", ("a",)), ("assistant", ("b",))],
    "an empty part": [("user", ("a",))],
    "an empty answer": [("user", ("a",)), ("user", ("b",))],
}
# It refuses an empty or blank text, and white space at the end of a last answer; turns of one role it joins itself.
_ANTHROPIC: Mapping[str, list[Turn]] = {
    **_NOTHING_LOST,
    "system text in the middle": [("system", ("s",)), ("user", ("a",)), ("assistant", ("b",)), ("user", ("c",))],
    "a blank question": [("user", ("a",)), ("assistant", ("b",))],
    "white space at the end of the last answer": [("user", ("a",)), ("assistant", ("b",))],
    "white space alone for a last answer": [("user", ("a",))],
}
MENDED: Mapping[str, Mapping[str, list[Turn]]] = {
    "anthropic_messages": _ANTHROPIC,
    # Here roles must alternate, too, beginning with the user's.
    "bedrock_converse": {
        **_ANTHROPIC,
        "two users in a row": [("user", ("a", "b"))],
        "two answers in a row": [("user", ("a",)), ("assistant", ("b", "c")), ("user", ("d",))],
        "an answer first": [
            ("user", ("(The conversation begins with the assistant.)",)),
            ("assistant", ("b",)),
            ("user", ("a",)),
        ],
        "an empty answer": [("user", ("a", "b"))],
    },
    # A part says one thing, and an empty text is none.
    "gemini_generate": {**_NOTHING_LOST, "system text in the middle": _ANTHROPIC["system text in the middle"]},
    # A message of the assistant's has words or calls.
    "mistral_chat": {"an empty answer": _NOTHING_LOST["an empty answer"]},
    "cohere_chat": {"an empty answer": _NOTHING_LOST["an empty answer"]},
    # Words are one text.
    "ollama_chat": {"an empty part": _NOTHING_LOST["an empty part"]},
}
# What is not where the caller put it, or was not put there by the caller, is told.
TOLD: Mapping[str, Mapping[str, tuple[tuple[str, str], ...]]] = {
    "system text in the middle": dict.fromkeys(
        ("anthropic_messages", "bedrock_converse", "gemini_generate"),
        (("contents[2]", "system message moved to the system text"),),
    ),
    "an answer first": {"bedrock_converse": (("contents", "a turn of the user's put first"),)},
}


def as_it_is(contents: Sequence[Message]) -> list[Turn]:
    """Return the turns as the caller gave them."""
    return [(item.role, _given(item)) for item in contents]


def _given(item: Message) -> tuple[str, ...]:
    if isinstance(item.content, str):
        return (item.content,)
    return tuple(part.text for part in item.content if isinstance(part, Text))


def turns(body: Mapping[str, Any]) -> list[Turn]:
    """Return the system text and the turns of a request."""
    system = body.get("system") or (body.get("systemInstruction") or {}).get("parts")
    said = body.get("contents") or body.get("input") or body["messages"]
    read = [({"model": "assistant"}.get(turn["role"], turn["role"]), _texts(turn)) for turn in said if "role" in turn]
    return [*([("system", _texts({"content": system}))] if system else []), *read]


def _texts(turn: Mapping[str, Any]) -> tuple[str, ...]:
    content = turn.get("parts", turn.get("content"))
    blocks = [{"text": content}] if isinstance(content, str) else content or []
    return tuple(block["text"] for block in blocks if "text" in block)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ALL)
def test_a_turn_is_mended_where_the_api_refuses_it_and_sent_as_it_is_elsewhere(name: str, case: str) -> None:
    """B041, B042."""
    contents = list(CASES[case])
    before = copy.deepcopy(contents)
    made = built(name, contents)
    assert turns(made.body) == MENDED.get(name, {}).get(case, as_it_is(contents))
    told = tuple((notice.path, notice.what) for notice in made.notices)
    assert told == TOLD.get(case, {}).get(name, ())
    assert contents == before
