"""Tool calls in pieces, as hosts send them: which piece belongs to which call, and what the pieces add up to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.formats.bodies import OPENAI, openai_answer, parsed
from tests.formats.openai_chat.chunks import piece, stream
from triptych.content import ToolCall
from triptych.events import ItemDone, ToolCallDelta


def called(*pieces: Any) -> list[ToolCall]:
    """Return the calls of a stream that brings one list of pieces a chunk."""
    return stream(
        *({"tool_calls": piece if isinstance(piece, list) else [piece]} for piece in pieces)
    ).response.tool_calls


def test_an_empty_id_or_name_is_as_good_as_none() -> None:
    """B116: DashScope."""
    assert called(piece("{", index=0, id="call_1", name="calc"), piece("}", index=0, id="", name="")) == [
        ToolCall("call_1", "calc", {})
    ]


def test_another_id_under_the_same_index_is_another_call() -> None:
    """B117: Ollama."""
    pieces = [
        piece('{"p":"a"}', index=0, id="call_a", name="read"),
        piece('{"p":"b"}', index=0, id="call_b", name="read"),
    ]
    both = [ToolCall("call_a", "read", {"p": "a"}), ToolCall("call_b", "read", {"p": "b"})]
    assert called(*pieces) == called(pieces) == both


@pytest.mark.parametrize("apart", [True, False])
def test_calls_without_an_index_are_told_apart_by_their_ids(apart: bool) -> None:
    """B118: Gemini."""
    pieces = [piece("{}", id="a", name="f"), piece("{}", id="b", name="g")]
    assert called(*(pieces if apart else [pieces])) == [ToolCall("a", "f", {}), ToolCall("b", "g", {})]


def test_calls_without_index_and_id_are_told_apart_by_their_place() -> None:
    """B118."""
    first, second = called([piece('{"a":1}', name="f"), piece('{"a":2}', name="g")])
    assert (first.name, first.arguments, second.name, second.arguments) == ("f", {"a": 1}, "g", {"a": 2})
    assert first.tool_call_id != second.tool_call_id


@pytest.mark.parametrize("indexes", [(0, 1), (0, 2), (5, 9), (1, 0)])
def test_indexes_may_have_gaps_and_come_in_any_order(indexes: Sequence[int]) -> None:
    """B118."""
    one, two = indexes
    made = called(
        piece('{"a":', index=one, id=f"c{one}", name="f"),
        piece('{"a":', index=two, id=f"c{two}", name="f"),
        piece("1}", index=one),
        piece("2}", index=two),
    )
    assert made == [ToolCall(f"c{i}", "f", {"a": 1 if i == one else 2}) for i in sorted(indexes)]


@pytest.mark.parametrize("pieces", [("", ""), ("{", "}"), ("{}",), ("",), ("null",), (" ",)])
def test_no_arguments_are_an_empty_object(pieces: tuple[str, ...]) -> None:
    """B120."""
    first, *rest = pieces
    assert called(piece(first, index=0, id="c", name="f"), *(piece(more, index=0) for more in rest)) == [
        ToolCall("c", "f", {})
    ]


def test_arguments_may_be_an_object_and_a_name_may_come_in_pieces() -> None:
    whole: dict[str, Any] = {"index": 0, "id": "c", "function": {"name": "get_", "arguments": None}}
    rest = {"index": 0, "function": {"name": "time", "arguments": {"zone": "UTC"}}}
    assert called(whole, rest) == [ToolCall("c", "get_time", {"zone": "UTC"})]


def test_a_call_of_a_kind_that_is_new_is_kept_as_it_is() -> None:
    novel = {"id": "n", "type": "novel", "novel": {"a": 1}}
    told = stream({"tool_calls": [{"index": 0, **novel}]}, finish="tool_calls")
    assert told.response == parsed(OPENAI, openai_answer({"tool_calls": [novel]}, "tool_calls"))


def test_the_old_form_of_a_call_is_told_in_pieces_too() -> None:
    told = stream({"function_call": {"name": "f", "arguments": ""}}, {"function_call": {"arguments": '{"a":1}'}})
    call = ToolCall("call_r1_0", "f", {"a": 1})
    assert told.events == (ToolCallDelta(None, "f", ""), ToolCallDelta(None, "f", '{"a":1}'), ItemDone(call))
