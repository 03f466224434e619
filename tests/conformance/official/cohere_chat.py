"""Chat, version 2, by the `cohere` package."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_type_hints

from cohere.core.unchecked_base_model import construct_type
from cohere.v2.raw_client import RawV2Client
from cohere.v2.types.v2chat_response import V2ChatResponse
from pydantic import create_model

from tests.conformance.closing import Closed
from tests.conformance.said import Said, arguments


@cache
def _closed(stream: bool) -> Closed:
    """Return the parameters of the package's method for a call: it has no class for the whole body."""
    method = RawV2Client.chat_stream if stream else RawV2Client.chat
    hints, given = get_type_hints(method), inspect.signature(method).parameters
    optional = {name for name, parameter in given.items() if parameter.default is not parameter.empty}
    fields: dict[str, Any] = {
        name: (kind, None if name in optional else ...)
        for name, kind in hints.items()
        if name not in ("self", "request_options", "return")
    }
    # The method sets it by itself.
    fields["stream"] = (Literal[True], ...) if stream else (Literal[False], False)
    return Closed(create_model("Request", **fields))


def faults(body: Mapping[str, Any], stream: bool) -> list[str]:
    """Return what the package's types have against a body."""
    return _closed(stream).faults(body)


def read(answer: Any) -> Said:
    """Return what the package reads in an answer."""
    response: Any = construct_type(type_=V2ChatResponse, object_=answer)
    blocks, tokens = response.message.content or [], response.usage.tokens if response.usage else None
    calls = [call.function for call in response.message.tool_calls or []]
    return Said(
        "".join(block.text for block in blocks if block.type == "text"),
        [(call.name, arguments(call.arguments)) for call in calls],
        response.finish_reason,
        None if tokens is None else (int(tokens.input_tokens or 0), int(tokens.output_tokens or 0)),
    )
