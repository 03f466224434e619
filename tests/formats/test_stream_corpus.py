"""Every recorded stream is put together whole: what its events say, read plainly, is what the response says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.formats.corpus import Exchange, each
from tests.formats.plain import words_in, words_of_items
from tests.formats.streams import CUT, Played, Told, played, read_chunks, read_events, recorded, wire_events
from triptych.content import Reasoning, Refusal
from triptych.errors import LlmError
from triptych.events import ProviderEvent, ReasoningDelta, RefusalDelta, TextDelta

# Recordings that are not whole, and why.
_BROKEN: Mapping[str, LlmError] = {
    # The model should have called a tool and did not: the host says so after its words, in an event of its own.
    "compat_9d56d1f7": LlmError(
        "Tool choice is required, but model did not call a tool", "invalid_request", status=400, code="tool_use_failed"
    ),
    # The limit fell into the thought: the host says so in its last chunk, with the usage.
    "compat_ac56e517": LlmError("Token limit reached", "invalid_request", status=400, code="400"),
}
# Streams with the marker at their end whose host gave no reason.
_WITHOUT_REASON = ("compat_131086fd",)


def stream_of(exchange: Exchange) -> Played:
    return played(exchange.format, wire_events(exchange), provider="recorded")


def told_by(exchange: Exchange) -> Told:
    read = read_events if exchange.format == "anthropic_messages" else read_chunks
    return read(wire_events(exchange))


def thoughts_in(exchange: Exchange, told: Told) -> list[str]:
    """Return the thoughts; what a host of Chat Completions says in two fields is one."""
    thoughts = list(told.thoughts.values())
    return thoughts if exchange.format == "anthropic_messages" else thoughts[:1]


@each(recorded())
def test_a_recorded_stream_is_whole_or_says_what_the_host_said(exchange: Exchange) -> None:
    response = stream_of(exchange).response
    expected = _BROKEN.get(exchange.id)
    assert (response.error and response.error.evolve(partial=())) == expected
    assert response.provider == "recorded"


@each(recorded())
def test_the_response_says_all_that_the_events_say(exchange: Exchange) -> None:
    response, told = stream_of(exchange).response, told_by(exchange)
    left = response.error.partial if response.error is not None else ()
    items = [*response.content, *left]
    assert response.text + "".join(item.text for item in left if not isinstance(item, Reasoning)) == "".join(
        told.texts[choice] for choice in sorted(told.texts)
    )
    assert [item.refusal for item in items if isinstance(item, Refusal)] == ["".join(told.refusal)] * bool(told.refusal)
    thoughts = [item.text for item in items if isinstance(item, Reasoning) and item.text]
    assert thoughts == thoughts_in(exchange, told)
    assert [[call.tool_call_id, call.name, call.arguments] for call in response.tool_calls] == [
        [given, name, json.loads(arguments or "{}")] for given, name, arguments in told.calls.values()
    ]


@each(recorded())
def test_the_events_say_all_that_the_host_said(exchange: Exchange) -> None:
    stream, told = stream_of(exchange), told_by(exchange)
    assert {choice: stream.words(TextDelta, choice) for choice in told.texts} == told.texts
    assert stream.words(RefusalDelta) == "".join(told.refusal)
    assert stream.words(ReasoningDelta) == "".join(thoughts_in(exchange, told))
    assert [list(call) for call in stream.calls.values()] == list(told.calls.values())
    assert stream.items == stream.response.content


@each(recorded())
def test_id_model_and_finish_reason_are_those_of_the_events(exchange: Exchange) -> None:
    response, told = stream_of(exchange).response, told_by(exchange)
    assert {"id": response.id, "model": response.model} == {"id": None, "model": None, **told.top}
    if exchange.id in _WITHOUT_REASON:
        assert (response.finish_reason, response.raw_finish_reason) == ("unknown", None)
    elif exchange.id not in _BROKEN:
        assert response.raw_finish_reason == told.finish[-1]
        assert response.finish_reason in ("stop", "length", "tool_calls", "pause")


@each(recorded("openai_chat"))
def test_the_usage_of_chunks_is_the_last_that_was_said(exchange: Exchange) -> None:
    usage, counts = stream_of(exchange).response.usage, told_by(exchange).usage
    if not counts:
        assert usage is None
        return
    assert usage is not None
    assert (usage.input_tokens, usage.total_tokens) == (counts["prompt_tokens"], counts["total_tokens"])
    assert usage.raw == counts


@each(recorded("anthropic_messages"))
def test_the_usage_of_messages_is_that_of_start_and_delta_together(exchange: Exchange) -> None:
    usage, counts = stream_of(exchange).response.usage, told_by(exchange).usage
    assert usage is not None
    cached = counts.get("cache_read_input_tokens", 0), counts.get("cache_creation_input_tokens", 0)
    assert (usage.input_tokens, usage.output_tokens) == (counts["input_tokens"] + sum(cached), counts["output_tokens"])
    assert (usage.cache_read_tokens, usage.cache_write_tokens) == cached
    assert usage.raw == counts


@each(recorded("anthropic_messages"))
def test_no_block_of_a_recorded_stream_is_lost(exchange: Exchange) -> None:
    """Server tools, search results, sources, seals: whatever starts whole or comes in deltas that are not text."""
    kept = words_of_items(stream_of(exchange).response.content)
    for event in wire_events(exchange):
        if event == "[DONE]":
            continue
        said: Any = event.get("content_block") or event.get("delta", {}).get("citation") or {}
        sealed = {event["delta"]["signature"]} if event.get("delta", {}).get("type") == "signature_delta" else set()
        assert words_in(said) | sealed <= kept


@each(exchange for exchange in recorded("openai_chat") if exchange.id not in _BROKEN)
def test_no_field_of_a_recorded_chunk_is_lost(exchange: Exchange) -> None:
    """What has no meaning here is in the raw answer."""
    raw: Any = stream_of(exchange).response.raw
    for chunk in wire_events(exchange):
        if chunk == "[DONE]":
            continue
        said = {name for name, value in chunk.items() if value not in (None, "") and name not in ("object", "error")}
        assert said <= raw.keys()
        for choice in chunk.get("choices", []):
            kept = next(other for other in raw["choices"] if other["index"] == choice["index"])
            assert {name for name, value in choice.items() if value is not None} - {"delta"} <= kept.keys()
            message = kept["message"].keys()
            assert {name for name, value in (choice.get("delta") or {}).items() if value} <= message


@each(recorded())
def test_a_recorded_stream_that_is_cut_before_its_end_is_interrupted(exchange: Exchange) -> None:
    wire = wire_events(exchange)
    response = played(exchange.format, wire[: len(wire) // 3]).response
    assert response.error is not None
    assert response.error.evolve(partial=()) == CUT


@each(recorded())
def test_an_event_of_another_kind_changes_nothing_and_is_passed_on(exchange: Exchange) -> None:
    novel = {"type": "novel_event", "object": "novel", "data": {"deep": [1]}}
    wire = wire_events(exchange)
    middle = len(wire) // 2
    with_it = played(exchange.format, [*wire[:middle], novel, *wire[middle:]], provider="recorded")
    assert [event for event in with_it.events if isinstance(event, ProviderEvent) and event.data == novel] == [
        ProviderEvent(novel)
    ]
    assert with_it.response == stream_of(exchange).response
