"""Tools of Bedrock Converse and their choice: each builder beside its reader.

Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from triptych.errors import Notice
from triptych.formats import Call
from triptych.formats.bedrock_converse.blocks import is_call
from triptych.formats.claude_thinking import forbids_forcing
from triptych.formats.verbatim import keeping, wire_tools, with_provider_data
from triptych.parts import Issuer
from triptych.request import LlmRequest, ToolChoice
from triptych.tools import BaseTool, ProviderTool

if TYPE_CHECKING:
    from triptych_wire.bedrock_converse import Tool, ToolSpecification

_GONE = "It was called earlier in this conversation and is not available any more."
_CHOICES = {"auto": "auto", "required": "any"}
_CHOICES_BACK = {wire: choice for choice, wire in _CHOICES.items()}


def add_tools(body: Any, call: Call, issuer: Issuer, notices: list[Notice]) -> None:
    """Put the tools and their choice into a body.

    The API refuses calls and results in a conversation without a `toolConfig`, and knows no choice that forbids tools.

    Args:
        body: The request with its messages, changed in place.
        call: The call.
        issuer: Whose API it is.
        notices: Filled with what cannot be said.
    """
    request = call.request
    tools = wire_tools(request.tools, build_tool, issuer, notices)
    called = _called(body.get("messages", []))
    if tools and request.tool_choice == "none" and not called:
        notices.append(Notice("tool_choice", "'none' became a request without tools", "this API has no such choice"))
        return
    if not tools and called and "toolConfig" not in (call.settings.extra_body or {}):
        tools = [
            {"toolSpec": {"name": name, "description": _GONE, "inputSchema": {"json": {"type": "object"}}}}
            for name in called
        ]
        why = "the API refuses calls in a conversation without a toolConfig"
        notices.append(Notice("tools", f"declared for the calls of the conversation: {', '.join(called)}", why))
    if not tools:
        return
    body["toolConfig"] = {"tools": tools}
    choice = _build_choice(body, request, notices)
    if choice is not None:
        body["toolConfig"]["toolChoice"] = choice


def _called(messages: Sequence[Any]) -> list[str]:
    """Return the names of the tools that were called in a conversation and that the caller executes."""
    blocks = [block for turn in messages if isinstance(turn.get("content"), list) for block in turn["content"]]
    calls = [block["toolUse"] for block in blocks if isinstance(block, dict) and is_call(block)]
    return list(dict.fromkeys(str(call.get("name")) for call in calls))


def _build_choice(body: Any, request: LlmRequest, notices: list[Notice]) -> dict[str, Any] | None:
    if request.tool_choice is None:
        return None
    if request.tool_choice == "none":
        why = "this API has no such choice, and refuses the calls of the conversation without their tools"
        notices.append(Notice("tool_choice", "'none' left out", why))
        return None
    name = request.chosen_tool
    forced = name is not None or request.tool_choice == "required"
    if forced and forbids_forcing(body.get("additionalModelRequestFields", {}).get("thinking")):
        why = "the model refuses to be forced to a tool while it thinks within a budget"
        notices.append(Notice("tool_choice", f"{name or 'required'!r} became 'auto'", why))
        return {"auto": {}}
    return {"tool": {"name": name}} if name is not None else {_CHOICES[str(request.tool_choice)]: {}}


def build_tool(tool: BaseTool, issuer: Issuer) -> Tool:
    """Return the wire form of a tool's definition; its schema is that of an object, whatever it says."""
    schema: dict[str, Any] = {"type": "object", **(tool.parameters or {"properties": {}})}
    if tool.strict and not schema.get("properties"):
        schema = {"additionalProperties": False, **schema}
    spec: ToolSpecification = {"name": tool.name, "inputSchema": {"json": schema}}
    if tool.description:
        spec["description"] = tool.description
    if tool.strict is not None:
        spec["strict"] = tool.strict
    return {"toolSpec": with_provider_data(spec, tool, issuer)}


def read_tool(wire: Any, issuer: Issuer) -> BaseTool | ProviderTool:
    """Return the tool that a wire tool says: one that the caller runs, else the service's own."""
    try:
        [(kind, spec)] = wire.items()
        if kind != "toolSpec":
            return ProviderTool(wire, issuer)
        schema = spec["inputSchema"]["json"]
        tool = BaseTool(spec["name"], spec.get("description"), schema, strict=spec.get("strict"))
    except (KeyError, TypeError, ValueError, AttributeError):
        return ProviderTool(wire if isinstance(wire, dict) else {"tool": wire}, issuer)
    return keeping(tool, spec, build_tool(tool, issuer)["toolSpec"], issuer)


def read_choice(wire: Any, tools: Sequence[BaseTool | ProviderTool]) -> ToolChoice:
    """Return the choice that a wire choice says; None where it says another thing."""
    if not isinstance(wire, Mapping) or len(wire) != 1:
        return None
    [(kind, said)] = wire.items()
    name = said.get("name") if isinstance(said, dict) else None
    if kind == "tool":
        return name if any(tool.name == name for tool in tools) else None
    return _CHOICES_BACK.get(kind) if said == {} else None
