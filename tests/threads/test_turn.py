"""A turn: what one side said, and the shrunk forms of it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from triptych.content import (
    ClientContext,
    CompressionFiller,
    ContentItem,
    Deleted,
    ErrorItem,
    Message,
    Reasoning,
    ToolCall,
    ToolResult,
)
from triptych.parts import Opaque
from triptych.threads import Turn
from triptych.threads.turn import role_of

OK = Message("assistant", "Ok.")
FOUR = Message("assistant", "4")
UNKNOWN: Any = "tool"
TURN = Turn("assistant", [OK, FOUR], {"message": [Deleted("message"), FOUR]})


@pytest.mark.parametrize(
    ("item", "role"),
    [
        (Message("user", "a"), "user"),
        (Message("system", "a"), "system"),
        (Message("developer", "a"), "system"),
        (OK, "assistant"),
        (ToolCall("x", "f"), "assistant"),
        (ToolResult("x", "f"), "assistant"),
        (Reasoning("so"), "assistant"),
        (ClientContext({"page": 1}), "user"),
        (CompressionFiller("user"), "user"),
        (Opaque({"type": "server_tool_use"}), "assistant"),
        (Opaque({"role": "user", "content": "a"}), "user"),
        (Opaque({"role": "model", "parts": []}), "assistant"),
        (Opaque({"role": ["user"]}), "assistant"),
        (ErrorItem("stopped"), None),
        (Deleted(), None),
    ],
)
def test_every_item_is_on_somebodys_turn_or_on_nobodys(item: ContentItem, role: str | None) -> None:
    assert role_of(item) == role


def test_a_view_is_that_of_the_nearest_tier_that_takes_out_less() -> None:
    assert TURN.view() == (OK, FOUR)
    assert TURN.view("message") == (Deleted("message"), FOUR)
    assert TURN.view("deleted") == (Deleted("message"), FOUR)
    assert Turn("assistant", [OK], {"deleted": [CompressionFiller()]}).view("message") == (OK,)


def test_an_original_holds_no_tombstone() -> None:
    with pytest.raises(ValueError, match=r"Turn\.original\[1\]: expected what was said, got a tombstone"):
        Turn("assistant", [OK, Deleted("message")])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Turn(UNKNOWN, [OK]), "Turn.role: expected one of 'user', 'assistant', 'system', got 'tool' (str)"),
        (lambda: Turn("user", []), "Turn.original: expected a list of one or more items, got () (tuple)"),
        (lambda: Turn("user", "hi"), "Turn.original: expected a list of one or more items, got 'hi' (str)"),
        (lambda: Turn("user", ["hi"]), "Turn.original[0]: expected an item of a conversation, got 'hi' (str)"),
        (lambda: Turn("user", [OK], 3), "Turn.variants: expected items by tier, got 3 (int)"),
        (
            lambda: Turn("user", [OK], {"gone": [OK]}),
            "Turn.variants: expected tiers of 'message', 'deleted', got 'gone' (str)",
        ),
        (
            lambda: Turn("user", [OK], {"deleted": [3]}),
            "Turn.variants['deleted'][0]: expected an item of a conversation, got 3 (int)",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_place(make: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    assert str(caught.value) == message


def test_a_turn_is_not_changed_by_what_it_was_made_of() -> None:
    items: list[ContentItem] = [OK]
    variants: dict[Any, Any] = {"message": [FOUR]}
    turn = Turn("assistant", items, variants)
    items.append(FOUR)
    variants.clear()
    assert turn == Turn("assistant", [OK], {"message": [FOUR]})
    with pytest.raises(TypeError):
        turn.variants["message"] = ()  # type: ignore[index]  # what is tested: it is read-only


def test_a_turn_is_copied_and_pickled_whole() -> None:
    assert copy.deepcopy(TURN) == TURN
    assert pickle.loads(pickle.dumps(TURN)) == TURN
