"""Tool calls of OpenAI Chat Completions: the builder of a call beside its reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.content import ToolCall
from triptych.formats.turns import distinct_ids
from triptych.formats.verbatim import keeping, with_provider_data
from triptych.parts import Issuer

if TYPE_CHECKING:
    from triptych_wire.openai_chat import FunctionToolCall
    from triptych_wire.openai_chat import ToolCall as WireToolCall


def build_call(call: ToolCall, issuer: Issuer) -> WireToolCall:
    """Return the wire form of a call: arguments as they were received, else as compact JSON."""
    if call.provider_data is not None and "custom" in call.provider_data and call.issuer == issuer:
        custom: Any = {"id": call.tool_call_id, **call.provider_data}
        wire: WireToolCall = custom
        return wire
    raw = call.raw_arguments
    arguments = raw if raw and not raw.isspace() else jsontext.encode_text(call.arguments)
    function: FunctionToolCall = {
        "id": call.tool_call_id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }
    return with_provider_data(function, call, issuer)


def read_calls(wires: Sequence[Any], issuer: Issuer, seed: str) -> list[ToolCall]:
    """Return the calls of one message, each with an id of its own.

    Args:
        wires: The wire tool calls.
        issuer: Whose they are.
        seed: What tells this message from the others of the conversation; see `distinct_ids`.
    """
    ids = distinct_ids([wire.get("id") for wire in wires], seed)
    return [_read_call(wire, tool_call_id, issuer) for wire, tool_call_id in zip(wires, ids, strict=True)]


def _read_call(wire: Mapping[str, Any], tool_call_id: str, issuer: Issuer) -> ToolCall:
    custom = wire.get("custom")
    if isinstance(custom, dict):
        rest = {key: value for key, value in wire.items() if key != "id"}
        arguments = {"input": custom.get("input")}
        return ToolCall(tool_call_id, custom["name"], arguments, provider_data=rest, issuer=issuer)
    return keeping(
        function_call(wire["function"], tool_call_id),
        {key: value for key, value in wire.items() if key not in _UNKEPT and value is not None},
        {},
        issuer,
    )


# Said by the call itself, or by its place in the message; hosts differ in whether they send them.
_UNKEPT = frozenset({"id", "type", "function", "index"})


def function_call(function: Mapping[str, Any], tool_call_id: str) -> ToolCall:
    """Return the call that a function object with `name` and `arguments` says.

    Arguments are a JSON text; hosts also send an object, null, or nothing.
    """
    name = function.get("name") or ""
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        return ToolCall(tool_call_id, name, raw_arguments=arguments or None)
    if arguments is None or isinstance(arguments, dict):
        return ToolCall(tool_call_id, name, arguments or {})
    return ToolCall(tool_call_id, name, raw_arguments=jsontext.encode_text(arguments))
