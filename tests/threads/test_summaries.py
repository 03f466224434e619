"""A model's summary in place of tool exchanges."""

from __future__ import annotations

import logging

import pytest

from tests.chat_hosts import OPENAI, chat_completion
from tests.servers.script import Reply, Request, serve
from triptych.content import ContentItem, Deleted, Message, ToolCall, ToolResult
from triptych.threads import Rules, Thread, compress, summarised

GO, ON = Message("user", "go"), Message("user", "on")
FOUR = Message("assistant", "It is 4.")
LOOK: list[ContentItem] = [ToolCall("x", "look", {"at": "a"}), ToolResult("x", "look", content=["4"])]
ITEMS: list[ContentItem] = [GO, *LOOK, FOUR, ON]


def test_exchanges_of_a_finished_task_become_a_summary_that_is_asked_for_once() -> None:
    asked: list[str] = []

    def answer(request: Request) -> Reply:
        asked.append(request.json()["messages"][-1]["content"])
        return Reply.of_json(chat_completion("It holds 4. "))

    with serve(answer) as server, OPENAI.client(server) as client:
        rules = Rules(exchanges=[summarised(client, after=1)])
        thread, report = compress(Thread.of(ITEMS), rules=rules)
        assert compress(thread.extended([FOUR]), rules=rules)[1].removals == report.removals
    summary = Message("assistant", "(Tool calls made here, in short: It holds 4.)")
    assert thread.view("deleted") == [GO, summary, Deleted("tool_result"), FOUR, ON]
    assert asked == ['call of look: {"at":"a"}\nsuccess: 4']
    assert [removal.rule for removal in report.removals] == ["summarised", "summarised"]


def test_without_a_summary_the_exchanges_stay_and_a_warning_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with serve(lambda request: Reply(status=500)) as server, OPENAI.client(server) as client:
        with caplog.at_level(logging.WARNING, "triptych"):
            thread, report = compress(Thread.of(ITEMS), rules=Rules(exchanges=[summarised(client, after=1)]))
        assert (thread.view("deleted"), report.removals) == (ITEMS, ())
        assert [record.message.partition(":")[0] for record in caplog.records] == ["tool calls were not summarised"]
