"""An answer in one piece and the same answer as a stream are one response, wherever the stream is cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.formats import corpus
from tests.formats.answers import anthropic_answers, openai_answers
from tests.formats.anthropic_messages import splitter as messages_splitter
from tests.formats.bodies import ANTHROPIC, BOTH, OPENAI, parsed
from tests.formats.corpus import Exchange, each
from tests.formats.openai_chat import splitter as chat_splitter
from tests.formats.streams import Wire, played
from triptych.content import Reasoning, Refusal, read_arguments
from triptych.events import ReasoningDelta, RefusalDelta, TextDelta
from triptych.response import LlmResponse

_STREAMS = {OPENAI: chat_splitter.streams, "mistral_chat": chat_splitter.streams, ANTHROPIC: messages_splitter.streams}
_ANSWERS: Mapping[str, SearchStrategy[dict[str, Any]]] = {OPENAI: openai_answers(), ANTHROPIC: anthropic_answers()}
_LARGE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)

both = pytest.mark.parametrize("name", BOTH)


def streams(name: str, answer: Mapping[str, Any], **manner: bool) -> SearchStrategy[list[Wire]]:
    """Return the ways to play an answer as a stream."""
    return _STREAMS[name](answer, **manner)


@each(corpus.answers())
def test_a_recorded_answer_is_the_same_as_a_stream(exchange: Exchange) -> None:
    whole = parsed(exchange.format, exchange.response)

    @settings(max_examples=6, deadline=None, database=None, suppress_health_check=_LARGE)
    @given(streams(exchange.format, exchange.response))
    def check(wire: list[Wire]) -> None:
        assert played(exchange.format, wire).response == whole

    check()


@both
@settings(max_examples=200, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_any_answer_is_the_same_as_a_stream(name: str, data: st.DataObject) -> None:
    answer = data.draw(_ANSWERS[name])
    stream = played(name, data.draw(streams(name, answer)))
    assert stream.response == parsed(name, answer)
    assert stream.items == stream.response.content


@both
@settings(max_examples=120, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_the_deltas_of_a_stream_add_up_to_its_response(name: str, data: st.DataObject) -> None:
    answer = data.draw(_ANSWERS[name])
    stream = played(name, data.draw(streams(name, answer, side_by_side=False)))
    response, choices = stream.response, range(len(answer.get("choices", [0])))
    assert "".join(stream.words(TextDelta, choice) for choice in choices) == response.text
    refusals = [item.refusal for item in response.content if isinstance(item, Refusal)]
    assert "".join(stream.words(RefusalDelta, choice) for choice in choices) == "".join(refusals)
    assert "".join(stream.words(ReasoningDelta, choice) for choice in choices) == "".join(_thoughts(response))


def _thoughts(response: LlmResponse) -> list[str]:
    """Return the words of each thought; of a host that sends several details, their words without the line breaks."""
    thoughts = []
    for item in response.content:
        if isinstance(item, Reasoning):
            kept = item.provider_data or {}
            details: Any = kept.get("reasoning_details", []) if len(kept) == 1 else []
            thoughts += [str(detail.get("text") or detail.get("summary") or "") for detail in details] or [item.text]
    return thoughts


@both
@settings(max_examples=120, deadline=None, suppress_health_check=_LARGE)
@given(st.data())
def test_the_pieces_of_a_call_add_up_to_its_arguments(name: str, data: st.DataObject) -> None:
    answer = data.draw(_ANSWERS[name])
    stream = played(name, data.draw(streams(name, answer)))
    made = [(call_name, arguments) for _, call_name, arguments in stream.calls.values()]
    for call in stream.response.tool_calls:
        said = call.provider_data or {}
        if "custom" in said:
            assert (call.name, said["custom"]["input"]) in made
        else:
            assert any(one == call.name and (read_arguments(text) or {}) == call.arguments for one, text in made)
