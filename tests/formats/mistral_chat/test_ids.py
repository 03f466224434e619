"""B014: ids of tool calls are nine letters and digits on Mistral's API, the same for a call and its result."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.formats.bodies import messages
from triptych.content import Message, ToolCall, ToolResult
from triptych.formats.mistral_chat.ids import NineIds

MISTRAL = "mistral_chat"
FOREIGN = "call_abc-DEF_0123456789"


def test_an_id_of_another_provider_becomes_nine_letters_for_call_and_result_alike() -> None:
    sent = messages(MISTRAL, [Message("user", "go"), ToolCall(FOREIGN, "f"), ToolResult(FOREIGN, content=["4"])])
    name = sent[1]["tool_calls"][0]["id"]
    assert re.fullmatch("[A-Za-z0-9]{9}", name)
    assert sent[2] == {"role": "tool", "tool_call_id": name, "content": "4"}


def test_an_id_of_its_own_stays() -> None:
    sent = messages(MISTRAL, [ToolCall("f4XiJcsFO", "f"), ToolResult("f4XiJcsFO", content=["4"])])
    assert (sent[0]["tool_calls"][0]["id"], sent[1]["tool_call_id"]) == ("f4XiJcsFO", "f4XiJcsFO")


def test_a_longer_history_gives_an_earlier_call_the_same_id() -> None:
    """The prompt cache holds only what is said in the same words again."""
    short, long = [ToolCall(FOREIGN, "f")], [ToolCall(FOREIGN, "f"), ToolCall("call_2", "f")]
    assert NineIds(short).of(FOREIGN) == NineIds(long).of(FOREIGN)


def test_a_made_id_that_is_in_use_already_is_made_again() -> None:
    taken = NineIds([]).of(FOREIGN)
    ids = NineIds([ToolCall(FOREIGN, "f"), ToolCall(taken, "f")])
    assert ids.of(taken) == taken
    assert ids.of(FOREIGN) != taken
    assert ids.of(FOREIGN) == ids.of(FOREIGN)


@given(st.lists(st.text(max_size=12) | st.from_regex("[a-zA-Z0-9]{9}", fullmatch=True), unique=True, max_size=9))
def test_different_ids_stay_different_and_all_are_of_nine_letters(given_ids: list[str]) -> None:
    ids = NineIds([ToolCall(given_id, "f") for given_id in given_ids])
    names = [ids.of(given_id) for given_id in given_ids]
    assert len(set(names)) == len(given_ids)
    assert all(re.fullmatch("[A-Za-z0-9]{9}", name) for name in names)
