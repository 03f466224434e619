"""Events as hosts of Anthropic Messages send them: every odd form is put together as what it means."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import pytest

from tests.formats.bodies import ANTHROPIC, anthropic_answer, issuer, messages, parsed
from tests.formats.streams import CUT, DONE, Played, played
from triptych.content import ContentItem, Message, Reasoning, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, TextDelta, ToolCallDelta
from triptych.parts import Opaque, Text
from triptych.usage import Usage

STOP = {"type": "message_stop"}
TEXT = {"type": "text", "text": ""}
TOOL = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}


def opening(**usage: int) -> dict[str, Any]:
    message = {"id": "r1", "type": "message", "role": "assistant", "model": "m", "stop_reason": None}
    return {
        "type": "message_start",
        "message": {**message, "content": [], "usage": usage or {"input_tokens": 1, "output_tokens": 1}},
    }


def closing(stop: str | None = "end_turn", **usage: int) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage or {"output_tokens": 2}}


def start(block: Any, index: int | None = 0) -> dict[str, Any]:
    return {"type": "content_block_start", "content_block": block, **({} if index is None else {"index": index})}


def delta(piece: Any, index: int | None = 0) -> dict[str, Any]:
    return {"type": "content_block_delta", "delta": piece, **({} if index is None else {"index": index})}


def end(index: int | None = 0) -> dict[str, Any]:
    return {"type": "content_block_stop", **({} if index is None else {"index": index})}


def words(text: str) -> dict[str, Any]:
    return {"type": "text_delta", "text": text}


def arguments(text: str) -> dict[str, Any]:
    return {"type": "input_json_delta", "partial_json": text}


def whole(*events: Any, stop: str = "end_turn") -> Played:
    """Return what a whole stream with these events in it comes to."""
    return played(ANTHROPIC, [opening(), *events, closing(stop), STOP])


def block(first: Any, *pieces: Any, index: int | None = 0) -> list[Any]:
    return [start(first, index), *(delta(piece, index) for piece in pieces), end(index)]


def test_an_item_is_told_when_its_block_has_ended() -> None:
    thought = Reasoning("so", signature="seal", issuer=issuer(ANTHROPIC))
    call = ToolCall("t1", "f", {"a": 1})
    told = whole(
        *block(
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "so"},
            {"type": "signature_delta", "signature": "seal"},
        ),
        *block(TEXT, words("a"), words("b"), index=1),
        *block(TOOL, arguments(""), arguments('{"a":'), arguments("1}"), index=2),
        stop="tool_use",
    )
    assert told.events == (
        ReasoningDelta("so"),
        ItemDone(thought),
        TextDelta("a"),
        TextDelta("b"),
        ToolCallDelta("t1", "f", ""),
        ToolCallDelta("t1", "f", '{"a":'),
        ToolCallDelta("t1", "f", "1}"),
        ItemDone(Message("assistant", "ab")),
        ItemDone(call),
    )
    assert told.response.content == [thought, Message("assistant", "ab"), call]


@pytest.mark.parametrize("stop", ["end_turn", "stop_sequence"])
def test_the_last_message_is_told_before_the_stream_ends(stop: str) -> None:
    told = whole(*block(TEXT, words("a")), stop=stop)
    assert told.events == (TextDelta("a"), ItemDone(Message("assistant", "a")))


@pytest.mark.parametrize(
    ("given", "pieces", "expected"),
    [
        ({}, (), {}),
        ({}, ("",), {}),
        ({}, ("", ""), {}),
        ({}, ("{}",), {}),
        ({"a": 1}, (), {"a": 1}),
        ({"a": 1}, ("",), {"a": 1}),
        ({"stale": 1}, ('{"a"', ":1}"), {"a": 1}),
        (None, ('{"a":1}',), {"a": 1}),
        ("", ('{"a":1}',), {"a": 1}),
        ('{"a":1}', (), {"a": 1}),
    ],
)
def test_arguments_are_those_of_the_pieces_or_else_of_the_start(
    given: Any, pieces: Sequence[str], expected: Any
) -> None:
    """B120."""
    told = whole(*block({**TOOL, "input": given}, *map(arguments, pieces)), stop="tool_use")
    assert told.response.content == [ToolCall("t1", "f", expected)]
    [(given_id, name, text)] = told.calls.values()
    assert (given_id, name) == ("t1", "f")
    assert ToolCall("t1", "f", raw_arguments=text).arguments == expected


def test_arguments_that_are_no_json_are_kept_as_text() -> None:
    told = whole(*block(TOOL, arguments('{"a":')), stop="max_tokens")
    [call] = told.response.tool_calls
    assert (call.malformed, call.raw_arguments, told.response.finish_reason) == (True, '{"a":', "length")


@pytest.mark.parametrize("index", [0, None])
def test_blocks_under_one_index_or_none_follow_each_other(index: int | None) -> None:
    """B117, B118: what another block begins has ended, also without an event that says so."""
    told = whole(
        *block(TEXT, words("a"), index=index),
        *block(TOOL, arguments('{"a":1}'), index=index)[:-1],
        *block({**TOOL, "id": "t2"}, arguments('{"a":2}'), index=index)[:-1],
    )
    expected = [Message("assistant", "a"), ToolCall("t1", "f", {"a": 1}), ToolCall("t2", "f", {"a": 2})]
    assert told.response.content == told.items == expected


@pytest.mark.parametrize("indexes", [(0, 1), (0, 2), (5, 9)])
def test_blocks_may_grow_side_by_side(indexes: tuple[int, int]) -> None:
    """B118."""
    one, two = indexes
    told = whole(
        start(TOOL, one),
        start({**TOOL, "id": "t2"}, two),
        delta(arguments('{"a":2'), two),
        delta(arguments('{"a":1}'), one),
        delta(arguments("}"), two),
        end(two),
        end(one),
    )
    assert told.response.content == told.items == [ToolCall("t1", "f", {"a": 1}), ToolCall("t2", "f", {"a": 2})]
    assert [call[2] for call in told.calls.values()] == ['{"a":1}', '{"a":2}']


def test_calls_with_one_id_get_one_each() -> None:
    """B116."""
    told = whole(*block({**TOOL, "id": ""}), *block(TOOL, index=1), *block(TOOL, index=2))
    ids = [call.tool_call_id for call in told.response.tool_calls]
    assert ids[1] == "t1"
    assert len(set(ids)) == 3
    assert all(ids)
    assert told.items == told.response.content


def test_the_closing_counts_replace_those_of_the_start() -> None:
    """B151: server tools read more than the start knew."""
    wire = [
        opening(input_tokens=25, output_tokens=1),
        *block(TEXT, words("a")),
        closing(input_tokens=900, output_tokens=40),
        STOP,
    ]
    assert played(ANTHROPIC, wire).response.usage == Usage(900, 40)


def test_the_counts_of_the_start_stay_where_the_end_says_nothing() -> None:
    """B102, B151."""
    begun = opening(input_tokens=25, cache_read_input_tokens=75, output_tokens=1)
    for last in (
        closing(output_tokens=40),
        closing(input_tokens=0, output_tokens=40),
        {"type": "message_delta", "usage": {"output_tokens": 40}},
    ):
        response = played(ANTHROPIC, [begun, *block(TEXT, words("a")), last, STOP]).response
        assert (response.error, response.usage) == (None, Usage(100, 40, cache_read_tokens=75))


def test_empty_metadata_and_early_pings_cost_nothing() -> None:
    """B103."""
    message: dict[str, Any] = {"id": "", "model": "", "content": [], "usage": None}
    wire = [{"type": "ping"}, {"type": "message_start", "message": message}, *block(TEXT, words("a")), closing(), STOP]
    response = played(ANTHROPIC, wire).response
    assert (response.error, response.text, response.id, response.model) == (None, "a", None, None)


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "q"},
            LlmError("Overloaded", "overloaded", code="overloaded_error", request_id="q"),
        ),
        (
            {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow"}},
            LlmError("Slow", "rate_limit", code="rate_limit_error"),
        ),
        ({"type": "error", "error": "text"}, LlmError("text", "server", code="error")),
        ({"error": {"message": "Internal", "code": 500}}, LlmError("Internal", "server", status=500, code="500")),
    ],
)
def test_an_error_in_the_middle_is_an_error_with_what_came(wire: Any, expected: LlmError) -> None:
    """B107."""
    told = played(ANTHROPIC, [opening(), *block(TEXT, words("a")), start(TEXT, 1), delta(words("Hel"), 1), wire, STOP])
    assert told.response.error == expected.evolve(partial=(Message("assistant", "Hel"),))
    assert told.response.content == [Message("assistant", "a")]


BLOCK = block(TEXT, words("a"))


@pytest.mark.parametrize(
    ("wire", "error", "reason"),
    [
        ([], CUT, "unknown"),
        ([opening()], CUT, "unknown"),
        ([opening(), *BLOCK], CUT, "unknown"),
        ([opening(), *BLOCK, DONE], CUT, "unknown"),
        ([opening(), *BLOCK, closing()], CUT, "stop"),
        ([opening(), *BLOCK, closing(), STOP], None, "stop"),
        ([opening(), *BLOCK, closing(), STOP, DONE], None, "stop"),
        ([opening(), *BLOCK, STOP], None, "unknown"),
        ([opening(), *BLOCK, closing("max_tokens"), STOP], None, "length"),
        ([opening(), *BLOCK, closing("refusal"), STOP], None, "content_filter"),
    ],
)
def test_what_is_a_whole_stream(wire: list[Any], error: LlmError | None, reason: str) -> None:
    """B122, B124."""
    response = played(ANTHROPIC, wire).response
    assert (response.error and response.error.evolve(partial=()), response.finish_reason) == (error, reason)


def test_a_call_that_was_cut_is_no_call_of_the_answer() -> None:
    """B123."""
    wire = [
        opening(),
        *BLOCK,
        *block(TOOL, arguments('{"a":1}'), index=1),
        *block(TOOL, arguments('{"path":"/etc'), index=2)[:-1],
    ]
    told = played(ANTHROPIC, wire)
    assert told.response.content == told.items == [Message("assistant", "a"), ToolCall("t1", "f", {"a": 1})]
    assert told.response.error is not None
    [cut] = told.response.error.partial
    assert (cut.raw_arguments, cut.malformed) == ('{"path":"/etc', True)


def test_a_call_is_not_whole_before_its_block_has_ended() -> None:
    """B123: what came may be all, and the host has not said so."""
    response = played(ANTHROPIC, [opening(), *block(TOOL, arguments('{"a":1}'))[:-1]]).response
    assert response.content == []
    assert response.error == CUT.evolve(partial=(ToolCall("t1", "f", {"a": 1}),))


@pytest.mark.parametrize("pieces", [("<thi", "nk>a</th", "ink>b"), ("a</think>b",)])
def test_think_tags_in_the_words_are_words(pieces: tuple[str, ...]) -> None:
    """B131."""
    told = whole(*block(TEXT, *map(words, pieces)))
    assert (told.response.text, told.words(TextDelta), told.response.reasoning) == ("".join(pieces),) * 2 + ("",)


def test_a_thought_goes_back_with_its_seal_before_the_call() -> None:
    """B132, B136: no fragment and no empty text is stored."""
    told = whole(
        *block(
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "hm"},
            {"type": "signature_delta", "signature": "seal"},
        ),
        *block(TEXT, words(""), index=1),
        *block(TOOL, arguments('{"a":1}'), index=2),
        stop="tool_use",
    )
    history = [Message("user", "go"), *told.response.content, ToolResult("t1", "f", content=["1"])]
    assert messages(ANTHROPIC, history)[1] == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "seal"},
            {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
        ],
    }


def test_thoughts_between_words_stay_where_they_were() -> None:
    """B138."""
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "one", "signature": "s1"},
        {"type": "text", "text": "a"},
        {"type": "redacted_thinking", "data": "AAAA"},
        {"type": "thinking", "thinking": "two", "signature": "s2"},
    ]
    told = whole(
        *block(
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "one"},
            {"type": "signature_delta", "signature": "s1"},
        ),
        *block(TEXT, words("a"), index=1),
        *block(blocks[2], index=2),
        *block(
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "two"},
            {"type": "signature_delta", "signature": "s2"},
            index=3,
        ),
    )
    assert told.response == parsed(ANTHROPIC, anthropic_answer(blocks))


def test_sources_belong_to_the_words_that_they_prove() -> None:
    source = {"type": "char_location", "cited_text": "c", "document_index": 0}
    told = whole(
        *block({**TEXT, "citations": []}, {"type": "citations_delta", "citation": source}, words("a")),
        *block(TEXT, words("b"), index=1),
    )
    cited = Text("a", provider_data={"citations": [source]}, issuer=issuer(ANTHROPIC))
    assert told.response.content == [Message("assistant", [cited, Text("b")])]


def test_blocks_of_the_api_itself_are_kept_with_their_input() -> None:
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    summary = {"type": "compaction", "content": None}
    told = whole(
        *block(use, arguments('{"query":'), arguments('"x"}')),
        *block(found, index=1),
        *block(summary, {"type": "compaction_delta", "content": "so far"}, index=2),
    )
    kept: list[ContentItem] = [
        Opaque(data, issuer=issuer(ANTHROPIC))
        for data in ({**use, "input": {"query": "x"}}, found, {**summary, "content": "so far"})
    ]
    assert told.response.content == kept
    assert told.events == tuple(map(ItemDone, kept))  # calls of the API's own are nobody else's to answer


def test_what_is_new_is_passed_on_and_kept() -> None:
    novel = {"type": "novel_delta", "novel": [1]}
    first, event = {"type": "novel", "a": 1}, {"type": "novel_event", "b": 2}
    stray = delta(words("x"), 7)
    told = whole(event, *block(first, novel), stray)
    item = Opaque({"type": "novel", "a": 1, "novel": [1]}, issuer=issuer(ANTHROPIC))
    assert told.events == (ProviderEvent(event), ProviderEvent(novel), ItemDone(item), ProviderEvent(stray))
    assert told.response.content == [item]


def test_amazon_counts_at_the_end_are_passed_over() -> None:
    metrics = {"amazon-bedrock-invocationMetrics": {"inputTokenCount": 1}}
    told = played(ANTHROPIC, [opening(), *BLOCK, closing(), {**STOP, **metrics}])
    assert told.response == parsed(ANTHROPIC, anthropic_answer([{"type": "text", "text": "a"}]))


def test_the_events_are_not_changed() -> None:
    """Formats are pure: an event may be fed to several parsers."""
    wire = [
        opening(input_tokens=1),
        *block({**TEXT, "citations": []}, words("a"), {"type": "citations_delta", "citation": {"a": 1}}),
        *block({"type": "novel", "list": [1]}, {"type": "novel_delta", "list": [2]}, index=1),
        closing(output_tokens=3),
        STOP,
    ]
    before = deepcopy(wire)
    assert played(ANTHROPIC, wire) == played(ANTHROPIC, wire)
    assert wire == before
