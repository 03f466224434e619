"""The canonical rewritings: all that building a request from what was read of it changes, each with its reason.

A body without these peculiarities is built back as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from triptych.content import ToolCall
from triptych.formats.mistral_chat.ids import NineIds
from triptych.provider import Quirks

Body = dict[str, Any]
Rewriting = Callable[[Body, Quirks], Body]


def without_false_stream(body: Body, quirks: Quirks) -> Body:
    """Drop `stream: false`: it is what the absence of the field says, and some hosts refuse it on other paths."""
    return {key: value for key, value in body.items() if (key, value) != ("stream", False)}


def without_empty_lists(body: Body, quirks: Quirks) -> Body:
    """Drop `tools: []` and `stop: []`: OpenAI refuses an empty list, and it says what its absence says."""
    return {key: value for key, value in body.items() if not (key in ("tools", "stop") and value == [])}


def asking_for_usage(body: Body, quirks: Quirks) -> Body:
    """Ask a stream for its usage: without `stream_options` a streamed answer would cost an unknown number of tokens."""
    if body.get("stream") is True and "stream_options" not in body and quirks.stream_options:
        return {**body, "stream_options": {"include_usage": True}}
    return body


def with_the_hosts_token_limit(body: Body, quirks: Quirks) -> Body:
    """Put the token limit under the host's name for it: newer models refuse the old name, other hosts the new one."""
    other = "max_tokens" if quirks.max_tokens_field == "max_completion_tokens" else "max_completion_tokens"
    return {quirks.max_tokens_field if key == other else key: value for key, value in body.items()}


def with_stop_as_a_list(body: Body, quirks: Quirks) -> Body:
    """Put a single stop sequence into a list: both are taken everywhere, and a list is the only form we build."""
    stop = body.get("stop")
    return {**body, "stop": [stop]} if isinstance(stop, str) else body


def with_null_content_beside_calls(body: Body, quirks: Quirks) -> Body:
    """Say `content: null` in a message of calls alone: the reference demands the field or null, some hosts the null."""
    return {**body, "messages": [_with_content(message) for message in body["messages"]]}


def _with_content(message: Any) -> Any:
    if isinstance(message, dict) and message.get("role") == "assistant" and "content" not in message:
        return {**message, "content": None}
    return message


def with_results_and_words_in_one_turn(body: Body, quirks: Quirks) -> Body:
    """Let a user message that follows tool results join their turn: the API takes the two turns for one anyway."""
    messages: list[Any] = []
    for message in body["messages"]:
        before = messages[-1] if messages else None
        if before is not None and before["role"] == message["role"] == "user" and _ends_in_result(before):
            content = message["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            messages[-1] = {**before, "content": [*before["content"], *blocks]}
        else:
            messages.append(message)
    return {**body, "messages": messages}


def _ends_in_result(message: Any) -> bool:
    content = message["content"]
    return isinstance(content, list) and bool(content) and content[-1].get("type") == "tool_result"


def without_false_prefix(body: Body, quirks: Quirks) -> Body:
    """Drop `prefix: false`: it is what the absence of the field says."""
    kept = [{key: value for key, value in m.items() if (key, value) != ("prefix", False)} for m in body["messages"]]
    return {**body, "messages": kept}


def with_empty_text_beside_calls(body: Body, quirks: Quirks) -> Body:
    """Say `content: ""` in a message of calls alone: the API's own answers say it so, clients also an empty list."""
    messages = [{**m, "content": m.get("content") or ""} if m.get("tool_calls") else m for m in body["messages"]]
    return {**body, "messages": messages}


def with_ids_of_nine_letters(body: Body, quirks: Quirks) -> Body:
    """Give a call and its results an id that Mistral takes: those that it made were taken out of some recordings."""
    ids = NineIds(ToolCall(call["id"], "f") for m in body["messages"] for call in m.get("tool_calls") or [])
    messages = []
    for message in body["messages"]:
        calls = [{**call, "id": ids.of(call["id"])} for call in message.get("tool_calls") or []]
        result = {"tool_call_id": ids.of(message["tool_call_id"])} if "tool_call_id" in message else {}
        messages.append({**message, **({"tool_calls": calls} if calls else {}), **result})
    return {**body, "messages": messages}


def with_types_of_tools(body: Body, quirks: Quirks) -> Body:
    """Say `type: function` of a function: the API takes it for granted, and says it itself of calls."""
    tools = [{"type": "function", **tool} for tool in body.get("tools") or []]
    return {**body, "tools": tools} if tools else body


REWRITINGS: Mapping[str, tuple[Rewriting, ...]] = {
    "openai_chat": (
        without_false_stream,
        without_empty_lists,
        asking_for_usage,
        with_the_hosts_token_limit,
        with_stop_as_a_list,
        with_null_content_beside_calls,
    ),
    "mistral_chat": (
        without_false_stream,
        without_empty_lists,
        with_stop_as_a_list,
        without_false_prefix,
        with_empty_text_beside_calls,
        with_ids_of_nine_letters,
        with_types_of_tools,
    ),
    "anthropic_messages": (
        without_false_stream,
        without_empty_lists,
        with_results_and_words_in_one_turn,
    ),
}


def canonical(name: str, body: Mapping[str, Any], quirks: Quirks | None = None) -> Body:
    """Return a recorded body of a wire format as it is built back."""
    rewritten = dict(body)
    for rewriting in REWRITINGS[name]:
        rewritten = rewriting(rewritten, quirks or Quirks())
    return rewritten
