"""How an answer of each wire format is played as a stream, cut somewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis.strategies import SearchStrategy

from tests.formats.anthropic_messages import splitter as anthropic
from tests.formats.bedrock_converse import splitter as bedrock
from tests.formats.cohere_chat import splitter as cohere
from tests.formats.gemini_generate import splitter as gemini
from tests.formats.ollama_chat import splitter as ollama
from tests.formats.openai_chat import splitter as chat
from tests.formats.openai_responses import splitter as responses
from tests.formats.streams import Wire

_STREAMS: Mapping[str, Callable[[Mapping[str, Any]], SearchStrategy[list[Wire]]]] = {
    "openai_chat": chat.streams,
    "openai_responses": responses.streams,
    "anthropic_messages": anthropic.streams,
    "mistral_chat": chat.streams,
    "ollama_chat": ollama.streams,
    "gemini_generate": gemini.streams,
    "cohere_chat": cohere.streams,
    "bedrock_converse": bedrock.streams,
}
# What the last event of some streams has, and an answer in one line has not.
_ENDS: Mapping[str, Mapping[str, Any]] = {"gemini_generate": {"usageMetadata": {"promptTokenCount": 1}}}


def streams(name: str, answer: Mapping[str, Any]) -> SearchStrategy[list[Wire]]:
    """Return the ways to play an answer of a wire format as a stream.

    Args:
        name: The wire format.
        answer: The answer in one piece.
    """
    return _STREAMS[name]({**_ENDS.get(name, {}), **answer})
