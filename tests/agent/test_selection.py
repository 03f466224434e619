"""What of a conversation the model is shown."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat_hosts import OPENAI, chat_completion
from tests.formats.strategies import conversations
from tests.servers.script import Reply, Request, serve
from triptych import Message, ToolCall, ToolResult
from triptych.agent import clear_tool_results, inject, keep_turns, summarise
from triptych.content import ContentItem
from triptych.formats.turns import unanswered

RULES = Message("system", "Be brief.")


def turn(number: int) -> list[ContentItem]:
    """Return a turn: a question, a call with its result, and an answer."""
    name = f"c{number}"
    return [
        Message("user", f"question {number}"),
        ToolCall(name, "look"),
        ToolResult(name, "look", content=[f"result {number}"], payload=number),
        Message("assistant", f"answer {number}"),
    ]


TURNS = [RULES, *turn(1), *turn(2), *turn(3)]


def test_old_tool_results_lose_their_content_and_keep_their_place() -> None:
    before = list(TURNS)
    items = clear_tool_results(1)(TURNS)
    assert [item.content for item in items if isinstance(item, ToolResult)] == [
        ["(an older result, left out)"],
        ["(an older result, left out)"],
        ["result 3"],
    ]
    assert [item.payload for item in items if isinstance(item, ToolResult)] == [None, None, 3]
    assert [type(item) for item in items] == [type(item) for item in TURNS]
    assert before == TURNS
    assert clear_tool_results(3)(TURNS) == TURNS


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, [RULES, *turn(3)]), (2, [RULES, *turn(2), *turn(3)]), (3, TURNS), (9, TURNS), (0, [RULES])],
)
def test_the_last_turns_are_kept_whole_and_system_text_stays(number: int, expected: list[ContentItem]) -> None:
    assert keep_turns(number)(TURNS) == expected


def test_two_messages_of_the_user_in_a_row_are_one_turn() -> None:
    items: list[ContentItem] = [*turn(1), Message("user", "a"), Message("user", "b")]
    assert keep_turns(1)(items) == [Message("user", "a"), Message("user", "b")]


@given(conversations("openai_chat"), st.integers(0, 3), st.integers(0, 3))
def test_no_call_and_no_result_is_left_alone(items: list[ContentItem], turns: int, results: int) -> None:
    kept = clear_tool_results(results)(keep_turns(turns)(items))
    assert unanswered(kept) == unanswered(items) == ([], [])


@pytest.mark.parametrize(("where", "place"), [("start", 0), ("last_turn", 9), ("end", 13)])
def test_items_are_added_where_they_are_wanted(where: str, place: int) -> None:
    note = Message("developer", "note")
    items = inject([note], where=where)(TURNS)  # type: ignore[arg-type]  # one of the three words
    assert items == [*TURNS[:place], note, *TURNS[place:]]


def test_old_turns_become_a_summary_that_is_used_again_while_the_conversation_grows() -> None:
    asked: list[str] = []

    def answer(request: Request) -> Reply:
        asked.append(request.json()["messages"][-1]["content"])
        return Reply.of_json(chat_completion(f"summary {len(asked)}"))

    with serve(answer) as server, OPENAI.client(server) as client:
        step = summarise(client, keep=1, above=4)
        items = step(TURNS)
        summary = Message("user", "Summary of the conversation so far:\nsummary 1")
        assert items == [RULES, summary, *turn(3)]
        assert asked == [
            "user: question 1\nassistant calls look with {}\nlook answers (success): result 1\nassistant: answer 1\n"
            "user: question 2\nassistant calls look with {}\nlook answers (success): result 2\nassistant: answer 2"
        ]
        assert step([*TURNS, *turn(4)]) == [RULES, summary, *turn(3), *turn(4)]
        assert len(asked) == 1
        items = step([*TURNS, *turn(4), *turn(5)])
        assert items == [RULES, Message("user", "Summary of the conversation so far:\nsummary 2"), *turn(5)]
        assert asked[1].startswith("user: Summary of the conversation so far:\nsummary 1\nuser: question 3\n")


def test_a_short_conversation_is_left_as_it_is() -> None:
    with serve(lambda request: Reply(status=500)) as server, OPENAI.client(server) as client:
        assert summarise(client, keep=1)(TURNS) == TURNS
        assert server.requests == []


def test_without_a_summary_the_items_stay_and_a_warning_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with serve(lambda request: Reply(status=500)) as server, OPENAI.client(server) as client:
        with caplog.at_level(logging.WARNING, "triptych"):
            assert summarise(client, keep=1, above=4)(TURNS) == TURNS
        assert [record.message[:35] for record in caplog.records] == ["a conversation was not summarised: "[:35]]
