"""Responses of Bedrock Converse: a wire response to an LlmResponse.

Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (the response)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from triptych.content import ContentItem, Message, Opaque, Text
from triptych.formats import Call
from triptych.formats.answering import answer_ids
from triptych.formats.bedrock_converse.blocks import is_call, read_call, read_cited, read_part, read_reasoning
from triptych.formats.wrong_form import WrongForm
from triptych.parts import Issuer, Part
from triptych.response import FinishReason, LlmResponse
from triptych.usage import Usage, count

if TYPE_CHECKING:
    from triptych_wire.bedrock_converse import ContentBlock, Response

_FINISH_REASONS: Mapping[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "guardrail_intervened": "content_filter",
    "content_filtered": "content_filter",
    "malformed_model_output": "error",
    "malformed_tool_use": "error",
}
_MEDIA = ("image", "document", "video", "audio")
_THOUGHTS = frozenset({"reasoningText", "redactedContent"})


def parse_response(body: Response, call: Call | None, issuer: Issuer) -> LlmResponse:
    """Return the answer that a wire response holds. The API names the model only where a router chose it."""
    given: object = body.get("stopReason")
    reason = None if given is None or given == "" else str(given)
    message = body["output"].get("message")
    if message is None:  # the output is a union, and of one form only as yet
        raise WrongForm("the output has no message")
    return LlmResponse(
        content=read_content(message["content"], call, issuer),
        usage=read_usage(body.get("usage")),
        finish_reason=_FINISH_REASONS.get(reason, "other") if reason else "unknown",
        raw_finish_reason=reason,
        model=_routed_model(body.get("trace")),
        provider=issuer.provider,
        raw=body,
    )


def _routed_model(trace: Any) -> str | None:
    router = trace.get("promptRouter") if isinstance(trace, dict) else None
    model = router.get("invokedModelId") if isinstance(router, dict) else None
    return model if isinstance(model, str) and model else None


class ContentReader:
    """Reads the blocks of an answer one by one; neighbouring words and pictures are the parts of one message.

    Args:
        call: What was asked; None where that is not known.
        issuer: Whose blocks they are.
    """

    def __init__(self, call: Call | None, issuer: Issuer) -> None:
        self._issuer = issuer
        self._ids = answer_ids(call)
        self._parts: list[Part] = []

    def add(self, block: ContentBlock) -> list[ContentItem]:
        """Return the items that are whole with this block: none for words, which the next block may go on."""
        part = self._part(block)
        if part is not None:
            self._parts.append(part)
            return []
        return [*self.finish(), self._item(block)]

    def _part(self, block: ContentBlock) -> Part | None:
        if "text" in block:
            kept = {name: value for name, value in block.items() if name != "text" and value is not None}
            return Text(block["text"], provider_data=kept, issuer=self._issuer) if kept else Text(block["text"])
        if "citationsContent" in block:
            return read_cited(block, self._issuer)
        return read_part(block, self._issuer) if any(kind in block for kind in _MEDIA) else None

    def _item(self, block: ContentBlock) -> ContentItem:
        if is_call(block):
            use = block["toolUse"]
            return read_call(use, self._issuer, self._ids.next(use.get("toolUseId")))
        if "reasoningContent" in block and block["reasoningContent"].keys() & _THOUGHTS:  # else it is of a new form
            return read_reasoning(block["reasoningContent"], self._issuer)
        return Opaque(block, issuer=self._issuer)

    def finish(self) -> list[ContentItem]:
        """Return the message that the parts so far make, if they say anything."""
        parts, self._parts = self._parts, []
        if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].provider_data is None:
            return [Message("assistant", parts[0].text)] if parts[0].text else []
        return [Message("assistant", list(parts))] if parts else []


def read_content(blocks: Sequence[ContentBlock], call: Call | None, issuer: Issuer) -> list[ContentItem]:
    """Return the items that the blocks of an answer say; see `ContentReader`."""
    reader = ContentReader(call, issuer)
    items = [item for block in blocks for item in reader.add(block)]
    return items + reader.finish()


def read_usage(counts: Any) -> Usage | None:
    """Return the usage that a wire usage says; the API counts what a cache gave or took beside `inputTokens`."""
    if not isinstance(counts, dict):
        return None
    cached = count(counts, "cacheReadInputTokens", "cacheReadInputTokenCount")
    written = count(counts, "cacheWriteInputTokens", "cacheWriteInputTokenCount")
    return Usage(
        input_tokens=count(counts, "inputTokens") + cached + written,
        output_tokens=count(counts, "outputTokens"),
        cache_read_tokens=cached,
        cache_write_tokens=written,
        raw=counts,
    )
