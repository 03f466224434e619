"""Triptych: three objects between a program and any language model.

`LlmRequest` is what to send, `LlmClient` how to send it, `LlmResponse` what came back. Each name below is imported when
it is first used, so that `import triptych` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from triptych.access.key_source import register_key_source
    from triptych.agent.context import Event, ExecutionContext
    from triptych.agent.prepare import prepare_request
    from triptych.agent.trace import format_trace
    from triptych.attempt import Attempt
    from triptych.client import LlmClient
    from triptych.content import (
        ClientContext,
        CompressionFiller,
        ContentItem,
        Deleted,
        ErrorItem,
        Message,
        Reasoning,
        Refusal,
        ToolCall,
        ToolResult,
    )
    from triptych.conversion import convert, read_request
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
    from triptych.fetching.media import fetch, fetch_media
    from triptych.fetching.rules import FetchError
    from triptych.function_tool import FunctionTool, tool
    from triptych.output import OutputSchema
    from triptych.parts import Audio, Document, Image, Issuer, Opaque, Part, Text, Video
    from triptych.persist import dumps, loads
    from triptych.provider import Provider, ProviderError, Quirks
    from triptych.providers import load_providers, register_provider
    from triptych.request import LlmRequest
    from triptych.response import LlmResponse
    from triptych.running import run_calls
    from triptych.secret import Secret
    from triptych.settings import Limits, Retries, Settings, Timeout
    from triptych.signature import Injected
    from triptych.store.errors import StoreError
    from triptych.store.store import Store
    from triptych.stream import LlmStream
    from triptych.threads.compression import compress
    from triptych.threads.thread import Thread
    from triptych.threads.turn import Turn
    from triptych.tool_loop import ToolRun, run_tools
    from triptych.tools import BaseTool, ProviderTool
    from triptych.usage import Usage

__version__ = "0.1.0"

# The public names, by the module that each is in.
_HOMES = {
    "access.key_source": ("register_key_source",),
    "agent.context": ("Event", "ExecutionContext"),
    "agent.prepare": ("prepare_request",),
    "agent.trace": ("format_trace",),
    "attempt": ("Attempt",),
    "client": ("LlmClient",),
    "content": (
        "ClientContext",
        "CompressionFiller",
        "ContentItem",
        "Deleted",
        "ErrorItem",
        "Message",
        "Reasoning",
        "Refusal",
        "ToolCall",
        "ToolResult",
    ),
    "conversion": ("convert", "read_request"),
    "errors": ("LlmError", "Notice"),
    "events": (
        "ItemDone",
        "ProviderEvent",
        "ReasoningDelta",
        "RefusalDelta",
        "StreamEvent",
        "TextDelta",
        "ToolCallDelta",
    ),
    "fetching.media": ("fetch", "fetch_media"),
    "fetching.rules": ("FetchError",),
    "function_tool": ("FunctionTool", "tool"),
    "output": ("OutputSchema",),
    "parts": ("Audio", "Document", "Image", "Issuer", "Opaque", "Part", "Text", "Video"),
    "persist": ("dumps", "loads"),
    "provider": ("Provider", "ProviderError", "Quirks"),
    "providers": ("load_providers", "register_provider"),
    "request": ("LlmRequest",),
    "response": ("LlmResponse",),
    "running": ("run_calls",),
    "secret": ("Secret",),
    "settings": ("Limits", "Retries", "Settings", "Timeout"),
    "signature": ("Injected",),
    "store.errors": ("StoreError",),
    "store.store": ("Store",),
    "stream": ("LlmStream",),
    "threads.compression": ("compress",),
    "threads.thread": ("Thread",),
    "threads.turn": ("Turn",),
    "tool_loop": ("ToolRun", "run_tools"),
    "tools": ("BaseTool", "ProviderTool"),
    "usage": ("Usage",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Attempt",
    "Audio",
    "BaseTool",
    "ClientContext",
    "CompressionFiller",
    "ContentItem",
    "Deleted",
    "Document",
    "ErrorItem",
    "Event",
    "ExecutionContext",
    "FetchError",
    "FunctionTool",
    "Image",
    "Injected",
    "Issuer",
    "ItemDone",
    "Limits",
    "LlmClient",
    "LlmError",
    "LlmRequest",
    "LlmResponse",
    "LlmStream",
    "Message",
    "Notice",
    "Opaque",
    "OutputSchema",
    "Part",
    "Provider",
    "ProviderError",
    "ProviderEvent",
    "ProviderTool",
    "Quirks",
    "Reasoning",
    "ReasoningDelta",
    "Refusal",
    "RefusalDelta",
    "Retries",
    "Secret",
    "Settings",
    "Store",
    "StoreError",
    "StreamEvent",
    "Text",
    "TextDelta",
    "Thread",
    "Timeout",
    "ToolCall",
    "ToolCallDelta",
    "ToolResult",
    "ToolRun",
    "Turn",
    "Usage",
    "Video",
    "compress",
    "convert",
    "dumps",
    "fetch",
    "fetch_media",
    "format_trace",
    "load_providers",
    "loads",
    "prepare_request",
    "read_request",
    "register_key_source",
    "register_provider",
    "run_calls",
    "run_tools",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'triptych' has no attribute {name!r}")
    value = getattr(import_module(f"triptych.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
