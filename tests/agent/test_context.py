"""What happened in a run, and the next request made of it."""

from __future__ import annotations

import gc
import weakref
from datetime import UTC, datetime, timedelta, timezone

import pytest

from triptych import BaseTool, Image, LlmRequest, Message, OutputSchema, Reasoning, Refusal, ToolCall, ToolResult
from triptych.agent import Event, ExecutionContext, format_trace, inject, keep_turns, prepare_request

WEATHER = BaseTool("weather", "Weather now.", {"type": "object", "properties": {"city": {"type": "string"}}})
CALL = ToolCall("c1", "weather", {"city": "Oslo"})
RESULT = ToolResult("c1", "weather", content=["3 C"], runtime_ms=12.4)
NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def test_an_event_is_of_now_and_takes_one_item_or_a_text() -> None:
    before = datetime.now(UTC)
    event = Event("user", "Hello")
    assert event.content == [Message("user", "Hello")]
    assert before <= event.timestamp <= datetime.now(UTC)
    assert Event("weather", RESULT).content == [RESULT]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((5, "Hello"), "Event.author: expected str, got 5 (int)"),
        (("user", [5]), "Event.content[0]: expected Message or"),
        (("user", "Hello", datetime(2026, 1, 1)), "Event.timestamp: expected a datetime with a time zone"),
    ],
)
def test_a_wrong_event_is_refused_where_it_is_made(arguments: tuple[object, ...], words: str) -> None:
    with pytest.raises(TypeError) as raised:
        Event(*arguments)  # type: ignore[arg-type]  # the mistake of a caller
    assert words in str(raised.value)


def test_the_contents_are_the_items_of_all_events_in_order() -> None:
    context = ExecutionContext()
    context.add("user", "Weather in Oslo?")
    context.add("agent", [CALL])
    context.add("weather", RESULT)
    assert context.contents == [Message("user", "Weather in Oslo?"), CALL, RESULT]
    assert [event.author for event in context.events] == ["user", "agent", "weather"]


@pytest.mark.parametrize(
    ("given", "choice"),
    [
        ({}, None),
        ({"tools": [WEATHER]}, "auto"),
        ({"tools": [WEATHER], "tool_choice": "none"}, "none"),
        ({"tools": [WEATHER], "output_type": {"type": "object"}}, "auto"),
        ({"tools": [WEATHER], "output_type": OutputSchema({"type": "object"}, mode="tool")}, "required"),
        ({"output_type": OutputSchema({"type": "object"}, mode="tool")}, "required"),
    ],
)
def test_the_choice_of_tools_follows_from_tools_and_output(given: dict[str, object], choice: str | None) -> None:
    context = ExecutionContext([Event("user", "Hello")])
    request = prepare_request(context, instructions="Be brief.", **given)  # type: ignore[arg-type]  # drawn from a table
    assert (request.tool_choice, request.instructions) == (choice, ["Be brief."])


def test_steps_are_taken_in_order_and_change_nothing_of_what_happened() -> None:
    context = ExecutionContext([Event("user", "a"), Event("agent", Message("assistant", "b")), Event("user", "c")])
    first = context.contents
    request = prepare_request(context, select=[keep_turns(1), inject([Message("developer", "d")])])
    assert request.contents == [Message("user", "c"), Message("developer", "d")]
    assert prepare_request(context, select=keep_turns(1)).contents == [Message("user", "c")]
    assert context.contents == first


def test_a_request_keeps_no_reference_to_its_context() -> None:
    context = ExecutionContext([Event("user", "a")], {"secret": object()})
    request = prepare_request(context, tools=[WEATHER])
    context.add("user", "b")
    gone = weakref.ref(context.events[0])
    del context
    gc.collect()
    assert gone() is None
    assert request == LlmRequest(contents=[Message("user", "a")], tools=[WEATHER], tool_choice="auto")


def test_a_trace_shows_when_who_and_what() -> None:
    context = ExecutionContext(current_step=2, final_result={"ok": True})
    said = [
        ("user", Message("user", ["Look:", Image("https://h.example/a.png")])),
        ("agent", Reasoning("I must\nask.")),
        ("agent", CALL),
        ("agent", ToolCall("c2", "weather", raw_arguments="{bad")),
        ("weather", RESULT),
        ("agent", Refusal("I won't.")),
        ("agent", Message("assistant", "x" * 300)),
    ]
    for second, (author, item) in enumerate(said):
        moment = (NOON + timedelta(seconds=second)).astimezone(timezone(timedelta(hours=1)))
        context.events.append(Event(author, item, moment))
    assert format_trace(context, width=40).splitlines() == [
        "13:00:00 user: Look: [Image]",
        "13:00:01 agent: thinks: I must ask.",
        '13:00:02 agent: calls weather({"city":"Oslo"})',
        "13:00:03 agent: calls weather({bad)",
        "13:00:04 weather: weather gives success after 12 ms: 3 C",
        "13:00:05 agent: refuses: I won't.",
        f"13:00:06 agent: {'x' * 39}…",
        "after 2 steps: {'ok': True}",
    ]
