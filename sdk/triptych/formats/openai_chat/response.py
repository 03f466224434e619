"""Responses of OpenAI Chat Completions: a wire response to an LlmResponse.

Reference: https://platform.openai.com/docs/api-reference/chat/object
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.content import ContentItem, Message, Part, Reasoning, Refusal, Text, ToolCall
from triptych.formats import Call
from triptych.formats.answering import answer_ids, text_of
from triptych.formats.openai_chat.calls import function_call, read_calls
from triptych.formats.openai_chat.reasoning import read_reasoning
from triptych.formats.turns import DistinctIds
from triptych.parts import Audio, Issuer, Opaque
from triptych.provider import Quirks
from triptych.response import FinishReason, LlmResponse
from triptych.usage import Usage, count

if TYPE_CHECKING:
    from triptych_wire.openai_chat import Choice, Response, ResponseAudio, ResponseMessage

_FINISH_REASONS: Mapping[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "guardrail_intervened": "content_filter",
    "refusal": "content_filter",
    "error": "error",
    "network_error": "error",
    "insufficient_system_resource": "error",
}
# Fields of an answer's message that an item says, or that say nothing to a later call.
_MAPPED = frozenset({"role", "content", "refusal", "tool_calls", "function_call", "audio"})


def parse_response(body: Response, call: Call | None, issuer: Issuer, quirks: Quirks) -> LlmResponse:
    """Return the answer that a wire response holds: the items of all its choices, in order."""
    return read_response(
        body, call, issuer, lambda choice, ids: _read_message(choice["message"], ids, call, issuer, quirks)
    )


def read_response(
    body: Response, call: Call | None, issuer: Issuer, read_choice: Callable[[Choice, DistinctIds], list[ContentItem]]
) -> LlmResponse:
    """Return the answer that a wire response of this frame holds.

    Args:
        body: The wire response.
        call: What it answers.
        issuer: Whose it is.
        read_choice: Returns the items of a choice, given what gives its calls their ids.
    """
    choices = body["choices"]
    seed = text_of(body.get("id")) or str(len(call.request.contents) if call is not None else 0)
    content: list[ContentItem] = []
    for index, choice in enumerate(choices):
        content += read_choice(choice, answer_ids(call, f"{seed}_{index}" if index else seed))
    raw_reason = _finish(choices[0]) if choices else None
    return LlmResponse(
        content=content,
        usage=read_usage(body.get("usage")),
        finish_reason=finish_reason(raw_reason),
        raw_finish_reason=raw_reason,
        model=text_of(body.get("model")),
        id=text_of(body.get("id")),
        provider=issuer.provider,
        raw=body,
    )


def _finish(choice: Choice) -> str | None:
    reason: object = choice.get("finish_reason")
    details = choice.get("finish_details")  # what the first vision models sent instead
    if reason is None and isinstance(details, dict):
        reason = details.get("type")
    return None if reason is None else str(reason)


def finish_reason(raw: str | None) -> FinishReason:
    """Return the neutral finish reason for a host's word; "unknown" for none, "other" for one not known here."""
    return _FINISH_REASONS.get(raw, "other") if raw else "unknown"


def _read_message(
    message: ResponseMessage, ids: DistinctIds, call: Call | None, issuer: Issuer, quirks: Quirks
) -> list[ContentItem]:
    items: list[ContentItem] = []
    reasoning = read_reasoning(message, quirks, issuer)
    if reasoning is not None:
        items.append(reasoning)
    words, thoughts = _read_content(message.get("content"), issuer)
    items.extend(thoughts)
    audio = message.get("audio")
    if audio and audio.get("id"):
        words = [
            *([Text(words)] if isinstance(words, str) and words else words or []),
            _read_audio(audio, call, issuer),
        ]
    refusal = message.get("refusal")
    calls = _calls(message, ids, issuer)
    kept = {name: value for name, value in message.items() if value and name not in _MAPPED}
    kept = {name: value for name, value in kept.items() if name not in quirks.reasoning_fields}
    if words or kept:
        spoken = Message("assistant", words or [])
        items.append(_with_kept(spoken, kept, issuer))
    if refusal:
        items.append(Refusal(refusal))
    items.extend(calls)
    return items


def _with_kept(message: Message, kept: dict[str, Any], issuer: Issuer) -> Message:
    return Message(message.role, message.content, provider_data=kept, issuer=issuer) if kept else message


def _read_content(content: Any, issuer: Issuer) -> tuple[str | list[Part], list[Reasoning]]:
    """Return the words and the thoughts of a message's content: text, a list of blocks, or a host's parsed JSON."""
    if content is None or isinstance(content, str):
        return content or "", []
    if not isinstance(content, list):
        return jsontext.encode_text(content), []
    words: list[Part] = []
    thoughts = []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            words.append(Text(block["text"]))
        elif kind in ("thinking", "reasoning"):
            thoughts.append(Reasoning(_block_text(block), provider_data={"content": [block]}, issuer=issuer))
        elif isinstance(block, dict):
            words.append(Opaque(block, issuer=issuer))
        else:
            words.append(Text(block if isinstance(block, str) else jsontext.encode_text(block)))
    return words, thoughts


def _block_text(block: Mapping[str, Any]) -> str:
    """Return the words of a thinking block: text, or a list of text or summary blocks."""
    inner = block.get("thinking") or block.get("summary") or block.get("text") or ""
    if isinstance(inner, str):
        return inner
    return "".join(str(part.get("text", "")) for part in inner if isinstance(part, dict))


def _read_audio(audio: ResponseAudio, call: Call | None, issuer: Issuer) -> Audio:
    options = (call.settings.extra_body or {}).get("audio") if call is not None else None
    form = options.get("format") if isinstance(options, dict) else None
    mime = {"mp3": "audio/mpeg", None: "audio/wav"}.get(form, f"audio/{form}")
    return Audio(
        f"data:{mime};base64,{audio['data']}",
        media_type=mime,
        file_id=audio["id"],
        transcript=audio.get("transcript"),
        issuer=issuer,
    )


def _calls(message: ResponseMessage, ids: DistinctIds, issuer: Issuer) -> list[ToolCall | Opaque]:
    calls = read_calls(message.get("tool_calls") or [], issuer, ids)
    old = message.get("function_call")  # the old form of one call: it has no id
    if old and old.get("name"):
        calls.append(function_call(old, ids.next(None)))
    return calls


def read_usage(counts: Mapping[str, Any] | None) -> Usage | None:
    """Return the usage that a wire usage says, or None where a host sends none.

    Some hosts (xAI) leave reasoning out of `completion_tokens`, or sound out of `prompt_tokens` (Mistral); the total
    shows it.
    """
    if not isinstance(counts, dict):
        return None
    read, written = count(counts, "prompt_tokens"), count(counts, "completion_tokens")
    reasoning = count(counts.get("completion_tokens_details"), "reasoning_tokens") or count(counts, "reasoning_tokens")
    if reasoning and count(counts, "total_tokens") == read + written + reasoning:
        written += reasoning
    details = counts.get("prompt_tokens_details")
    sound = count(details, "audio_tokens")
    if sound and count(counts, "total_tokens") == read + written + sound:
        read += sound
    return Usage(
        input_tokens=read,
        output_tokens=written,
        cache_read_tokens=count(details, "cached_tokens")
        or count(counts, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens", "num_cached_tokens"),
        cache_write_tokens=count(details, "cache_write_tokens") or count(counts, "cache_creation_input_tokens"),
        reasoning_tokens=reasoning,
        raw=counts,
    )
