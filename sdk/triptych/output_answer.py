"""The output in an answer, or why there is none: a refusal, an answer that was cut off, or one that does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triptych.checks import shown
from triptych.content import Message, Refusal, ToolCall
from triptych.errors import Kind, LlmError
from triptych.json_answers import json_candidates
from triptych.mismatch import mismatches
from triptych.output import OutputSchema
from triptych.output_plan import Plan
from triptych.output_types import WrongValue, shape_of
from triptych.response import LlmResponse


def finish(response: LlmResponse, plan: Plan) -> LlmResponse:
    """Return a response with its `output`, or with the error that says why it has none.

    One that calls other tools is not at its end: it has neither.

    Args:
        response: The answer, which is changed.
        plan: How the call was brought to its output.
    """
    if response.error is not None or response.finish_reason == "pause":
        return response
    refusal = next((item.refusal for item in response.content if isinstance(item, Refusal)), None)
    if refusal is not None or response.finish_reason == "content_filter":
        return _failed(response, "refusal", refusal or "the answer was stopped by the provider's filter")
    if response.finish_reason == "length":
        return _failed(response, "truncated", "the answer was cut off at the token limit: raise max_tokens")
    call = own_call(response, plan)
    if call is None and response.tool_calls:
        return response
    try:
        response.output = _value(_meant(response, call), plan)
    except WrongValue as fault:
        return _failed(response, "invalid_output", str(fault))
    return response


def own_call(response: LlmResponse, plan: Plan) -> ToolCall | None:
    """Return the call whose arguments are the answer, where it was asked for by a tool."""
    return next((call for call in response.tool_calls if plan.tool is not None and call.name == plan.tool), None)


def _failed(response: LlmResponse, kind: Kind, words: str) -> LlmResponse:
    partial = response.content if kind == "truncated" else ()
    response.error = LlmError(words, kind, attempts=1, partial=partial)
    response.error_message = words
    return response


def _meant(response: LlmResponse, call: ToolCall | None) -> Iterator[Any]:
    """Yield the JSON values that the answer may be, the likeliest first."""
    if call is not None and not call.malformed:
        yield call.arguments
        return
    texts = [item.text for item in response.content if isinstance(item, Message)]
    texts = [call.raw_arguments or ""] if call is not None else ["".join(texts), *reversed(texts)]
    found = False
    for text in texts[:1] if len(texts) == 2 else texts:
        for value in json_candidates(text):
            found = True
            yield value
    if not found:
        got = shown(texts[0]) if texts[0].strip() else "an empty answer"
        raise WrongValue(f"$: expected JSON, got {got}")


def _value(meant: Iterator[Any], plan: Plan) -> Any:
    """Return the first value that fits the output.

    Raises:
        WrongValue: none does; the message is about the likeliest.
    """
    first: WrongValue | None = None
    while True:
        try:
            candidate = next(meant, _END)
        except WrongValue as fault:
            raise first or fault from None
        if candidate is _END:
            raise first or WrongValue("$: expected JSON, got an empty answer")
        try:
            return _fitted(plan.restore(candidate), plan.output)
        except WrongValue as fault:
            first = first or fault


_END = object()


def _fitted(value: Any, output: OutputSchema) -> Any:
    try:
        wrong = mismatches(output.schema, value)
    except Exception as fault:  # what a schema refers to, and is not there, shows here
        raise WrongValue(f"$: the schema cannot be followed: {fault}") from fault
    if wrong:
        raise WrongValue("; ".join(wrong))
    return value if output.type is None else shape_of(output.type).structure(value)
