"""The arguments of a tool call as hosts send them, whatever an API's reference says of their form."""

from __future__ import annotations

from triptych import jsontext
from triptych.content import ToolCall


def called(tool_call_id: str, name: str, arguments: object) -> ToolCall:
    """Return the call with these arguments: an object, the JSON text of one, null, or what is none and is kept as text.

    Args:
        tool_call_id: The call's id.
        name: The tool's name.
        arguments: The arguments, decoded as far as the answer's body was.
    """
    if arguments is None or isinstance(arguments, dict):
        return ToolCall(tool_call_id, name, arguments or {})
    return ToolCall(
        tool_call_id, name, raw_arguments=arguments if isinstance(arguments, str) else jsontext.encode_text(arguments)
    )
