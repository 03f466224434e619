"""Tool calls, their results and reasoning of OpenAI Responses: each builder beside its reader.

Reference: https://developers.openai.com/api/reference/resources/responses (items of the input and of the output).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.content import ContentItem, Opaque, Reasoning, ToolCall
from triptych.formats.arguments import called
from triptych.formats.turns import safe_id
from triptych.formats.verbatim import Inexpressible, keeping, with_provider_data
from triptych.parts import Issuer

if TYPE_CHECKING:
    from triptych_wire.openai_responses import CustomToolCall, FunctionCall, ReasoningItem

CUSTOM = "custom_tool_call"
CALLS = frozenset({"function_call", CUSTOM})
_LONGEST_ID = 64


def wire_id(tool_call_id: str) -> str:
    """Return the id under which a call and its result go out: the API refuses an empty one and a long one."""
    return tool_call_id if 0 < len(tool_call_id) <= _LONGEST_ID else safe_id(tool_call_id)


def is_custom(call: ToolCall, issuer: Issuer) -> bool:
    """Return whether a call of this API is one of a custom tool, which takes text."""
    return call.issuer == issuer and (call.provider_data or {}).get("type") == CUSTOM


def build_call(call: ToolCall, issuer: Issuer) -> FunctionCall | CustomToolCall:
    """Return the wire form of a call: arguments as they were received, else as compact JSON."""
    if is_custom(call, issuer):
        custom: Any = {"call_id": wire_id(call.tool_call_id), "name": call.name, **(call.provider_data or {})}
        wire: CustomToolCall = custom
        return wire
    raw = call.raw_arguments
    function: FunctionCall = {
        "type": "function_call",
        "call_id": wire_id(call.tool_call_id),
        "name": call.name,
        "arguments": raw if raw and not raw.isspace() else jsontext.encode_text(call.arguments),
    }
    return with_provider_data(function, call, issuer)


def read_call(wire: Mapping[str, Any], issuer: Issuer, tool_call_id: str | None = None) -> ContentItem:
    """Return the call that an item says; one that was cut off before its arguments began stays as it is.

    Args:
        wire: The item.
        issuer: Whose it is.
        tool_call_id: In an answer, the id to give the call. A call of a request goes back as it came.
    """
    call_id = wire["call_id"] if tool_call_id is None else tool_call_id
    name = wire["name"]
    if wire["type"] == CUSTOM:
        rest = {key: value for key, value in wire.items() if key not in ("call_id", "name")}
        return ToolCall(call_id, name, {"input": wire.get("input")}, provider_data=rest, issuer=issuer)
    given = wire.get("arguments")
    if wire.get("status") == "incomplete" and (given is None or not str(given).strip()):
        return Opaque(dict(wire), issuer=issuer)
    call = called(call_id, name, None if given == "" else given)
    unkept = () if tool_call_id is None else ("call_id", "arguments")
    kept = {key: value for key, value in wire.items() if key not in unkept}
    return keeping(call, kept, build_call(call, issuer), issuer)


def build_reasoning(item: Reasoning, issuer: Issuer, *, stored: bool = True) -> ReasoningItem:
    """Return the wire form of a thought.

    Args:
        item: The thought.
        issuer: Whose API it goes to.
        stored: Whether the API keeps what it answers: else it knows a thought by nothing but its content.

    Raises:
        Inexpressible: this API did not issue it, or cannot know it again.
    """
    if item.issuer != issuer:
        raise Inexpressible("reasoning goes back only to the API that issued it")
    if "id" not in (item.provider_data or {}) and not item.encrypted:
        raise Inexpressible("reasoning goes back only with the id under which it came, or its encrypted content")
    if not stored and not item.encrypted and not item.text:
        raise Inexpressible("without store the API takes a thought only with its encrypted content: ask to include it")
    return with_provider_data(_reasoning(item), item, issuer)


def _reasoning(item: Reasoning) -> ReasoningItem:
    wire: Any = {"type": "reasoning", "summary": [{"type": "summary_text", "text": text} for text in item.summary]}
    if item.text:
        wire["content"] = [{"type": "reasoning_text", "text": item.text}]
    if item.encrypted is not None:
        wire["encrypted_content"] = item.encrypted
    built: ReasoningItem = wire
    return built


def read_reasoning(wire: Mapping[str, Any], issuer: Issuer) -> Reasoning:
    """Return the thought that a reasoning item says."""
    content, summary = wire.get("content") or [], wire.get("summary") or []
    item = Reasoning(
        "\n".join(part["text"] for part in content),
        summary=[part["text"] for part in summary],
        encrypted=wire.get("encrypted_content"),
        issuer=issuer,
    )
    return keeping(item, wire, _reasoning(item), issuer)
