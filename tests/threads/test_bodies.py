"""Requests built of compressed threads, which the providers' own packages are asked about in `make conformance`."""

from __future__ import annotations

import pytest

from tests.formats.bodies import ALL, body
from tests.formats.plain import calls_in_body, results_in_body
from triptych.content import (
    ClientContext,
    CompressionFiller,
    ContentItem,
    ErrorItem,
    Message,
    Reasoning,
    ToolCall,
    ToolResult,
)
from triptych.parts import Issuer
from triptych.threads import Rules, Thread, compress, finished

GO, ON = Message("user", "go"), Message("user", "on")
OK, FOUR = Message("assistant", "Ok."), Message("assistant", "It is 4.")
EVERYTHING = Rules(exchanges=[lambda line: line.exchanges])

each = pytest.mark.parametrize("name", ALL)


def exchange(tool_call_id: str, at: int = 0) -> list[ContentItem]:
    """Return a call with its result."""
    return [ToolCall(tool_call_id, "look", {"at": at}), ToolResult(tool_call_id, "look", content=["4"])]


def sealed(name: str) -> Reasoning:
    """Return reasoning that the provider of a format takes back."""
    return Reasoning(
        "so", signature="c2VhbA==", encrypted="c2VhbA==", provider_data={"id": "rs_1"}, issuer=Issuer(name)
    )


@each
def test_a_turn_that_held_nothing_but_an_exchange_is_read_as_a_filler(name: str) -> None:
    thread, _ = compress(Thread.of([GO, *exchange("a"), ON]), rules=EVERYTHING)
    said = body(name, thread.view("deleted"))
    assert (calls_in_body(said), results_in_body(said)) == ([], [])
    assert str(said).count(CompressionFiller.TEXT) == 1


@each
def test_of_calls_that_were_made_again_the_latest_is_sent(name: str) -> None:
    items = [GO, sealed(name), *exchange("a", 1), *exchange("b", 2), *exchange("c", 1), FOUR, ON]
    thread, report = compress(Thread.of(items))
    said = body(name, thread.view("deleted"))
    assert [arguments for _, _, arguments in calls_in_body(said)] in ([{"at": 2}, {"at": 1}], ['{"at":2}', '{"at":1}'])
    assert len(results_in_body(said)) == 2
    assert [removal.content_type for removal in report.removals] == ["reasoning", "tool_call", "tool_result"]


@each
def test_finished_tasks_are_sent_as_what_was_said(name: str) -> None:
    page = ClientContext({"page": 1})
    task = [page, GO, OK, *exchange("a"), FOUR]
    items = [Message("system", "Be brief."), *task, *task, ErrorItem("stopped"), ON, *exchange("b"), FOUR]
    thread, _ = compress(Thread.of(items), rules=Rules(exchanges=[finished(after=1)]))
    said = body(name, thread.view("deleted"))
    assert (len(calls_in_body(said)), len(results_in_body(said))) == (1, 1)
    assert (str(said).count("page"), str(said).count("It is 4."), str(said).count("Ok.")) == (2, 3, 0)


@each
def test_what_the_user_spoke_into_is_taken_out_on_both_sides(name: str) -> None:
    call, result = exchange("a")
    thread, _ = compress(Thread.of([GO, call, ON, result, FOUR, GO]), rules=EVERYTHING)
    said = body(name, thread.view("deleted"))
    assert (calls_in_body(said), results_in_body(said)) == ([], [])
    assert str(said).count(CompressionFiller.TEXT) == 1
