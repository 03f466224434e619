"""The Responses API by the `openai` package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from openai.types.responses import Response, response_create_params

from tests.conformance.closing import Closed
from tests.conformance.official.openai_chat import of_answers
from tests.conformance.said import Said, arguments


@cache
def _closed(stream: bool) -> Closed:
    kind = "Streaming" if stream else "NonStreaming"
    return Closed(getattr(response_create_params, f"ResponseCreateParams{kind}"), of_answers)


def faults(body: Mapping[str, Any], stream: bool) -> list[str]:
    """Return what the package's parameter types have against a body."""
    return _closed(stream).faults(body)


def read(answer: Any) -> Said:
    """Return what the package reads in an answer."""
    response = Response.construct(**answer)
    counts, incomplete = response.usage, response.incomplete_details
    return Said(
        response.output_text,
        [(item.name, arguments(item.arguments)) for item in response.output if item.type == "function_call"],
        incomplete.reason if incomplete else response.status,
        None if counts is None else (counts.input_tokens, counts.output_tokens),
    )
