"""Tools of the chat APIs that know no strictness: the definition of a function, its builder beside its reader."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from triptych.formats.functions import arguments_schema
from triptych.formats.verbatim import keeping, with_provider_data
from triptych.parts import Issuer
from triptych.tools import BaseTool, ProviderTool


def build_function(tool: BaseTool, issuer: Issuer) -> dict[str, Any]:
    """Return the wire form of a tool's definition, without its strictness."""
    function: dict[str, Any] = {"name": tool.name, "parameters": arguments_schema(evolve(tool, strict=None))}
    if tool.description is not None:
        function["description"] = tool.description
    return with_provider_data({"type": "function", "function": function}, tool, issuer)


def read_function(wire: Any, issuer: Issuer) -> BaseTool | ProviderTool:
    """Return the tool that a wire tool says: a function, else the server's own."""
    try:
        function = wire["function"]
        tool = BaseTool(function["name"], function.get("description"), function.get("parameters"))
    except (KeyError, TypeError, ValueError):
        return ProviderTool(wire if isinstance(wire, dict) else {"tool": wire}, issuer)
    return keeping(tool, wire, build_function(tool, issuer), issuer)
