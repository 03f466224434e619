"""Streams of Bedrock Converse, event by event."""

from __future__ import annotations

import base64
from typing import Any

from tests.formats.bedrock_converse.recorded import BEDROCK
from tests.formats.bodies import HERE, issuer
from tests.formats.streams import CUT, played
from triptych import formats
from triptych.content import ContentItem, Message, Reasoning, ToolCall
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, TextDelta, ToolCallDelta
from triptych.formats import Call
from triptych.request import LlmRequest
from triptych.tools import BaseTool
from triptych.usage import Usage

OWN = issuer(BEDROCK)
BEGIN = {"messageStart": {"role": "assistant"}}
END = {"messageStop": {"stopReason": "end_turn"}}
COSTS = {"metadata": {"usage": {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}, "metrics": {"latencyMs": 5}}}


def start(index: int, **said: Any) -> dict[str, Any]:
    return {"contentBlockStart": {"contentBlockIndex": index, "start": said}}


def delta(index: int, **said: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": said}}


def stop(index: int) -> dict[str, Any]:
    return {"contentBlockStop": {"contentBlockIndex": index}}


CALL = [
    start(2, toolUse={"toolUseId": "a", "name": "f"}),
    delta(2, toolUse={"input": '{"x"'}),
    delta(2, toolUse={"input": ": 1}"}),
    stop(2),
]
WIRE = [
    BEGIN,
    delta(0, reasoningContent={"text": "h"}),
    delta(0, reasoningContent={"text": "m"}),
    delta(0, reasoningContent={"signature": "s"}),
    stop(0),
    delta(1, text="Hel"),
    delta(1, text="lo"),
    stop(1),
    *CALL,
    END,
    COSTS,
]


def test_a_stream_is_told_piece_by_piece_and_item_by_item() -> None:
    stream = played(BEDROCK, WIRE)
    items: list[ContentItem] = [
        Reasoning("hm", signature="s", issuer=OWN),
        Message("assistant", "Hello"),
        ToolCall("a", "f", {"x": 1}),
    ]
    assert stream.events == (
        ReasoningDelta("h"),
        ReasoningDelta("m"),
        ItemDone(items[0]),
        TextDelta("Hel"),
        TextDelta("lo"),
        ToolCallDelta("a", "f", ""),
        ToolCallDelta("a", "f", '{"x"'),
        ToolCallDelta("a", "f", ": 1}"),
        ItemDone(items[1]),
        ItemDone(items[2]),
    )
    assert (stream.response.content, stream.response.error) == (items, None)
    assert (stream.response.usage, stream.response.finish_reason) == (Usage(3, 4), "stop")


def test_a_stream_is_whole_with_its_last_words_and_over_with_its_costs() -> None:
    parser = formats.load(BEDROCK, HERE).stream_parser()
    states = []
    for event in (BEGIN, delta(0, text="a"), stop(0), END, COSTS):
        parser.feed(event)
        states.append((parser.ended, parser.closed))
    assert states == [(False, False)] * 3 + [(True, False), (True, True)]


def test_a_call_that_is_cut_is_no_call() -> None:
    """B123."""
    response = played(BEDROCK, [*WIRE[:-2][:-2]]).response
    assert response.error is not None
    assert response.error.evolve(partial=()) == CUT
    assert response.tool_calls == []
    [partial] = response.error.partial
    assert (partial.name, partial.raw_arguments) == ("f", '{"x"')


def test_a_block_whose_end_is_not_told_ends_with_the_next_of_its_index_or_with_the_message() -> None:
    wire = [BEGIN, start(0, toolUse={"toolUseId": "a", "name": "f"}), start(0, toolUse={"toolUseId": "b", "name": "g"})]
    response = played(BEDROCK, [*wire, delta(1, text="w"), END, COSTS]).response
    assert response.content == [ToolCall("a", "f"), ToolCall("b", "g"), Message("assistant", "w")]


def test_arguments_that_are_no_json_are_kept_as_they_came() -> None:
    wire = [BEGIN, start(0, toolUse={"toolUseId": "a", "name": "f"}), delta(0, toolUse={"input": "{bad"}), stop(0), END]
    [call] = played(BEDROCK, wire).response.tool_calls
    assert (call.malformed, call.raw_arguments) == (True, "{bad")


def test_hidden_thoughts_in_pieces_are_one_whatever_their_padding() -> None:
    pieces = [base64.b64encode(part).decode() for part in (b"a", b"bc", b"def")]
    wire = [BEGIN, *(delta(0, reasoningContent={"redactedContent": piece}) for piece in pieces), stop(0), END]
    whole = base64.b64encode(b"abcdef").decode()
    assert played(BEDROCK, wire).response.content == [Reasoning(encrypted=whole, redacted=True, issuer=OWN)]


def test_a_tool_is_called_by_its_own_name_though_the_api_has_another_for_it() -> None:
    call = Call(LlmRequest("", "hi", [BaseTool("my.tool")]))
    wire = [BEGIN, start(0, toolUse={"toolUseId": "a", "name": "my_tool"}), stop(0), END]
    stream = played(BEDROCK, wire, call=call)
    assert stream.response.content == [ToolCall("a", "my.tool")]
    assert [event.name for event in stream.events if isinstance(event, ToolCallDelta)] == ["my.tool"]


def test_a_piece_of_a_kind_not_known_here_is_passed_on_and_kept() -> None:
    stream = played(BEDROCK, [BEGIN, delta(0, novel={"a": 1}), stop(0), END])
    assert stream.events[0] == ProviderEvent({"novel": {"a": 1}})
    [item] = stream.response.content
    assert (item.data, item.issuer) == ({"novel": {"a": 1}}, OWN)  # type: ignore[union-attr]  # an Opaque


def test_an_error_object_and_an_exception_without_words_are_errors() -> None:
    """B129."""
    told = played(BEDROCK, [BEGIN, {"error": {"code": "InternalFailure", "message": "so"}}]).response.error
    mute = played(BEDROCK, [BEGIN, {"throttlingException": {}}]).response.error
    assert told is not None
    assert mute is not None
    assert (told.kind, told.message) == ("server", "so")
    assert (mute.kind, mute.message) == ("rate_limit", "the provider returned an error without words")
