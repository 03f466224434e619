"""Responses of OpenAI Responses: a wire response to an LlmResponse.

Reference: https://developers.openai.com/api/reference/resources/responses (the response object)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych.content import ContentItem, Opaque, ToolCall
from triptych.formats import Call
from triptych.formats.answering import answer_ids, text_of
from triptych.formats.openai_responses.calls import CALLS, read_call, read_reasoning
from triptych.formats.openai_responses.said import read_message
from triptych.formats.turns import DistinctIds
from triptych.parts import Issuer
from triptych.response import FinishReason, LlmResponse
from triptych.usage import Usage, count

if TYPE_CHECKING:
    from triptych_wire.openai_responses import OutputItem, Response

# By the reason for which an answer is incomplete, else by its status; one that is being made yet has none.
_FINISH_REASONS: Mapping[str, FinishReason] = {
    "completed": "stop",
    "max_output_tokens": "length",
    "content_filter": "content_filter",
    "failed": "error",
    "queued": "unknown",
    "in_progress": "unknown",
}


def parse_response(body: Response, call: Call | None, issuer: Issuer) -> LlmResponse:
    """Return the answer that a wire response holds."""
    reader = OutputReader(issuer, answer_ids(call, text_of(body.get("id"))))
    content = [item for wire in body["output"] for item in reader.add(wire)]
    raw = _raw_reason(body)
    return LlmResponse(
        content=content,
        usage=read_usage(body.get("usage")),
        finish_reason=_finish_reason(raw, content),
        raw_finish_reason=raw,
        model=text_of(body.get("model")),
        id=text_of(body.get("id")),
        provider=issuer.provider,
        raw=body,
    )


def _raw_reason(body: Mapping[str, Any]) -> str | None:
    """Return why the answer is incomplete, else its status."""
    details = body.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return text_of(reason) or text_of(body.get("status"))


def _finish_reason(raw: str | None, content: list[ContentItem]) -> FinishReason:
    if raw == "completed" and any(isinstance(item, ToolCall) for item in content):
        return "tool_calls"
    return _FINISH_REASONS.get(raw, "other") if raw else "unknown"


class OutputReader:
    """Reads the items of an answer one by one; each call gets an id that is no other's.

    Args:
        issuer: Whose they are.
        ids: Gives the calls their ids.
    """

    def __init__(self, issuer: Issuer, ids: DistinctIds) -> None:
        self._issuer = issuer
        self._ids = ids

    def add(self, wire: OutputItem) -> list[ContentItem]:
        """Return the items of ours that an item of the answer says."""
        if wire["type"] == "message":
            return read_message(wire, self._issuer)
        if wire["type"] == "reasoning":
            return [read_reasoning(wire, self._issuer)]
        if wire["type"] in CALLS:
            return [read_call(wire, self._issuer, self._ids.next(text_of(wire.get("call_id"))))]
        return [Opaque(wire, issuer=self._issuer)]


def read_usage(counts: Mapping[str, Any] | None) -> Usage | None:
    """Return the usage that a wire usage says."""
    if not isinstance(counts, dict):
        return None
    read = counts.get("input_tokens_details")
    return Usage(
        input_tokens=count(counts, "input_tokens"),
        output_tokens=count(counts, "output_tokens"),
        cache_read_tokens=count(read, "cached_tokens"),
        cache_write_tokens=count(read, "cache_write_tokens"),
        reasoning_tokens=count(counts.get("output_tokens_details"), "reasoning_tokens"),
        raw=counts,
    )
