"""Responses of Cohere's API: a wire response to an LlmResponse.

Reference: https://docs.cohere.com/reference/chat (response)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import evolve

from triptych.content import ContentItem, Message, Text
from triptych.formats import Call
from triptych.formats.answering import answer_ids, text_of
from triptych.formats.cohere_chat.errors import failure
from triptych.formats.cohere_chat.reading import read_answer
from triptych.formats.turns import DistinctIds
from triptych.parts import Issuer
from triptych.response import FinishReason, LlmResponse
from triptych.usage import Usage, count

if TYPE_CHECKING:
    from triptych_wire.cohere_chat import Response

_FINISH_REASONS: Mapping[str, FinishReason] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "MAX_TOKENS": "length",
    "TOOL_CALL": "tool_calls",
    "ERROR": "error",
    "TIMEOUT": "error",
}


def parse_response(body: Response, call: Call | None, issuer: Issuer) -> LlmResponse:
    """Return the answer that a wire response holds; one that failed has what came of it, and the error."""
    given: object = body.get("finish_reason")
    reason = None if given is None else str(given)
    answer_id = text_of(body.get("id"))
    return LlmResponse(
        content=_read_message(body["message"], issuer, answer_ids(call, answer_id)),
        error=failure(body),
        usage=read_usage(body.get("usage")),
        finish_reason=_FINISH_REASONS.get(reason, "other") if reason else "unknown",
        raw_finish_reason=reason,
        id=answer_id,
        provider=issuer.provider,
        raw=body,
    )


def _read_message(message: Any, issuer: Issuer, ids: DistinctIds) -> list[ContentItem]:
    """Return the items of an answer's message; its citations stay with its words. Other fields are not taken back."""
    items = [_plain(item) for item in read_answer(message, issuer, ids)]
    citations = message.get("citations")
    spoken = next((at for at, item in enumerate(items) if isinstance(item, Message)), None)
    if citations:
        if spoken is None:
            spoken = 0
            items.insert(spoken, Message("assistant", []))
        items[spoken] = evolve(items[spoken], provider_data={"citations": citations}, issuer=issuer)
    return [item for item in items if not _is_silent(item)]


def _is_silent(item: ContentItem) -> bool:
    """Return whether an item is a message that has no word: blocks may be begun and stay empty."""
    if not isinstance(item, Message) or item.provider_data is not None or item.text:
        return False
    return isinstance(item.content, str) or all(
        isinstance(part, Text) and part.provider_data is None for part in item.content
    )


def _plain(item: ContentItem) -> ContentItem:
    """Return a message of one text with that text alone: the API has a list of blocks for the shortest answer."""
    if isinstance(item, Message) and not isinstance(item.content, str) and len(item.content) == 1:
        part = item.content[0]
        if isinstance(part, Text) and part.provider_data is None:
            return Message(item.role, part.text)
    return item


def read_usage(counts: Any) -> Usage | None:
    """Return the usage that a wire usage says, or None where it says none.

    The bill leaves out the provider's template, which is read all the same. Some models do not count pictures among
    the tokens read, which shows where these are fewer than those.
    """
    if not isinstance(counts, dict) or not (counts.get("tokens") or counts.get("billed_units")):
        return None
    tokens, billed = counts.get("tokens"), counts.get("billed_units")
    read, pictures = count(tokens, "input_tokens"), count(tokens, "image_tokens")
    return Usage(
        input_tokens=(read + pictures if pictures > read else read) or count(billed, "input_tokens"),
        output_tokens=count(tokens, "output_tokens") or count(billed, "output_tokens"),
        cache_read_tokens=count(counts, "cached_tokens"),
        reasoning_tokens=count(tokens, "reasoning_tokens"),
        raw=counts,
    )
