"""A run of an agent as lines that a person reads."""

from __future__ import annotations

from triptych import jsontext
from triptych.agent.context import ExecutionContext
from triptych.content import ContentItem, ErrorItem, Message, Reasoning, Refusal, ToolCall, ToolResult

_WIDTH = 200


def format_trace(context: ExecutionContext, *, width: int = _WIDTH) -> str:
    """Return a run as text: a line an item, with when, who and what.

    Args:
        context: The run.
        width: Most characters to show of one item.
    """
    lines = [
        f"{event.timestamp:%H:%M:%S} {event.author}: {_cut(_said(item), width)}"
        for event in context.events
        for item in event.content
    ]
    lines.append(f"after {context.current_step} steps: {_cut(repr(context.final_result), width)}")
    return "\n".join(lines)


def _said(item: ContentItem) -> str:
    if isinstance(item, Message):
        media = [type(part).__name__ for part in item.content if not hasattr(part, "text")]
        shown = f" [{', '.join(media)}]" if not isinstance(item.content, str) and media else ""
        return f"{item.text}{shown}"
    if isinstance(item, ToolCall):
        return f"calls {item.name}({item.raw_arguments if item.malformed else jsontext.encode_text(item.arguments)})"
    if isinstance(item, ToolResult):
        took = "" if item.runtime_ms is None else f" after {item.runtime_ms:.0f} ms"
        return f"{item.name or item.tool_call_id} gives {item.status}{took}: {item.text}"
    if isinstance(item, Reasoning):
        return f"thinks: {item.text or ' '.join(item.summary) or '(unseen)'}"
    if isinstance(item, Refusal):
        return f"refuses: {item.refusal}"
    if isinstance(item, ErrorItem):
        return f"fails: {item.error_message}"
    return type(item).__name__


def _cut(text: str, width: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 1]}…"
