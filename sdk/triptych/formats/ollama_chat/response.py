"""Responses of Ollama's chat API: a wire response to an LlmResponse.

Reference: https://docs.ollama.com/api/chat (the response)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych.content import ContentItem, Message, Reasoning
from triptych.formats import Call
from triptych.formats.answering import answer_ids, text_of
from triptych.formats.ollama_chat.calls import read_calls
from triptych.formats.ollama_chat.parts import read_content
from triptych.formats.turns import DistinctIds
from triptych.parts import Issuer
from triptych.response import FinishReason, LlmResponse
from triptych.usage import Usage, count

if TYPE_CHECKING:
    from triptych_wire.ollama_chat import Response

_FINISH_REASONS: Mapping[str, FinishReason] = {"stop": "stop", "length": "length", "tool_calls": "tool_calls"}
# Fields of an answer's message that an item says, or that say nothing to a later call.
_MAPPED = frozenset({"role", "content", "thinking", "images", "tool_calls"})
_COUNTS = (
    "prompt_eval_count",
    "eval_count",
    "total_duration",
    "load_duration",
    "prompt_eval_duration",
    "eval_duration",
)


def parse_response(body: Response, call: Call | None, issuer: Issuer) -> LlmResponse:
    """Return the answer that a wire response holds; one of counts alone, as some servers send, is empty."""
    message: Any = body.get("message") if "done" in body else body["message"]
    content = _read_message(message or {}, answer_ids(call), issuer)
    given = body.get("done_reason")
    reason = None if given is None or given == "" else str(given)
    return LlmResponse(
        content=content,
        usage=read_usage(body),
        finish_reason=_finish_reason(reason, (message or {}).get("tool_calls")),
        raw_finish_reason=reason,
        model=text_of(body.get("model")),
        provider=issuer.provider,
        raw=body,
    )


def _finish_reason(raw: str | None, calls: object) -> FinishReason:
    """Return the neutral finish reason; the API says that it stopped where it wishes to call tools, too."""
    if raw is None:
        return "unknown"
    neutral = _FINISH_REASONS.get(raw, "other")
    return "tool_calls" if neutral == "stop" and calls else neutral


def _read_message(message: Mapping[str, Any], ids: DistinctIds, issuer: Issuer) -> list[ContentItem]:
    items: list[ContentItem] = []
    if message.get("thinking"):
        items.append(Reasoning(message["thinking"], issuer=issuer))
    words = read_content(message)
    kept = {name: value for name, value in message.items() if value and name not in _MAPPED}
    if kept:
        items.append(Message("assistant", words, provider_data=kept, issuer=issuer))
    elif words:
        items.append(Message("assistant", words))
    items.extend(read_calls(message.get("tool_calls") or [], issuer, ids))
    return items


def read_usage(body: Mapping[str, Any]) -> Usage | None:
    """Return the usage that an answer says, or None where it says none; what was cached may not be counted."""
    counts = {name: body[name] for name in _COUNTS if name in body}
    if not counts.keys() & {"prompt_eval_count", "eval_count"}:
        return None
    return Usage(count(counts, "prompt_eval_count"), count(counts, "eval_count"), raw=counts)
