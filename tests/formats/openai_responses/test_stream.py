"""Streams of the Responses API: events of items and parts, the last one with the whole response or without."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import issuer, parsed
from tests.formats.openai_responses.recorded import RESPONSES
from tests.formats.openai_responses.wire import added, answer, call, done, event, message, state, text, thought, words
from tests.formats.streams import CUT, DONE, played
from triptych import formats
from triptych.content import Message, Opaque, Reasoning, ToolCall
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, RefusalDelta, TextDelta, ToolCallDelta
from triptych.framing.sse import SseDecoder

OWN = issuer(RESPONSES)
STEPS = ("added", "done")
BEGIN = state("created", answer(status="in_progress", usage=None))
HI = message("Hi you.")
ITEM = Message(
    "assistant", "Hi you.", provider_data={"type": "message", "id": "msg_1", "status": "completed"}, issuer=OWN
)


def test_the_events_are_framed_as_server_sent_events() -> None:
    assert isinstance(formats.load(RESPONSES).framing(), SseDecoder)


def test_each_piece_is_an_event_and_each_item_is_told_when_it_is_whole() -> None:
    output = [thought("so", "and"), HI, call('{"a":1}')]
    wire = [
        BEGIN,
        state("in_progress", answer(status="in_progress", usage=None)),
        added(output[0]),
        event("reasoning_summary_part.added", summary_index=0, part={"type": "summary_text", "text": ""}),
        event("reasoning_summary_text.delta", summary_index=0, delta="so"),
        event("reasoning_summary_text.done", summary_index=0, text="so"),
        event("reasoning_summary_text.delta", summary_index=1, delta="and"),
        done(output[0]),
        added(HI, 1),
        event("content_part.added", 1, content_index=0, part=text("")),
        *words(["Hi ", "", "you."], 1),
        event("output_text.done", 1, content_index=0, text="Hi you."),
        event("content_part.done", 1, content_index=0, part=text("Hi you.")),
        done(HI, 1),
        added(output[2], 2),
        event("function_call_arguments.delta", 2, delta='{"a"'),
        event("function_call_arguments.delta", 2, delta=":1}"),
        event("function_call_arguments.done", 2, arguments='{"a":1}'),
        done(output[2], 2),
        state("completed", answer(*output)),
    ]
    stream = played(RESPONSES, wire)
    items = parsed(RESPONSES, answer(*output)).content
    assert stream.response == parsed(RESPONSES, answer(*output))
    assert stream.events == (
        ReasoningDelta("so"),
        ReasoningDelta("and"),
        ItemDone(items[0]),
        TextDelta("Hi "),
        TextDelta("you."),
        ItemDone(items[1]),
        ToolCallDelta("call_1", "f", "", 0),
        ToolCallDelta("call_1", "f", '{"a"', 0),
        ToolCallDelta("call_1", "f", ":1}", 0),
        ItemDone(items[2]),
    )


def test_thoughts_refusals_and_inputs_of_custom_tools_come_in_pieces_too() -> None:
    shown = thought(content=[{"type": "reasoning_text", "text": "hm"}])
    declined = message({"type": "refusal", "refusal": "no"}, item_id="msg_2")
    custom = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "sh", "input": "ls"}
    wire = [
        BEGIN,
        added(shown),
        event("reasoning_text.delta", content_index=0, delta="hm"),
        done(shown),
        added(declined, 1),
        event("refusal.delta", 1, content_index=0, delta="no"),
        done(declined, 1),
        added(custom, 2),
        event("custom_tool_call_input.delta", 2, delta="ls"),
        done(custom, 2),
        state("completed", answer(shown, declined, custom)),
    ]
    stream = played(RESPONSES, wire)
    assert stream.response == parsed(RESPONSES, answer(shown, declined, custom))
    assert [made for made in stream.events if not isinstance(made, ItemDone)] == [
        ReasoningDelta("hm"),
        RefusalDelta("no"),
        ToolCallDelta("c", "sh", "", 0),
        ToolCallDelta("c", "sh", "ls", 0),
    ]


@pytest.mark.parametrize("output", [[], None])
def test_a_last_event_without_the_items_takes_none_away(output: Any) -> None:
    """B125."""
    last = {**answer(), "output": output}
    stream = played(RESPONSES, [BEGIN, added(HI), *words(["Hi you."]), done(HI), state("completed", last)])
    assert stream.response == parsed(RESPONSES, answer(HI))
    assert stream.items == [ITEM]


def test_a_last_event_alone_has_all_items_and_their_words() -> None:
    output = [thought("so"), HI, call('{"a":1}')]
    stream = played(RESPONSES, [state("completed", answer(*output))])
    assert stream.response == parsed(RESPONSES, answer(*output))
    assert stream.events == (
        ReasoningDelta("so"),
        TextDelta("Hi you."),
        ToolCallDelta("call_1", "f", '{"a":1}', 0),
        *map(ItemDone, stream.response.content),
    )


def test_pieces_alone_are_a_message() -> None:
    """A gateway that tells neither the beginning nor the end of an item."""
    stream = played(RESPONSES, [*words(["Hi ", "you."]), state("completed", {**answer(), "output": []})])
    begun = {**message("Hi you.", item_id="item_0")}
    del begun["status"]
    assert stream.response == parsed(RESPONSES, answer(begun))
    assert stream.words(TextDelta) == "Hi you."


def test_words_that_come_whole_only_are_told_once() -> None:
    wire = [
        BEGIN,
        added(HI),
        event("output_text.done", content_index=0, text="Hi you."),
        done(HI),
        added(call('{"a":1}'), 1),
        event("function_call_arguments.done", 1, arguments='{"a":1}'),
        done(call('{"a":1}'), 1),
        added(thought("so"), 2),
        done(thought("so"), 2),
        state("completed", answer(HI, call('{"a":1}'), thought("so"))),
    ]
    stream = played(RESPONSES, wire)
    assert (stream.words(TextDelta), stream.words(ReasoningDelta)) == ("Hi you.", "so")
    assert stream.calls == {(0, 0): ("call_1", "f", '{"a":1}')}
    assert stream.response == parsed(RESPONSES, answer(HI, call('{"a":1}'), thought("so")))


def test_items_are_told_apart_by_their_id_where_they_have_no_place() -> None:
    wire = [
        {"type": "response.output_item.added", "item": {**HI, "content": []}},
        {"type": "response.output_text.delta", "item_id": "msg_1", "delta": "Hi you."},
        {"type": "response.output_item.added", "item": message(item_id="msg_2")},
        {"type": "response.output_text.delta", "item_id": "msg_2", "delta": "Bye."},
        {"type": "response.output_text.delta", "item_id": "msg_1", "delta": ""},
        state("completed", {**answer(), "output": []}),
    ]
    assert [item.text for item in played(RESPONSES, wire).items if isinstance(item, Message)] == ["Hi you.", "Bye."]


def test_calls_without_place_and_id_are_told_apart_by_their_call_id() -> None:
    """As llama.cpp sends them."""
    calls = [{key: value for key, value in call("{}", call_id).items() if key != "id"} for call_id in ("c", "d")]
    wire: list[Any] = []
    for item in calls:
        wire += [
            {"type": "response.output_item.added", "item": {**item, "arguments": "", "status": "in_progress"}},
            {"type": "response.function_call_arguments.delta", "item_id": item["call_id"], "delta": "{}"},
            {"type": "response.output_item.done", "item": item},
        ]
    stream = played(RESPONSES, [*wire, state("completed", answer(*calls))])
    assert stream.response == parsed(RESPONSES, answer(*calls))
    assert stream.calls == {(0, 0): ("c", "f", "{}"), (0, 1): ("d", "f", "{}")}


def test_items_without_any_name_begin_anew_when_the_one_before_is_whole() -> None:
    one, two = message("Hi."), message("Bye.")
    del one["id"], two["id"]
    wire: list[Any] = [{"type": f"response.output_item.{step}", "item": item} for item in (one, two) for step in STEPS]
    stream = played(RESPONSES, [*wire, wire[-1], state("completed", answer(one, two))])
    assert stream.response == parsed(RESPONSES, answer(one, two))


def test_an_incomplete_answer_says_why() -> None:
    """B124."""
    cut = message("Hi", status="incomplete")
    last = answer(cut, status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    stream = played(RESPONSES, [BEGIN, added(cut), *words(["Hi"]), done(cut), state("incomplete", last)])
    assert (stream.response.error, stream.response.finish_reason, stream.response.text) == (None, "length", "Hi")


def test_a_failed_answer_is_an_error_with_what_had_come() -> None:
    """B124."""
    failed = answer(status="failed", error={"code": "server_error", "message": "It broke."}, usage=None)
    wire = [BEGIN, added(HI), *words(["Hi you."]), done(HI), added(call(), 1), state("failed", failed)]
    response = played(RESPONSES, wire).response
    assert response.error is not None
    assert (response.error.kind, response.error.code, response.error_message) == ("server", "server_error", "It broke.")
    assert (response.content, response.id) == ([ITEM], "resp_1")
    assert response.error.partial == (
        ToolCall("call_1", "f", provider_data={"id": "fc_call_1", "status": "in_progress"}, issuer=OWN),
    )


@pytest.mark.parametrize(
    "wire",
    [
        {"type": "error", "code": "rate_limit_exceeded", "message": "slow down", "param": None},
        {"type": "error", "error": {"type": "tokens", "code": "rate_limit_exceeded", "message": "slow down"}},
        {"error": {"code": "rate_limit_exceeded", "message": "slow down"}},
        state("failed", answer(status="failed", error={"code": "rate_limit_exceeded", "message": "slow down"})),
    ],
    ids=["flat", "nested", "untyped", "failed"],
)
def test_an_error_in_a_stream_ends_it(wire: Any) -> None:
    """B107."""
    response = played(RESPONSES, [BEGIN, added(HI), *words(["Hi"]), wire, *words(["more"])]).response
    assert response.error is not None
    assert (response.error.kind, response.error_message) == ("rate_limit", "slow down")
    [left] = response.error.partial
    assert left.text == "Hi"


@pytest.mark.parametrize(
    ("wire", "whole", "left"),
    [
        ([], [], 0),
        ([BEGIN], [], 0),
        ([BEGIN, added(HI), *words(["Hi"])], [], 1),
        ([BEGIN, added(HI), *words(["Hi you."]), done(HI)], [ITEM], 0),
        (
            [BEGIN, added(HI), done(HI), added(call(), 1), event("function_call_arguments.delta", 1, delta="{")],
            [ITEM],
            1,
        ),
        ([BEGIN, added(HI), done(HI), DONE], [ITEM], 0),
    ],
    ids=["nothing", "begun", "words", "message", "call", "marker"],
)
def test_a_cut_stream_keeps_what_is_whole_apart_from_the_rest(wire: list[Any], whole: list[Any], left: int) -> None:
    """B115, B123: an empty stream is no empty answer; a gateway's marker is no end."""
    response = played(RESPONSES, wire).response
    assert response.error is not None
    assert response.error.evolve(partial=()) == CUT
    assert (response.content, len(response.error.partial)) == (whole, left)


def test_nothing_is_read_after_the_end() -> None:
    parser = formats.load(RESPONSES).stream_parser()
    parser.feed(BEGIN)
    parser.end_marker()
    assert (parser.ended, parser.closed) == (False, False)
    parser.feed(state("completed", answer(HI)))
    assert (parser.ended, parser.closed) == (True, True)


def test_progress_of_the_apis_own_tools_is_passed_on_and_their_items_are_kept() -> None:
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "q"},
    }
    progress = [event(f"web_search_call.{step}") for step in ("in_progress", "searching", "completed")]
    novel = event("novel.delta", delta="x")
    wire = [BEGIN, added(search), *progress, novel, done(search), state("completed", answer(search))]
    stream = played(RESPONSES, wire)
    assert stream.events == (*map(ProviderEvent, [*progress, novel]), ItemDone(Opaque(search, issuer=OWN)))


def test_events_of_an_item_that_cannot_be_known_are_passed_on() -> None:
    stray = [
        event("function_call_arguments.delta", 7, delta="{"),
        event("content_part.added", 8, content_index=0, part={"type": "novel"}),
        event("output_text.annotation.added", 9, content_index=0, annotation={"type": "novel"}),
        event("output_text.delta", delta=None),
    ]
    stream = played(RESPONSES, [BEGIN, added(HI), *stray, done(HI), state("completed", answer(HI))])
    assert [made.data for made in stream.events if isinstance(made, ProviderEvent)] == stray
    assert stream.response == parsed(RESPONSES, answer(HI))


def test_annotations_and_probabilities_gather_in_the_part_of_their_words() -> None:
    note = {"type": "file_path", "file_id": "f", "index": 0}
    token = {"token": "Hi", "logprob": -0.5}
    wire = [
        BEGIN,
        added(HI),
        event("output_text.delta", content_index=0, delta="Hi", logprobs=[token]),
        event("output_text.annotation.added", content_index=0, annotation_index=0, annotation=note),
        state("completed", {**answer(), "output": []}),
    ]
    raw = played(RESPONSES, wire).response.raw
    assert raw is not None
    assert raw["output"][0]["content"] == [{**text("Hi"), "annotations": [note], "logprobs": [token]}]


def test_the_events_are_not_changed() -> None:
    note = {"type": "file_path", "file_id": "f", "index": 0}
    wire = [
        BEGIN,
        added(HI),
        event("content_part.added", content_index=0, part=text("")),
        *words(["Hi"]),
        event("output_text.annotation.added", content_index=0, annotation=note),
        done(HI),
        state("completed", answer(HI)),
    ]
    before = repr(wire)
    played(RESPONSES, wire)
    assert repr(wire) == before


def test_a_stream_of_a_thousand_pieces_is_one_item() -> None:
    """B215."""
    wire = [BEGIN, added(HI), *words(["é\u2028"] * 1000), state("completed", {**answer(), "output": []})]
    assert played(RESPONSES, wire).response.text == "é\u2028" * 1000


def test_a_thought_in_parts_is_read_whole_when_it_is_cut() -> None:
    wire = [BEGIN, added(thought("so")), event("reasoning_summary_text.delta", summary_index=1, delta="and")]
    error = played(RESPONSES, wire).response.error
    assert error is not None
    [left] = error.partial
    assert isinstance(left, Reasoning)
    assert left.summary == ["", "and"]
