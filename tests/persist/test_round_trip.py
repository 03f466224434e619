"""What is written is read as it was: histories of all kinds, requests, responses, events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.persist.values import events, histories, others, requests, responses
from triptych.content import ContentItem
from triptych.formats import Call
from triptych.persist import dumps, loads, structure, unstructure
from triptych.response import LlmResponse

many = settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
some = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


@many
@given(histories())
def test_a_history_is_read_as_it_was_written(history: list[ContentItem]) -> None:
    text = dumps(history)
    assert loads(text) == history
    assert "\n" not in text
    assert dumps(loads(text)) == text


@some
@given(histories())
def test_the_text_is_json_for_any_parser(history: list[ContentItem]) -> None:
    assert structure(json.loads(dumps(history))) == history


@some
@given(histories())
def test_plain_values_are_read_without_a_text_too(history: list[ContentItem]) -> None:
    assert structure(unstructure(history)) == history


@some
@given(requests)
def test_a_request_and_its_settings_are_read_as_they_were_written(call: Call) -> None:
    assert loads(dumps([call.request, call.settings])) == [call.request, call.settings]


@some
@given(responses)
def test_a_response_is_read_as_it_was_written_with_what_is_not_compared(response: LlmResponse) -> None:
    again = loads(dumps(response))
    assert (again, again.raw, again.error) == (response, response.raw, response.error)
    assert response.usage is None or again.usage.raw == response.usage.raw


@pytest.mark.parametrize("values", [events, others])
def test_events_and_pieces_are_read_as_they_were_written(values: Any) -> None:
    @some
    @given(values)
    def check(value: Any) -> None:
        assert loads(dumps(value)) == value

    check()
