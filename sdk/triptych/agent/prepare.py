"""The next request of an agent, made of what has happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from attrs import evolve

from triptych.agent.context import ExecutionContext
from triptych.content import ContentItem
from triptych.request import LlmRequest, ToolChoice
from triptych.tools import BaseTool, ProviderTool

# Takes the items of a conversation, and returns those that the model shall see.
Selection: TypeAlias = Callable[[list[ContentItem]], list[ContentItem]]


def prepare_request(
    context: ExecutionContext,
    *,
    instructions: str | Sequence[str] = (),
    tools: Iterable[BaseTool | ProviderTool | Callable[..., Any]] = (),
    output_type: Any = None,
    tool_choice: ToolChoice = None,
    select: Selection | Sequence[Selection] = (),
) -> LlmRequest:
    """Return a request whose contents are the items of all events; it keeps no reference to the context.

    Args:
        context: What has happened.
        instructions: The system text, one str an instruction.
        tools: What the model may call.
        output_type: What the answer shall be; see `LlmRequest`.
        tool_choice: Which tool, if not as usual: "required" where the output is to come by a tool, "auto" where there
            are tools.
        select: What the model is shown of the items: one step, or several that are taken in order.
    """
    contents = context.contents
    for step in (select,) if callable(select) else select:
        contents = step(contents)
    given: Any = list(tools)
    request = LlmRequest(
        instructions=[instructions] if isinstance(instructions, str) else list(instructions),
        contents=list(contents),
        tools=given,
        tool_choice=tool_choice if tool_choice is not None else "auto" if given else None,
        output_type=output_type,
    )
    if tool_choice is None and getattr(request.output_type, "mode", None) == "tool":
        request = evolve(request, tool_choice="required")
    return request
