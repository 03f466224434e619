"""Tools as one API takes them: names that it refuses get others, strict schemas are made to fit; and the way back.

A conversation whose tools have plain names and are not strict passes through untouched.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import evolve

from triptych import jsontext
from triptych.content import ContentItem, ToolCall, ToolResult
from triptych.errors import LlmError, Notice
from triptych.formats import Call
from triptych.parts import Issuer
from triptych.tools import BaseTool, ProviderTool

if TYPE_CHECKING:
    from triptych.dialects import Adapted, NameMap
    from triptych.formats.tool_way_back import WayBack

# What every API takes as a name.
_PLAIN = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}\Z")


class ToolFit(NamedTuple):
    """What one API takes of tools.

    Args:
        names: The name of its rules for names, in `triptych.dialects.tool_names`.
        schemas: The name of its rules for the schemas of strict tools, in `triptych.dialects`; None where no tool is
            strict.
    """

    names: str
    schemas: str | None

    def owned(self, call: Call, issuer: Issuer) -> Call:
        """Return a call that was read from the API's own form, its strict tools marked: the API took them as they are.

        Args:
            call: The call.
            issuer: Whose API it is.
        """
        if not _strict(call):
            return call
        tools = [
            evolve(tool, issuer=issuer) if isinstance(tool, BaseTool) and tool.strict else tool
            for tool in call.request.tools
        ]
        return evolve(call, request=evolve(call.request, tools=tools))

    def fitted(self, call: Call, issuer: Issuer) -> tuple[Call, tuple[Notice, ...]]:
        """Return a call with tools that the API takes, and notices of what it will not hold the model to.

        Args:
            call: The call.
            issuer: Whose API it is for.
        """
        names, strict = _odd_names(call), self.schemas is not None and _strict(call)
        if names is None and not strict:
            return call, ()
        notices: list[Notice] = []
        request, renamed = call.request, None if names is None else self._map(names)
        tools: list[BaseTool | ProviderTool] = []
        for index, tool in enumerate(request.tools):
            if isinstance(tool, BaseTool):
                tools.append(self._tool(tool, f"tools[{index}]", renamed, issuer, notices))
            else:
                tools.append(tool)
        choice: Any = request.chosen_tool or request.tool_choice
        if renamed is not None and request.chosen_tool is not None:
            choice = renamed.to_wire(request.chosen_tool)
        contents = request.contents if renamed is None else [_renamed(item, renamed) for item in request.contents]
        fitted = evolve(request, tools=tools, tool_choice=choice, contents=contents)
        return evolve(call, request=fitted), tuple(notices)

    def _map(self, names: Iterable[str]) -> NameMap:
        from triptych.dialects import tool_names  # only where a name needs it

        return tool_names.NameMap(names, getattr(tool_names, self.names))

    def _tool(
        self, tool: BaseTool, path: str, names: NameMap | None, issuer: Issuer, notices: list[Notice]
    ) -> BaseTool:
        parameters, strict = tool.parameters, tool.strict
        try:
            adapted = self._schema(tool, issuer)
        except LlmError as fault:
            notices.append(Notice(f"{path}.strict", "left out", fault.message))
            strict, adapted = None, None
        if adapted is not None:
            parameters = adapted.schema
            notices += (evolve(each, path=f"{path}.parameters{each.path}") for each in adapted.notices)
        name = tool.name if names is None else names.to_wire(tool.name)
        own: Any = {"provider_data": tool.provider_data, "issuer": tool.issuer}
        return BaseTool(name, tool.description, parameters, strict=strict, **own)

    def _schema(self, tool: BaseTool, issuer: Issuer) -> Adapted | None:
        """Return the schema of a strict tool as the API takes it; None of another tool, and of one that is its own.

        Raises:
            LlmError: the API cannot hold a model to it.
        """
        if not tool.strict or self.schemas is None or tool.issuer == issuer:
            return None
        return _adapted(jsontext.encode(tool.parameters or {"type": "object"}), self.schemas)

    def way_back(self, call: Call | None, issuer: Issuer) -> WayBack | None:
        """Return the way back of what the API answers to a call; None where there is nothing to turn back.

        Args:
            call: The call; None where it is not known.
            issuer: Whose API it is.
        """
        if call is None or not call.request.tools:
            return None
        names, schemas = _odd_names(call), {}
        for tool in call.request.tools:
            if isinstance(tool, BaseTool):
                with contextlib.suppress(LlmError):  # one that went out as it is
                    schemas[tool.name] = self._schema(tool, issuer)
        if names is None and not any(schemas.values()):
            return None
        from triptych.formats.tool_way_back import WayBack  # only where something is turned back

        return WayBack(None if names is None else self._map(names), schemas)


def _strict(call: Call) -> bool:
    return any(isinstance(tool, BaseTool) and tool.strict for tool in call.request.tools)


def _odd_names(call: Call) -> list[str] | None:
    """Return the names of all tools of a call, where one of them may be refused; else None."""
    request = call.request
    names = [tool.name for tool in request.tools if isinstance(tool, BaseTool)]
    names += [item.name for item in request.contents if isinstance(item, ToolCall | ToolResult) and item.name]
    return names if any(_PLAIN.match(name) is None for name in names) else None


def _renamed(item: ContentItem, names: NameMap) -> ContentItem:
    if isinstance(item, ToolCall | ToolResult) and item.name:
        name = names.to_wire(item.name)
        return item if name == item.name else evolve(item, name=name)
    return item


@lru_cache(maxsize=1024)
def _adapted(text: bytes, rules: str) -> Adapted:
    """Return a schema, given as JSON, as an API takes it of a strict tool; it is adapted once."""
    from triptych import dialects  # only for strict tools

    return dialects.adapt(jsontext.decode(text), getattr(dialects, rules), arguments=True)
