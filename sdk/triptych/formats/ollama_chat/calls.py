"""Tool calls of Ollama's chat API: the builder of a call beside its reader. Arguments are an object, never a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from triptych.content import ToolCall
from triptych.formats.arguments import called
from triptych.formats.turns import DistinctIds
from triptych.formats.verbatim import keeping, with_provider_data
from triptych.parts import Issuer, Opaque

if TYPE_CHECKING:
    from triptych_wire.ollama_chat import ToolCall as WireToolCall

# In an answer: said by the call itself, or by its place in the message.
_UNKEPT = frozenset({"id", "type", "function"})


def build_call(call: ToolCall, issuer: Issuer) -> WireToolCall:
    """Return the wire form of a call.

    Arguments that are no object go as `{"raw_arguments": <the model's text>}`, so that the model sees what it wrote.
    Ids stay here: a result finds its call by the tool's name and by its place.
    """
    arguments: dict[str, Any] = {"raw_arguments": call.raw_arguments} if call.malformed else call.arguments
    wire: WireToolCall = {"function": {"name": call.name, "arguments": arguments}}
    return with_provider_data(wire, call, issuer)


def read_calls(
    wires: Sequence[Any], issuer: Issuer, ids: DistinctIds, *, verbatim: bool = False
) -> list[ToolCall | Opaque]:
    """Return the calls of one message, each with an id of its own; one of a kind not known here is kept as it is.

    Args:
        wires: The wire tool calls.
        issuer: Whose they are.
        ids: Gives an id to those that come without: old servers send none.
        verbatim: Whether each goes back with every field as it came: so in a request, not in an answer.
    """
    return [_read_call(wire, issuer, ids, verbatim) for wire in wires]


def _read_call(wire: Any, issuer: Issuer, ids: DistinctIds, verbatim: bool) -> ToolCall | Opaque:
    if "function" not in wire:
        return Opaque(dict(wire), issuer=issuer)
    function = wire["function"]
    call = called(ids.next(wire.get("id")), function["name"], function.get("arguments"))
    if verbatim:
        return keeping(call, wire, build_call(call, issuer), issuer)
    return keeping(call, {key: value for key, value in wire.items() if key not in _UNKEPT}, {}, issuer)
