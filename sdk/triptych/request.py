"""What to send: LlmRequest, which holds the conversation and no API's form of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from attrs import Attribute, field, frozen

from triptych.checks import did_you_mean, is_a, list_of, shown
from triptych.content import ITEM_TYPES, ContentItem, Message
from triptych.tools import BaseTool, ProviderTool

# Names that providers use for one choice, brought to ours once, here.
_CHOICE_SYNONYMS = {"any": "required"}
CHOICES = ("auto", "required", "none")

ToolChoice: TypeAlias = str | BaseTool | ProviderTool | None


@frozen
class OutputSchema:
    """A JSON Schema that the answer shall follow, with what providers want to know about it.

    Args:
        schema: The JSON Schema.
        name: What to call it; None lets the wire format choose.
        description: What the answer is for.
        strict: Whether the provider shall hold the model to it; None leaves it to the provider.
    """

    schema: Mapping[str, Any] = field(validator=is_a(dict))
    name: str | None = field(default=None, validator=is_a(str, optional=True))
    description: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))
    strict: bool | None = field(default=None, kw_only=True, validator=is_a(bool, optional=True))


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


def _list(value: object) -> object:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else value


def _choice(value: object) -> object:
    return _CHOICE_SYNONYMS.get(value, value) if isinstance(value, str) else value


def _output(value: object) -> object:
    return OutputSchema(value) if isinstance(value, dict) else value


def _check_tools(instance: LlmRequest, attribute: Attribute[Any], value: object) -> None:
    list_of(BaseTool, ProviderTool)(instance, attribute, value)


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
        tools: What the model may call: `BaseTool` instances, and `ProviderTool` for a provider's own.
        tool_choice: None or "auto" (the model decides), "required" (it must call one), "none" (it must not), or one
            tool, by name or itself.
        output_type: A JSON Schema that the answer shall follow, as a dict or an `OutputSchema`.

    Raises:
        TypeError, ValueError: a wrong value; the message names the field, what was given and what was expected.
    """

    instructions: list[str] = field(factory=list, converter=_instructions, validator=list_of(str))
    contents: list[ContentItem] = field(factory=list, converter=_contents, validator=list_of(*ITEM_TYPES))
    tools: list[BaseTool | ProviderTool] = field(factory=list, converter=_list, validator=_check_tools)
    tool_choice: ToolChoice = field(default=None, converter=_choice, validator=_check_choice)
    output_type: OutputSchema | None = field(
        default=None, converter=_output, validator=is_a(OutputSchema, dict, optional=True)
    )

    @property
    def chosen_tool(self) -> str | None:
        """The name of the one tool that must be called, where the choice is one tool."""
        if isinstance(self.tool_choice, BaseTool | ProviderTool):
            return self.tool_choice.name
        return None if self.tool_choice in (None, *CHOICES) else self.tool_choice
