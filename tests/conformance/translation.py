"""A conversation of one wire format in every other: what is sent when a program changes its provider."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve

from triptych import conversion, formats, jsontext, providers
from triptych.errors import LlmError
from triptych.formats import Built, Call

# The provider of each API whose package is asked, and a model of it that takes images, documents, reasoning and tools.
TARGETS: Mapping[str, tuple[str, str]] = {
    "openai_chat": ("openai", "gpt-5.1"),
    "openai_responses": ("openai-responses", "gpt-5.1"),
    "anthropic_messages": ("anthropic", "claude-sonnet-4-5"),
    "gemini_generate": ("gemini", "gemini-3-pro-preview"),
    "bedrock_converse": ("bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0"),
    "mistral_chat": ("mistral", "mistral-medium-latest"),
    "cohere_chat": ("cohere", "command-a-03-2025"),
    "ollama_chat": ("ollama", "qwen3"),
}
# What may be refused before it is sent; any other error is a fault.
REFUSALS = ("unsupported", "invalid_request")


Body = dict[str, Any]


def converted(body: Mapping[str, Any], source: str, target: str) -> Body | LlmError:
    """Return a recorded body in the form of another API, as it is on the wire, or why it cannot be said there."""
    name, model = TARGETS[target]
    return _on_the_wire(lambda: conversion.convert(body, source=source, target=name, model=model))


def said(call: Call, target: str) -> Body | LlmError:
    """Return the body that says a call to another API, as it is on the wire, or why it cannot be said there."""
    name, model = TARGETS[target]
    provider, _ = providers.resolve(model, provider=name)
    wire = formats.load(target, provider.name, provider.quirks_for(model))
    return _on_the_wire(lambda: wire.build_request(evolve(call, model=model)))


def _on_the_wire(build: Callable[[], Built]) -> Body | LlmError:
    try:
        built = build()
    except LlmError as refused:
        if refused.kind in REFUSALS:
            return refused
        raise
    body: Body = jsontext.decode(jsontext.encode(built.body))
    return body
