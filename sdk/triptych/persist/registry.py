"""The `content_type` of every class that has a JSON form: one table for both directions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

from triptych.agent.context import Event
from triptych.content import (
    ITEM_TYPES,
    ClientContext,
    CompressionFiller,
    Deleted,
    ErrorItem,
    Message,
    Reasoning,
    Refusal,
    ToolCall,
    ToolResult,
)
from triptych.errors import LlmError, Notice
from triptych.events import (
    ItemDone,
    ProviderEvent,
    ReasoningDelta,
    RefusalDelta,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
)
from triptych.output import OutputSchema
from triptych.parts import PART_TYPES, Audio, Document, Image, Issuer, Opaque, Text, Video
from triptych.request import LlmRequest
from triptych.response import LlmResponse
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool
from triptych.usage import Usage

TAG = "content_type"
# A JSON object of the user's own that has this key, where parts may stand beside it, is wrapped under this type.
JSON_TYPE = "json"
# A value that has no JSON form is described under this type.
UNSERIALISABLE = "unserialisable"
# The issuer's format of what was read and has no type here: no API has this name, so it is never sent.
UNKNOWN = "unknown"

CONTENT_TYPES: Mapping[str, type] = {
    "message": Message,
    "tool_call": ToolCall,
    "tool_result": ToolResult,
    "reasoning": Reasoning,
    "refusal": Refusal,
    "error": ErrorItem,
    "deleted": Deleted,
    "compression_filler": CompressionFiller,
    "client_context": ClientContext,
    "opaque": Opaque,
    "text": Text,
    "image": Image,
    "audio": Audio,
    "video": Video,
    "document": Document,
    "issuer": Issuer,
    "tool": BaseTool,
    "provider_tool": ProviderTool,
    "output_schema": OutputSchema,
    "settings": Settings,
    "llm_request": LlmRequest,
    "llm_response": LlmResponse,
    "llm_error": LlmError,
    "notice": Notice,
    "usage": Usage,
    "event": Event,
    "text_delta": TextDelta,
    "reasoning_delta": ReasoningDelta,
    "refusal_delta": RefusalDelta,
    "tool_call_delta": ToolCallDelta,
    "item_done": ItemDone,
    "provider_event": ProviderEvent,
}
TAGS: Mapping[type, str] = {kind: tag for tag, kind in CONTENT_TYPES.items()}
# Classes whose subclasses are written as they themselves: a tool's code and a fault's type are not data.
_WRITTEN_AS = (BaseTool, LlmError)


def check_complete(kinds: Iterable[type]) -> None:
    """Raise TypeError where a class has no entry in the table: what is made must be what can be kept.

    Args:
        kinds: The classes that need one.
    """
    missing = [kind.__name__ for kind in kinds if kind not in TAGS]
    if missing:
        raise TypeError(f"CONTENT_TYPES: expected an entry for every class, none for {', '.join(missing)}")


check_complete((*ITEM_TYPES, *PART_TYPES, *get_args(StreamEvent)))


def registered(kind: type) -> type | None:
    """Return the class of the table that a class is written as, or None."""
    if kind in TAGS:
        return kind
    return next((one for one in _WRITTEN_AS if issubclass(kind, one)), None)
