"""Tools as one API takes them: names that it refuses get others, strict schemas are made to fit; and the way back.

A conversation whose tools have plain names and are not strict passes through untouched.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from triptych import jsontext
from triptych.content import ContentItem, ToolCall, ToolResult
from triptych.errors import LlmError, Notice
from triptych.events import ItemDone, StreamEvent, ToolCallDelta
from triptych.formats import Call
from triptych.parts import Issuer
from triptych.response import LlmResponse
from triptych.tools import BaseTool, ProviderTool

if TYPE_CHECKING:
    from triptych.dialects import Adapted, NameMap
    from triptych.formats import StreamParser, WireBody

# What every API takes as a name.
_PLAIN = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}\Z")


@frozen
class ToolFit:
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
        return WayBack(None if names is None else self._map(names), schemas)


@frozen
class WayBack:
    """Turns the calls of an answer into those of the program's tools."""

    _names: NameMap | None
    _tools: Mapping[str, Adapted | None] = field(factory=dict)

    def name(self, wire: str) -> str:
        """Return the tool's own name."""
        return wire if self._names is None else self._names.from_wire(wire)

    def item(self, item: ContentItem) -> ContentItem:
        """Return an item as the program's tools have it."""
        if not isinstance(item, ToolCall):
            return item
        name = self.name(item.name)
        adapted = self._tools.get(name)
        arguments = item.arguments if adapted is None or item.malformed else adapted.restore(item.arguments)
        if name == item.name and arguments == item.arguments:
            return item
        raw = item.raw_arguments if arguments == item.arguments else None
        return evolve(item, name=name, arguments=arguments if isinstance(arguments, dict) else {}, raw_arguments=raw)

    def response(self, response: LlmResponse) -> LlmResponse:
        """Return a response, changed in place, whose calls are those of the program's tools."""
        response.content = [self.item(item) for item in response.content]
        if response.error is not None and response.error.partial:
            response.error = response.error.evolve(partial=tuple(self.item(item) for item in response.error.partial))
        return response

    def event(self, event: StreamEvent) -> StreamEvent:
        """Return an event whose call is one of the program's tools'; pieces of arguments stay as they came."""
        if isinstance(event, ToolCallDelta) and event.name:
            return evolve(event, name=self.name(event.name))
        return ItemDone(self.item(event.item)) if isinstance(event, ItemDone) else event


class TurningParser:
    """A stream's parser whose events and response go the way back.

    Args:
        parser: The format's parser, whose response has gone it already.
        way: The way back.
    """

    def __init__(self, parser: StreamParser, way: WayBack) -> None:
        self._parser = parser
        self._way = way

    @property
    def error(self) -> LlmError | None:
        """What the provider says has failed, once it has said so."""
        return self._parser.error

    @property
    def ended(self) -> bool:
        """Whether the answer is whole."""
        return self._parser.ended

    @property
    def closed(self) -> bool:
        """Whether the end of the answer has come."""
        return self._parser.closed

    def end_marker(self) -> None:
        """Take a `[DONE]`."""
        self._parser.end_marker()

    def feed(self, event: WireBody) -> list[StreamEvent]:
        """Return the events that a wire event makes."""
        return [self._way.event(each) for each in self._parser.feed(event)]

    def finish(self, error: LlmError | None) -> LlmResponse:
        """Return the response."""
        return self._way.response(self._parser.finish(error))


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
