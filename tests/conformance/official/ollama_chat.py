"""Ollama's chat API by the `ollama` package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ollama import ChatResponse, Message, Options
from ollama._types import ChatRequest
from pydantic import create_model

from tests.conformance.closing import Closed, Schema
from tests.conformance.said import Said

# The package fills a file's content in as it writes a body: on the wire an image is its base64 text. And of a tool's
# parameters it names only a few keywords, while the API takes a JSON Schema.
_ON_THE_WIRE: Mapping[str, Schema] = {
    "Image": {"type": "str", "pattern": "^[A-Za-z0-9+/]*={0,2}$"},
    "Tool.Function.Parameters": {"type": "dict"},
}


@cache
def _closed() -> Closed:
    # Beside its own types for messages and options the package takes any mapping, which would hide every fault.
    fields: dict[str, Any] = {"messages": (list[Message], ...), "options": (Options | None, None)}
    return Closed(create_model("Request", __base__=ChatRequest, **fields), replaced=_ON_THE_WIRE)


def faults(body: Mapping[str, Any], stream: bool) -> list[str]:
    """Return what the package's models have against a body."""
    return _closed().faults(body)


def read(answer: Any) -> Said:
    """Return what the package reads in an answer."""
    response = ChatResponse(**answer)
    calls = [call.function for call in response.message.tool_calls or []]
    return Said(
        response.message.content or "",
        [(call.name, dict(call.arguments)) for call in calls],
        response.done_reason,
        (response.prompt_eval_count or 0, response.eval_count or 0),
    )
