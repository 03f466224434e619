"""What holds of every response, error and event, whatever a host sent."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterable
from typing import get_args

from triptych import dumps, loads
from triptych.content import ITEM_TYPES
from triptych.errors import Kind, LlmError
from triptych.events import ReasoningDelta, RefusalDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.response import FinishReason, LlmResponse

_KINDS = get_args(Kind)
_FINISHES = (None, *get_args(FinishReason))
_EVENTS = get_args(StreamEvent)
# A response says things twice at most (words and items, keys and snippets), and each character as up to six.
_FACTOR = 30
_CONSTANT = 20_000


def check_error(error: LlmError) -> None:
    """Check an error: its kind is one of the known, and none that is a fault of ours; it travels."""
    assert error.kind in _KINDS, error
    assert error.kind != "internal", error
    assert error.message, error
    assert error.retry_after is None or (math.isfinite(error.retry_after) and error.retry_after >= 0), error
    assert all(isinstance(item, ITEM_TYPES) for item in error.partial), error
    assert repr(pickle.loads(pickle.dumps(error))) == repr(error)


def check_response(response: LlmResponse, size: int) -> None:
    """Check a response: the types of its fields, that it can be kept and travel, and that it is not out of proportion.

    Args:
        response: The response.
        size: How many bytes it was read from.
    """
    assert all(isinstance(item, ITEM_TYPES) for item in response.content), response
    assert response.finish_reason in _FINISHES, response
    for name in ("raw_finish_reason", "model", "id", "provider", "error_message"):
        assert isinstance(getattr(response, name), str | None), (name, response)
    assert all(isinstance(count, int) for count in response.usage_metadata.values()), response
    if response.error is not None:
        check_error(response.error)
        assert response.error_message == response.error.message
    assert len(repr(response)) <= _FACTOR * size + _CONSTANT, size
    assert isinstance((response.text, response.reasoning), tuple)
    assert repr(pickle.loads(pickle.dumps(response))) == repr(response)
    assert isinstance(loads(dumps(response)), LlmResponse)


def check_events(events: Iterable[StreamEvent], size: int) -> None:
    """Check the events of a stream: their types, and that together they are not out of proportion.

    Args:
        events: The events.
        size: How many bytes they were read from.
    """
    total = 0
    for event in events:
        assert isinstance(event, _EVENTS), event
        if isinstance(event, TextDelta | ReasoningDelta | RefusalDelta):
            assert isinstance(event.text, str), event
            assert isinstance(event.choice, int), event
        elif isinstance(event, ToolCallDelta):
            texts = (event.tool_call_id or "", event.name, event.arguments)
            assert all(isinstance(text, str) for text in texts), event
            assert all(isinstance(number, int) for number in (event.index, event.choice)), event
        total += len(repr(event))
    assert total <= 2 * _FACTOR * size + _CONSTANT, (total, size)
