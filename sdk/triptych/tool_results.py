"""From what a tool gives back to a ToolResult that the model reads."""

from __future__ import annotations

from typing import Any

import msgspec
from attrs import evolve

from triptych import jsontext
from triptych.content import ToolCall, ToolResult
from triptych.parts import PART_TYPES

_NOTHING = "null"  # an empty content is refused by some APIs, and says nothing to a model


def result_of(call: ToolCall, value: Any, runtime_ms: float | None = None) -> ToolResult:
    """Return the result that a tool's value makes; the value itself is the payload.

    A str is passed on as it is, and so are parts (`Text`, `Image`, `Document`, …) and lists with parts among them. None
    becomes the word null. Anything else becomes JSON values: attrs and dataclass instances, TypedDicts, pydantic
    models, dates, enums, sets; bytes become base64 text, NaN becomes null. A `ToolResult` keeps all but the call's id
    and name.

    Args:
        call: What is answered.
        value: What the tool gave.
        runtime_ms: How long it took, in milliseconds.

    Raises:
        TypeError, ValueError: a value that has no JSON form, or that nests too deeply.
    """
    if isinstance(value, ToolResult):
        runtime_ms = runtime_ms if value.runtime_ms is None else value.runtime_ms
        return evolve(value, tool_call_id=call.tool_call_id, name=call.name, runtime_ms=runtime_ms)
    return ToolResult(call.tool_call_id, call.name, content=_content(value), payload=value, runtime_ms=runtime_ms)


def failure(call: ToolCall, words: str, runtime_ms: float | None = None) -> ToolResult:
    """Return the result that tells the model that its call failed.

    Args:
        call: What is answered.
        words: What went wrong.
        runtime_ms: How long the tool ran, in milliseconds; None where it did not.
    """
    return ToolResult(call.tool_call_id, call.name, "error", [words], runtime_ms=runtime_ms)


def _content(value: Any) -> list[Any]:
    if value is None:
        return [_NOTHING]
    if isinstance(value, list | tuple) and any(isinstance(one, PART_TYPES) for one in value):
        return [one for part in value for one in _content(part)]
    if isinstance(value, PART_TYPES):
        return [value]
    if isinstance(value, str):
        return [str(value)]
    return [_json_value(value)]


def _json_value(value: Any) -> Any:
    try:
        plain = msgspec.to_builtins(value, str_keys=True, enc_hook=_plain)
    except RecursionError:
        raise ValueError("the tool returned a value that is nested too deeply for JSON, or holds itself") from None
    return jsontext.decode(jsontext.encode(plain))


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if dump is not None and not isinstance(value, type):  # a pydantic model
        return dump(mode="json")
    return jsontext.decode(jsontext.encode(value))  # refuses what has no JSON form, by the name of its type
