"""Responses of Anthropic Messages: a wire response to an LlmResponse.

Reference: https://platform.claude.com/docs/en/api/messages (the response)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych.content import ContentItem, Message, Opaque, Text
from triptych.formats import Call
from triptych.formats.answering import answer_ids, text_of
from triptych.formats.anthropic_messages.blocks import read_call, read_reasoning
from triptych.formats.turns import DistinctIds
from triptych.parts import Issuer
from triptych.response import FinishReason, LlmResponse
from triptych.usage import Usage, count

if TYPE_CHECKING:
    from triptych_wire.anthropic_messages import ContentBlock, Response

_FINISH_REASONS: Mapping[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "pause_turn": "pause",
    "compaction": "pause",
    "refusal": "content_filter",
}


def parse_response(body: Response, call: Call | None, issuer: Issuer) -> LlmResponse:
    """Return the answer that a wire response holds."""
    given: object = body.get("stop_reason")
    reason = None if given is None else str(given)
    return LlmResponse(
        content=read_content(body["content"], issuer, answer_ids(call, text_of(body.get("id")))),
        usage=read_usage(body.get("usage")),
        finish_reason=finish_reason(reason),
        raw_finish_reason=reason,
        model=text_of(body.get("model")),
        id=text_of(body.get("id")),
        provider=issuer.provider,
        raw=body,
    )


def finish_reason(raw: str | None) -> FinishReason:
    """Return the neutral finish reason for the API's word; "unknown" for none, "other" for one not known here."""
    return _FINISH_REASONS.get(raw, "other") if raw else "unknown"


class ContentReader:
    """Reads the blocks of an answer one by one; neighbouring texts are the parts of one message.

    Args:
        issuer: Whose they are.
        ids: Gives the calls their ids.
    """

    def __init__(self, issuer: Issuer, ids: DistinctIds) -> None:
        self._issuer = issuer
        self._ids = ids
        self._texts: list[Text] = []

    def add(self, block: ContentBlock) -> list[ContentItem]:
        """Return the items that are whole with this block: none for a text, which the next block may go on."""
        if block["type"] == "text":
            self._texts.append(_read_text(block, self._issuer))
            return []
        return [*self.finish(), self._item(block)]

    def _item(self, block: ContentBlock) -> ContentItem:
        if block["type"] == "tool_use":
            return read_call(block, self._issuer, self._ids.next(block.get("id")))
        if block["type"] == "thinking" or block["type"] == "redacted_thinking":
            return read_reasoning(block, self._issuer)
        return Opaque(block, issuer=self._issuer)

    def finish(self) -> list[ContentItem]:
        """Return the message that the texts so far make, if they say anything."""
        texts, self._texts = self._texts, []
        if len(texts) == 1 and texts[0].provider_data is None:
            return [Message("assistant", texts[0].text)] if texts[0].text else []
        return [Message("assistant", list(texts))] if texts else []


def read_content(blocks: list[ContentBlock], issuer: Issuer, ids: DistinctIds) -> list[ContentItem]:
    """Return the items that the blocks of an answer say; see `ContentReader`."""
    reader = ContentReader(issuer, ids)
    items = [item for block in blocks for item in reader.add(block)]
    return items + reader.finish()


def _read_text(block: Mapping[str, Any], issuer: Issuer) -> Text:
    kept = {name: value for name, value in block.items() if name not in ("type", "text") and value is not None}
    return Text(block["text"], provider_data=kept, issuer=issuer) if kept else Text(block["text"])


def read_usage(counts: Mapping[str, Any] | None) -> Usage | None:
    """Return the usage that a wire usage says; the API counts cached input beside `input_tokens`, not in it."""
    if not isinstance(counts, dict):
        return None
    cached, written = count(counts, "cache_read_input_tokens"), count(counts, "cache_creation_input_tokens")
    return Usage(
        input_tokens=count(counts, "input_tokens") + cached + written,
        output_tokens=count(counts, "output_tokens"),
        cache_read_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=count(counts.get("output_tokens_details"), "thinking_tokens"),
        raw=counts,
    )
