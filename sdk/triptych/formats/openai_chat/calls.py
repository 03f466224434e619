"""Tool calls of OpenAI Chat Completions: the builder of a call beside its reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.content import ToolCall
from triptych.formats.arguments import called
from triptych.formats.turns import DistinctIds
from triptych.formats.verbatim import keeping, with_provider_data
from triptych.formats.wrong_form import WrongForm
from triptych.parts import Issuer, Opaque

if TYPE_CHECKING:
    from triptych_wire.openai_chat import FunctionToolCall
    from triptych_wire.openai_chat import ToolCall as WireToolCall


def build_call(call: ToolCall, issuer: Issuer) -> WireToolCall:
    """Return the wire form of a call: arguments as they were received, else as compact JSON."""
    kept = call.provider_data or {}
    if _says_custom(kept) and call.issuer == issuer:
        custom: Any = {"id": call.tool_call_id, **kept}
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


def _says_custom(wire: Mapping[str, Any]) -> bool:
    # Some hosts send every field of both kinds and leave those of the other kind empty.
    custom = wire.get("custom")
    return isinstance(custom, dict) and bool(custom.get("name"))


def read_calls(
    wires: Sequence[Any], issuer: Issuer, ids: DistinctIds, *, verbatim: bool = False
) -> list[ToolCall | Opaque]:
    """Return the calls of one message, each with an id of its own; one of a kind not known here is kept as it is.

    Args:
        wires: The wire tool calls.
        issuer: Whose they are.
        ids: Gives an id to those that come without one of their own.
        verbatim: Whether each goes back with every field as it came: so in a request, not in an answer.
    """
    return [_read_call(wire, ids.next(wire.get("id")), issuer, verbatim) for wire in wires]


def _read_call(wire: Mapping[str, Any], tool_call_id: str, issuer: Issuer, verbatim: bool) -> ToolCall | Opaque:
    if _says_custom(wire):
        rest = {key: value for key, value in wire.items() if key != "id"}
        custom = wire["custom"]
        return ToolCall(tool_call_id, custom["name"], {"input": custom.get("input")}, provider_data=rest, issuer=issuer)
    if "function" not in wire and "type" in wire:
        return Opaque(dict(wire), issuer=issuer)
    if "function" not in wire:
        raise WrongForm("a tool call has no function")
    call = function_call(wire["function"], tool_call_id)
    if verbatim:
        return keeping(call, wire, build_call(call, issuer), issuer)
    rest = {key: value for key, value in wire.items() if key not in _UNKEPT and value is not None}
    return keeping(call, rest, {}, issuer)


# In an answer: said by the call itself, or by its place in the message; hosts differ in whether they send them.
_UNKEPT = frozenset({"id", "type", "function", "custom", "index"})


def function_call(function: Mapping[str, Any], tool_call_id: str) -> ToolCall:
    """Return the call that a function object with `name` and `arguments` says.

    Arguments are a JSON text; hosts also send an object, null, or nothing.
    """
    arguments = function.get("arguments")
    return called(tool_call_id, function.get("name") or "", None if arguments == "" else arguments)
