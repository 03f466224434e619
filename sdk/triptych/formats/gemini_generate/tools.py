"""Tools of Gemini's: functions, tools of the provider's own, and what must be called; each builder beside its reader.

Reference: https://ai.google.dev/api/caching#Tool
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from triptych.errors import Notice
from triptych.formats.gemini_generate.openapi import json_schema, with_items
from triptych.formats.verbatim import keeping, wire_tools, with_provider_data
from triptych.parts import Issuer
from triptych.request import LlmRequest, ToolChoice
from triptych.tools import BaseTool, ProviderTool

if TYPE_CHECKING:
    from triptych_wire.gemini_generate import FunctionDeclaration

Tool = BaseTool | ProviderTool

_MODES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}
_MODES_BACK: Mapping[Any, str] = {wire: choice for choice, wire in _MODES.items()}


def add_tools(body: Any, request: LlmRequest, issuer: Issuer, notices: list[Notice]) -> None:
    """Put the tools of a request into a body, and what must be called of them."""
    tools = wire_tools(request.tools, build_function, issuer, notices)
    functions = [tool for tool in tools if "name" in tool]
    if tools:
        body["tools"] = _grouped(tools, functions)
    calling = _build_choice(request, strict=any(isinstance(t, BaseTool) and t.strict for t in request.tools))
    if calling is None:
        return
    if functions:
        body["toolConfig"] = {"functionCallingConfig": calling}
    elif request.tool_choice not in (None, "auto", "none"):
        choice = request.chosen_tool or request.tool_choice
        notices.append(Notice("tool_choice", f"{choice!r} left out", "this API lets only functions be chosen"))


def _grouped(tools: Sequence[Any], functions: list[Any]) -> list[Any]:
    """Return the tools with all functions in one, where the first of them stands."""
    grouped = [tool for tool in tools if "name" not in tool]
    if functions:
        first = next(place for place, tool in enumerate(tools) if "name" in tool)
        grouped.insert(first, {"functionDeclarations": functions})
    return grouped


def _build_choice(request: LlmRequest, *, strict: bool) -> dict[str, Any] | None:
    name = request.chosen_tool
    if name is not None:
        return {"mode": "ANY", "allowedFunctionNames": [name]}
    if strict and request.tool_choice in (None, "auto"):
        return {"mode": "VALIDATED"}  # the mode in which calls keep to their schema and none is forced
    return None if request.tool_choice is None else {"mode": _MODES[str(request.tool_choice)]}


def build_function(tool: BaseTool, issuer: Issuer) -> FunctionDeclaration:
    """Return the wire form of a function: its arguments as a JSON Schema, unless they came as the API's own kind."""
    wire: FunctionDeclaration = {"name": tool.name}
    if tool.description is not None:
        wire["description"] = tool.description
    own = tool.provider_data if tool.issuer == issuer and tool.provider_data is not None else {}
    if tool.parameters is not None and "parameters" not in own:
        wire["parametersJsonSchema"] = with_items(tool.parameters)
    return with_provider_data(wire, tool, issuer)


def read_tools(wires: Sequence[Any], issuer: Issuer) -> list[Tool]:
    """Return the tools that a request's tools say: functions, and the provider's own."""
    tools: list[Tool] = []
    for wire in wires:
        own = {name: value for name, value in wire.items() if name != "functionDeclarations"}
        tools += [_read_function(one, issuer) for one in wire.get("functionDeclarations") or []]
        if own:
            tools.append(ProviderTool(own, issuer))
    return tools


def _read_function(wire: Mapping[str, Any], issuer: Issuer) -> BaseTool:
    name, description = wire["name"], wire.get("description")
    if "parameters" in wire:
        tool = BaseTool(name, description, json_schema(wire["parameters"]))
        return keeping(tool, wire, {"name": name, "description": description}, issuer)
    tool = BaseTool(name, description, wire.get("parametersJsonSchema"))
    return keeping(tool, wire, build_function(tool, issuer), issuer)


def read_choice(wire: Any, tools: Sequence[Tool]) -> ToolChoice:
    """Return what must be called, or None where that has no neutral word."""
    calling = wire.get("functionCallingConfig") if isinstance(wire, dict) else None
    if not isinstance(calling, dict):
        return None
    allowed = calling.get("allowedFunctionNames")
    mode = str(calling.get("mode")).upper()
    if not allowed:
        return _MODES_BACK.get(mode)
    known = any(isinstance(tool, BaseTool) and tool.name == allowed[0] for tool in tools)
    return str(allowed[0]) if mode == "ANY" and len(allowed) == 1 and known else _MODES_BACK.get(mode)
