"""Chat completions by the `mistralai` package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from mistralai.client import models
from mistralai.client.utils import unmarshal

from tests.conformance.closing import Closed
from tests.conformance.said import Said, arguments


@cache
def _closed(stream: bool) -> Closed:
    kind = models.ChatCompletionStreamRequest if stream else models.ChatCompletionRequest
    return Closed(kind, _of_no_request)


def _of_no_request(cls: type) -> bool:
    """Return whether a class stands for a value that is not set, or for one that the package does not know."""
    return cls.__name__.startswith(("Unset", "Unknown"))


def faults(body: Mapping[str, Any], stream: bool) -> list[str]:
    """Return what the package's models have against a body."""
    return _closed(stream).faults(body)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(chunk.text for chunk in content if chunk.type == "text")
    return content or ""


def read(answer: Any) -> Said:
    """Return what the package reads in an answer; of several choices all, in order."""
    completion = unmarshal(answer, models.ChatCompletionResponse)
    said = [message for choice in completion.choices for message in [choice.message] if message]
    calls = [call.function for message in said for call in message.tool_calls or []]
    return Said(
        "".join(_text(message.content) for message in said),
        [(call.name, _decoded(call.arguments)) for call in calls],
        completion.choices[0].finish_reason,
        (completion.usage.prompt_tokens, completion.usage.completion_tokens),
    )


def _decoded(given: Any) -> Any:
    return arguments(given) if isinstance(given, str) else given
