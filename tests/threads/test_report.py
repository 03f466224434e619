"""About how many tokens an item is."""

from __future__ import annotations

import pytest

from triptych.content import (
    ITEM_TYPES,
    ClientContext,
    CompressionFiller,
    ContentItem,
    Deleted,
    ErrorItem,
    Message,
    Reasoning,
    Refusal,
    ToolCall,
    ToolResult,
)
from triptych.parts import Image, Opaque, Text
from triptych.threads import estimate_tokens

PICTURE = Image("https://h.example/a.png")
ESTIMATES: list[tuple[ContentItem, int]] = [
    (Message("user", ""), 0),
    (Message("user", "12345678"), 2),
    (Message("user", [Text("1234"), PICTURE, Text("12345")]), 1003),
    (ToolCall("x", "look", {"x": 1}), 3),
    (ToolCall("x", "look", raw_arguments="not json"), 3),
    (ToolResult("x", "f", content=["12345678", {"x": 1}, PICTURE, Opaque({"x": 1})]), 1006),
    (Reasoning("1234"), 1),
    (Reasoning(summary=["1234", "5678"]), 2),
    (Reasoning(encrypted="1234"), 1),
    (Reasoning(), 0),
    (Refusal("1234"), 1),
    (ClientContext({"x": 1}), 2),
    (CompressionFiller(), 6),
    (Opaque({"x": 1}), 2),
    (ErrorItem("stopped"), 0),
    (Deleted("message"), 0),
]


@pytest.mark.parametrize(("item", "tokens"), ESTIMATES)
def test_an_estimate_is_a_quarter_of_the_characters_and_a_sum_for_each_medium(item: ContentItem, tokens: int) -> None:
    assert estimate_tokens(item) == tokens


def test_every_kind_of_item_has_an_estimate() -> None:
    assert {type(item) for item, _ in ESTIMATES} == set(ITEM_TYPES)
