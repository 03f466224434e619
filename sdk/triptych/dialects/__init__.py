"""What each API takes of JSON Schema, and of names of tools: a schema made to fit, and the way back of its values."""

from __future__ import annotations

from triptych.dialects.adapting import Adapted, adapt
from triptych.dialects.rule_sets import (
    ANTHROPIC_STRICT,
    BEDROCK,
    COHERE,
    GEMINI,
    LOOSE,
    MISTRAL,
    OLLAMA,
    OPENAI_STRICT,
)
from triptych.dialects.rules import Limits, Rules
from triptych.dialects.tool_names import NameMap, NameRules

__all__ = [
    "ANTHROPIC_STRICT",
    "BEDROCK",
    "COHERE",
    "GEMINI",
    "LOOSE",
    "MISTRAL",
    "OLLAMA",
    "OPENAI_STRICT",
    "Adapted",
    "Limits",
    "NameMap",
    "NameRules",
    "Rules",
    "adapt",
]
