"""Responses of generateContent: a wire response to an LlmResponse.

Reference: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from triptych.content import ContentItem, Message, Opaque, ToolCall
from triptych.errors import LlmError
from triptych.formats import Call
from triptych.formats.answering import answer_ids, text_of
from triptych.formats.gemini_generate.finish import finish_reason, reason_name
from triptych.formats.gemini_generate.parts import (
    is_thought,
    is_words_or_media,
    read_call,
    read_part,
    read_reasoning,
)
from triptych.formats.turns import DistinctIds
from triptych.parts import Issuer, Part, Text
from triptych.response import LlmResponse
from triptych.usage import Usage, count

if TYPE_CHECKING:
    from triptych_wire.gemini_generate import Response

_KNOWN = frozenset({"candidates", "promptFeedback", "usageMetadata", "responseId", "modelVersion"})
# Finishes after which a call that came is none to execute.
_BROKEN = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"})


def parse_response(body: Response, call: Call | None, issuer: Issuer, raw: Mapping[str, Any]) -> LlmResponse:
    """Return the answer that a wire response holds.

    Args:
        body: The response in the API's one spelling.
        call: What was asked.
        issuer: Whose answer it is.
        raw: The response as received.
    """
    if not body.keys() & _KNOWN:
        raise KeyError("candidates")
    candidates: Sequence[Any] = body.get("candidates") or []
    ids = answer_ids(call)
    content = [item for candidate in candidates for item in read_content(_parts(candidate), issuer, ids)]
    reason = reason_name(candidates[0].get("finishReason"), issuer.provider) if candidates else None
    response = LlmResponse(
        content=content,
        usage=read_usage(body.get("usageMetadata")),
        finish_reason=finish_reason(reason, any(isinstance(item, ToolCall) for item in content)),
        raw_finish_reason=reason,
        model=text_of(body.get("modelVersion")),
        id=text_of(body.get("responseId")),
        provider=issuer.provider,
        raw=raw,
    )
    if not candidates:
        _note_block(response, body.get("promptFeedback") or {}, issuer)
    elif reason in _BROKEN:
        _note_broken_calls(response, candidates[0])
    return response


def _parts(candidate: Mapping[str, Any]) -> Sequence[Any]:
    # A candidate that spent all on thoughts, or was blocked, has content without parts or none.
    return (candidate.get("content") or {}).get("parts") or []


def _note_block(response: LlmResponse, feedback: Mapping[str, Any], issuer: Issuer) -> None:
    """Say that the prompt was blocked, where it was."""
    reason = reason_name(feedback.get("blockReason"), issuer.provider, blocked=True)
    if reason is None:
        return
    words = feedback.get("blockReasonMessage") or f"the prompt was blocked: {reason}"
    response.error = LlmError(words, "content_filter", code=reason)
    response.error_message = words
    response.finish_reason, response.raw_finish_reason = "content_filter", reason


def _note_broken_calls(response: LlmResponse, candidate: Mapping[str, Any]) -> None:
    """Say that the model's call is none to execute, and take it out of the content."""
    reason = response.raw_finish_reason
    words = candidate.get("finishMessage") or f"the model wrote a call that cannot be executed: {reason}"
    calls = tuple(response.tool_calls)
    response.content = [item for item in response.content if not isinstance(item, ToolCall)]
    response.error = LlmError(words, "malformed_response", code=reason, retryable=True, partial=calls)
    response.error_message = words


def read_content(parts: Iterable[Any], issuer: Issuer, ids: DistinctIds) -> list[ContentItem]:
    """Return the items that the parts of a candidate say; neighbouring words and media are one message.

    Args:
        parts: The parts.
        issuer: Whose they are.
        ids: Gives an id to calls that come without.
    """
    items: list[ContentItem] = []
    said: list[Part] = []
    for part in joined(parts):
        if is_words_or_media(part):
            if part != {"text": ""}:
                said.append(read_part(part, issuer))
            continue
        items += _message(said)
        items += _item(part, issuer, ids)
    return items + _message(said)


def _message(said: list[Part]) -> list[Message]:
    parts = list(said)
    said.clear()
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].provider_data is None:
        return [Message("assistant", parts[0].text)]
    return [Message("assistant", parts)] if parts else []


def _item(part: Any, issuer: Issuer, ids: DistinctIds) -> list[ContentItem]:
    if is_thought(part):
        return [read_reasoning(part, issuer)] if part["text"] or "thoughtSignature" in part else []
    if "functionCall" in part:
        return [read_call(part, issuer, ids.next(part["functionCall"].get("id")))]
    return [Opaque(part, issuer=issuer)] if part else []


def joined(parts: Iterable[Any]) -> list[Any]:
    """Return the parts with neighbouring plain words, or plain thoughts, as one: a stream cuts them anywhere.

    A part with anything beside its words, such as a signature, stays as it is.
    """
    whole: list[Any] = []
    words: list[str] = []
    for part in map(_without_false_thought, parts):
        if is_plain(part):
            if not words or is_thought(part) != is_thought(whole[-1]):
                _close(whole, words)
                whole.append(part)
            words.append(part["text"])
        else:
            _close(whole, words)
            whole.append(part)
    _close(whole, words)
    return whole


def _without_false_thought(part: Any) -> Any:
    if part.get("thought") is not False:
        return part
    return {name: value for name, value in part.items() if name != "thought"}


def _close(whole: list[Any], words: list[str]) -> None:
    if len(words) > 1:
        whole[-1] = {**whole[-1], "text": "".join(words)}
    words.clear()


def is_plain(part: Mapping[str, Any]) -> bool:
    """Return whether a part is words alone, or a thought in words alone."""
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}


def read_usage(counts: Mapping[str, Any] | None) -> Usage | None:
    """Return the usage that a wire usage says, or None where it counts nothing; thoughts stand beside candidates."""
    if not isinstance(counts, dict) or not any(name.endswith("TokenCount") for name in counts):
        return None
    thoughts = count(counts, "thoughtsTokenCount")
    return Usage(
        input_tokens=count(counts, "promptTokenCount") + count(counts, "toolUsePromptTokenCount"),
        output_tokens=count(counts, "candidatesTokenCount") + thoughts,
        cache_read_tokens=count(counts, "cachedContentTokenCount"),
        reasoning_tokens=thoughts,
        raw=counts,
    )
