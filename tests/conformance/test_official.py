"""The packages' checks are closed and strict: what is wrong anywhere in a body is found, and its place is named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.conformance import official

Body = dict[str, Any]

_CHAT: Body = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}
_PLAIN: Body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
SOUND: Mapping[str, Body] = {
    "openai_chat": _CHAT,
    "openai_responses": {"model": "m", "input": [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}]},
    "anthropic_messages": {**_CHAT, "max_tokens": 5},
    "gemini_generate": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
    "bedrock_converse": {"messages": [{"role": "user", "content": [{"text": "hi"}]}]},
    "mistral_chat": _CHAT,
    "cohere_chat": _CHAT,
    "ollama_chat": _PLAIN,
}
_MESSAGES = {"openai_responses": "input", "gemini_generate": "contents"}
_CONTENT = {"gemini_generate": "parts"}

each_format = pytest.mark.parametrize("name", SOUND)


def with_message(name: str, message: Body) -> Body:
    """Return a body whose message has other fields too."""
    field = _MESSAGES.get(name, "messages")
    return {**SOUND[name], field: [{**SOUND[name][field][0], **message}]}


@each_format
@pytest.mark.parametrize("stream", [False, True])
def test_a_sound_body_is_accepted(name: str, stream: bool) -> None:
    flag = {"stream": True} if stream and name not in ("gemini_generate", "bedrock_converse") else {}
    assert official.of(name).faults({**SOUND[name], **flag}, stream) == []


@each_format
def test_a_stray_field_of_the_body_is_named(name: str) -> None:
    [fault] = official.of(name).faults({**SOUND[name], "temprature": 0}, False)
    assert "temprature" in fault


@each_format
def test_a_stray_field_of_a_message_is_named(name: str) -> None:
    assert "stray" in "".join(official.of(name).faults(with_message(name, {"stray": 1}), False))


@each_format
def test_a_part_of_a_wrong_type_is_found(name: str) -> None:
    content = 1 if name == "ollama_chat" else [{"type": "text", "text": 1}]
    if name == "openai_responses":
        content = [{"type": "input_text", "text": 1}]
    if name in ("gemini_generate", "bedrock_converse"):
        content = [{"text": 1}]
    assert official.of(name).faults(with_message(name, {_CONTENT.get(name, "content"): content}), False) != []


@each_format
def test_a_body_without_messages_is_refused(name: str) -> None:
    # Of these two the package demands no messages, as an API that can take a stored prompt has none.
    accepted = name in ("openai_responses", "bedrock_converse")
    body = {key: value for key, value in SOUND[name].items() if key != _MESSAGES.get(name, "messages")}
    assert (official.of(name).faults(body, False) == []) is accepted


def test_bytes_that_are_no_base64_are_found() -> None:
    part = {"image": {"format": "png", "source": {"bytes": "no base64!"}}}
    [fault] = official.of("bedrock_converse").faults(with_message("bedrock_converse", {"content": [part]}), False)
    assert "base64" in fault
