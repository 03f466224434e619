"""What to send: LlmRequest, which holds the conversation and no API's form of it."""

from __future__ import annotations

from typing import Any, TypeAlias

from attrs import Attribute, field, frozen

from triptych.checks import did_you_mean, is_a, list_of, shown
from triptych.content import ITEM_TYPES, ContentItem, Message
from triptych.output import OutputSchema, output_of
from triptych.tools import BaseTool, ProviderTool

# Names that providers use for one choice, brought to ours once, here.
_CHOICE_SYNONYMS = {"any": "required"}
CHOICES = ("auto", "required", "none")

__all__ = ["CHOICES", "LlmRequest", "OutputSchema", "ToolChoice"]

ToolChoice: TypeAlias = str | BaseTool | ProviderTool | None


def _instructions(value: object) -> object:
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, (list, tuple)) else value


def _contents(value: object) -> object:
    if isinstance(value, str):
        return [Message("user", value)]
    return list(value) if isinstance(value, (list, tuple)) else value


def _tools(value: object) -> object:
    if value is None:
        return []
    return [_tool(one) for one in value] if isinstance(value, (list, tuple)) else value


def _tool(value: object) -> object:
    if isinstance(value, BaseTool | ProviderTool | type) or not callable(value):
        return value
    from triptych.function_tool import tool_of  # only for those who give functions

    return tool_of(value)


def _choice(value: object) -> object:
    if callable(value) and not isinstance(value, BaseTool):
        return getattr(value, "__name__", value)  # a plain function, as it is in `tools`
    return _CHOICE_SYNONYMS.get(value, value) if isinstance(value, str) else value


def _check_tools(instance: LlmRequest, attribute: Attribute[Any], value: object) -> None:
    list_of(BaseTool, ProviderTool)(instance, attribute, value)
    names = [tool.name for tool in instance.tools if isinstance(tool, BaseTool)]
    if len(set(names)) != len(names):
        name = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"LlmRequest.tools: expected tools of different names, got {name!r} {names.count(name)} times")


def _check_choice(instance: LlmRequest, attribute: Attribute[Any], value: object) -> None:
    if value is None or value in CHOICES:
        return
    name = value.name if isinstance(value, BaseTool | ProviderTool) else value
    if not isinstance(name, str):
        raise TypeError(f"LlmRequest.tool_choice: expected a name, a tool or None, got {shown(value)}")
    names = [tool.name for tool in instance.tools if tool.name is not None]
    if name not in names:
        known = [*CHOICES, *names]
        raise ValueError(
            f"LlmRequest.tool_choice: expected one of {', '.join(map(repr, known))}, got {name!r}"
            f"{did_you_mean(name, known)}"
        )


@frozen
class LlmRequest:
    """What to send to a model.

    Args:
        instructions: The system text, one str an instruction; a bare str is taken as one.
        contents: The conversation in order; a bare str is a user Message.
        tools: What the model may call: `@tool` functions and other `BaseTool` instances, `ProviderTool` for a
            provider's own; a plain function is made a tool. No two may have one name.
        tool_choice: None or "auto" (the model decides), "required" (it must call one), "none" (it must not), or one
            tool, by name or itself.
        output_type: What the answer shall be: a Python type such as an attrs class, a JSON Schema as a dict, or an
            `OutputSchema`, which says also how. It is then in `LlmResponse.output`.

    Raises:
        TypeError, ValueError: a wrong value; the message names the field, what was given and what was expected.
    """

    instructions: list[str] = field(factory=list, converter=_instructions, validator=list_of(str))
    contents: list[ContentItem] = field(factory=list, converter=_contents, validator=list_of(*ITEM_TYPES))
    tools: list[BaseTool | ProviderTool] = field(factory=list, converter=_tools, validator=_check_tools)
    tool_choice: ToolChoice = field(default=None, converter=_choice, validator=_check_choice)
    output_type: OutputSchema | None = field(
        default=None, converter=output_of, validator=is_a(OutputSchema, dict, optional=True)
    )

    @property
    def chosen_tool(self) -> str | None:
        """The name of the one tool that must be called, where the choice is one tool."""
        if isinstance(self.tool_choice, BaseTool | ProviderTool):
            return self.tool_choice.name
        return None if self.tool_choice in (None, *CHOICES) else self.tool_choice
