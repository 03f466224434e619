"""Chat Completions by the `openai` package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from openai.types.chat import ChatCompletion, completion_create_params
from pydantic import BaseModel

from tests.conformance.closing import Closed
from tests.conformance.said import Said, arguments


@cache
def _closed(stream: bool) -> Closed:
    kind = "Streaming" if stream else "NonStreaming"
    return Closed(getattr(completion_create_params, f"CompletionCreateParams{kind}"), of_answers)


def of_answers(cls: type) -> bool:
    """Return whether a class is one of answers: a request may hold such an object, which JSON never is."""
    return issubclass(cls, BaseModel)


def faults(body: Mapping[str, Any], stream: bool) -> list[str]:
    """Return what the package's parameter types have against a body."""
    return _closed(stream).faults(body)


def read(answer: Any) -> Said:
    """Return what the package reads in an answer; of several choices all, in order."""
    completion = ChatCompletion.construct(**answer)
    messages = [choice.message for choice in completion.choices]
    calls = [_call(call) for message in messages for call in message.tool_calls or []]
    old = [message.function_call for message in messages if message.function_call]
    counts = completion.usage
    return Said(
        "".join(_words(message.content) for message in messages),
        calls + [(call.name, arguments(call.arguments)) for call in old],
        completion.choices[0].finish_reason if completion.choices else None,
        None if counts is None else (counts.prompt_tokens, counts.completion_tokens),
    )


def _call(call: Any) -> tuple[str, Any]:
    """Return the name and the arguments of a call: of a custom tool, its text under the name that we give it."""
    if call.type == "custom":
        return call.custom.name, {"input": call.custom.input}
    return call.function.name, arguments(call.function.arguments)


def _words(content: Any) -> str:
    """Return the text of a content; the package passes on what other hosts make of it: blocks, or a JSON value."""
    if isinstance(content, list):
        return "".join(block["text"] for block in content if block["type"] == "text")
    return content if isinstance(content, str) else ""
