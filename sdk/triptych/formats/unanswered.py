"""Notices of calls and results that stand alone, for the APIs that ask for one of each."""

from __future__ import annotations

from triptych.errors import Notice
from triptych.formats import Call
from triptych.formats.turns import unanswered


def note_unanswered(call: Call, notices: list[Notice]) -> None:
    """Add a notice for each call without a result, and for each result without a call.

    Args:
        call: What is to be said.
        notices: What the API cannot say, which grows.
    """
    calls, results = unanswered(call.request.contents)
    for tool_call_id in calls:
        notices.append(Notice("contents", f"tool call {tool_call_id!r} has no result", "the API asks for one of each"))
    for tool_call_id in results:
        notices.append(
            Notice("contents", f"tool result {tool_call_id!r} has no call", "the API asks for one before it")
        )
