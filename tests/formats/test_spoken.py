"""An assistant's content that is a text or a list of blocks."""

from __future__ import annotations

from typing import Any

import pytest

from triptych.content import Message, Reasoning
from triptych.formats.spoken import read_spoken, say
from triptych.parts import Text

TEXT = {"type": "text", "text": "a"}
NOVEL = {"type": "novel"}


@pytest.mark.parametrize(
    ("had", "content", "whole"),
    [
        ({}, "a", {"content": "a"}),
        ({}, [NOVEL], {"content": [NOVEL]}),
        ({}, "", {}),
        ({"content": ""}, [], {"content": ""}),
        ({"content": "a"}, "", {"content": "a"}),
        ({"content": "a"}, "a", {"content": [TEXT, TEXT]}),
        ({"content": [NOVEL]}, "a", {"content": [NOVEL, TEXT]}),
        ({"content": "a"}, [NOVEL], {"content": [TEXT, NOVEL]}),
    ],
    ids=str,
)
def test_words_and_blocks_join_what_a_message_has(had: dict[str, Any], content: Any, whole: dict[str, Any]) -> None:
    say(had, content)
    assert had == whole


def test_what_a_message_has_is_not_changed_in_place() -> None:
    blocks = [NOVEL]
    say({"content": blocks}, "a")
    assert blocks == [NOVEL]


@pytest.mark.parametrize(("content", "items"), [(None, []), ("", []), ("a", [Message("assistant", "a")]), ([], [])])
def test_a_text_alone_is_a_message(content: Any, items: list[Any]) -> None:
    assert read_spoken(content, Text, Reasoning) == items


def test_thoughts_part_the_words_between_them() -> None:
    content = ["a", {"type": "thinking", "thinking": "b"}, "c", "d"]
    assert read_spoken(content, Text, lambda block: Reasoning(block["thinking"])) == [
        Message("assistant", [Text("a")]),
        Reasoning("b"),
        Message("assistant", [Text("c"), Text("d")]),
    ]
