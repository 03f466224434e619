"""Answers of each wire format to those who want a value: whole, cut off, refused, and by the call of a tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.chat_hosts import (
    ALL_HOSTS,
    ANTHROPIC,
    BEDROCK,
    COHERE,
    GEMINI,
    MISTRAL,
    OLLAMA,
    OPENAI,
    RESPONSES,
    ChatHost,
)

Body = dict[str, Any]

# One host of each wire format.
HOSTS = tuple({host.name: host for host in reversed(ALL_HOSTS)}.values())
each_format = pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)

_ENDS: Mapping[str, Callable[[Body, str], Any]] = {
    OPENAI.name: lambda body, reason: body["choices"][0].update(finish_reason=reason),
    MISTRAL.name: lambda body, reason: body["choices"][0].update(finish_reason=reason),
    ANTHROPIC.name: lambda body, reason: body.update(stop_reason=reason),
    RESPONSES.name: lambda body, reason: body.update(status="incomplete", incomplete_details={"reason": reason}),
    GEMINI.name: lambda body, reason: body["candidates"][0].update(finishReason=reason),
    BEDROCK.name: lambda body, reason: body.update(stopReason=reason),
    OLLAMA.name: lambda body, reason: body.update(done_reason=reason),
    COHERE.name: lambda body, reason: body.update(finish_reason=reason),
}
_CUT = {
    OPENAI.name: "length",
    MISTRAL.name: "length",
    ANTHROPIC.name: "max_tokens",
    RESPONSES.name: "max_output_tokens",
    GEMINI.name: "MAX_TOKENS",
    BEDROCK.name: "max_tokens",
    OLLAMA.name: "length",
    COHERE.name: "MAX_TOKENS",
}
# What ends an answer that the provider's filter stopped, where the format has a word for it.
_FILTERED = {
    OPENAI.name: "content_filter",
    ANTHROPIC.name: "refusal",
    RESPONSES.name: "content_filter",
    GEMINI.name: "SAFETY",
    BEDROCK.name: "content_filtered",
}
FILTERING = tuple(host for host in HOSTS if host.name in _FILTERED)


def cut_off(host: ChatHost, text: str) -> Body:
    """Return an answer that reached the token limit."""
    body = host.answer(text)
    _ENDS[host.name](body, _CUT[host.name])
    return body


def filtered(host: ChatHost, text: str) -> Body:
    """Return an answer that the provider's filter stopped."""
    body = host.answer(text)
    _ENDS[host.name](body, _FILTERED[host.name])
    return body


def refused(host: ChatHost, words: str) -> Body:
    """Return an answer in which the model declines, in the words of OpenAI's formats, which alone have such."""
    body = host.answer("")
    if host is OPENAI:
        body["choices"][0]["message"].update(content=None, refusal=words)
    else:
        body["output"][0]["content"] = [{"type": "refusal", "refusal": words}]
    return body


def _functions(arguments: Callable[[Body], Any]) -> Callable[[Body, list[tuple[str, Body]]], None]:
    def call(body: Body, calls: list[tuple[str, Body]]) -> None:
        message = body["choices"][0]["message"] if "choices" in body else body["message"]
        message["tool_calls"] = [
            {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": arguments(said)}}
            for at, (name, said) in enumerate(calls)
        ]

    return call


def _set(path: Callable[[Body], Any], wire: Callable[[int, str, Body], Body]) -> Callable[[Body, Any], None]:
    def call(body: Body, calls: list[tuple[str, Body]]) -> None:
        path(body).extend(wire(at, name, said) for at, (name, said) in enumerate(calls))

    return call


_CALLS: Mapping[str, tuple[Callable[[Body, list[tuple[str, Body]]], None], str]] = {
    OPENAI.name: (_functions(json.dumps), "tool_calls"),
    MISTRAL.name: (_functions(json.dumps), "tool_calls"),
    COHERE.name: (_functions(json.dumps), "TOOL_CALL"),
    OLLAMA.name: (_functions(dict), "stop"),
    ANTHROPIC.name: (
        _set(
            lambda body: body["content"],
            lambda at, name, said: {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": said},
        ),
        "tool_use",
    ),
    GEMINI.name: (
        _set(
            lambda body: body["candidates"][0]["content"]["parts"],
            lambda at, name, said: {"functionCall": {"name": name, "args": said}},
        ),
        "STOP",
    ),
    BEDROCK.name: (
        _set(
            lambda body: body["output"]["message"]["content"],
            lambda at, name, said: {"toolUse": {"toolUseId": f"t{at}", "name": name, "input": said}},
        ),
        "tool_use",
    ),
}


def calling(host: ChatHost, *calls: tuple[str, Body], text: str = "Here it is.") -> Body:
    """Return an answer that calls tools, each given by its name and arguments."""
    body = host.answer(text)
    if host is RESPONSES:
        body["output"] += [
            {
                "type": "function_call",
                "id": f"fc_{at}",
                "call_id": f"call_{at}",
                "name": name,
                "arguments": json.dumps(said),
                "status": "completed",
            }
            for at, (name, said) in enumerate(calls)
        ]
        return body
    add, reason = _CALLS[host.name]
    add(body, list(calls))
    _ENDS[host.name](body, reason)
    return body
