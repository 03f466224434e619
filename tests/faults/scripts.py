"""The answer of each format: it thinks, speaks, calls two tools and counts its tokens."""

import pytest

from tests.faults.chat_script import CHAT
from tests.faults.cohere_script import COHERE
from tests.faults.converse_script import CONVERSE
from tests.faults.gemini_script import GEMINI, GEMINI_ARRAY
from tests.faults.messages_script import INVOKE, MESSAGES
from tests.faults.mistral_script import MISTRAL
from tests.faults.ollama_script import OLLAMA
from tests.faults.responses_script import RESPONSES
from tests.faults.script import Script
from tests.faults.wires import EVENT_STREAM, SSE, event

__all__ = [
    "CHAT",
    "COHERE",
    "CONVERSE",
    "EVENT_STREAM",
    "GEMINI",
    "GEMINI_ARRAY",
    "INVOKE",
    "MESSAGES",
    "MISTRAL",
    "OLLAMA",
    "RESPONSES",
    "SCRIPTS",
    "Script",
    "all_scripts",
    "event",
    "event_scripts",
]

SCRIPTS = (CHAT, MESSAGES, RESPONSES, GEMINI, GEMINI_ARRAY, CONVERSE, INVOKE, MISTRAL, OLLAMA, COHERE)
EVENTS = [script for script in SCRIPTS if script.wire is SSE]

all_scripts = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
event_scripts = pytest.mark.parametrize("script", EVENTS, ids=lambda script: script.name)
