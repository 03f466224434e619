"""Streams of Mistral's API: chunks to events, and to the response that the same answer gives unstreamed.

Reference: https://docs.mistral.ai/api/endpoint/chat (stream)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from triptych.errors import LlmError
from triptych.events import StreamEvent
from triptych.formats.mistral_chat.response import failed
from triptych.formats.openai_chat.stream import ChatStreamParser
from triptych.response import LlmResponse


class MistralStreamParser(ChatStreamParser):
    """Turns the chunks of one stream into events and a response; see `StreamParser`.

    Args:
        parse: Reads a whole wire response.
        read_error: Reads an error in its envelope.
    """

    def __init__(
        self, parse: Callable[[Any], LlmResponse], read_error: Callable[[Mapping[str, Any]], LlmError]
    ) -> None:
        super().__init__(parse, read_error, ())

    def feed(self, chunk: Any) -> list[StreamEvent]:
        """Return the events that a chunk makes; an error comes bare, without an envelope."""
        fault: Any = None if chunk.get("choices") else failed(chunk)
        return super().feed(fault or chunk)
