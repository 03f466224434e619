"""Settings that Bedrock Converse leaves to each model: `additionalModelRequestFields`, in the words of its maker.

Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from triptych.errors import Notice
from triptych.formats import Call
from triptych.formats.claude_thinking import build_thinking, read_thinking

_NOVA = re.compile(r"amazon\.nova")
_CLAUDE = re.compile(r"anthropic|claude")
# Other makers' field for an effort, by a part of the model's name; seen in their recorded requests and references.
_EFFORT_FIELDS = ((re.compile(r"openai|gpt-oss"), "reasoning_effort"), (re.compile(r"qwen"), "reasoning_config"))
_LEVELS = ("low", "medium", "high")


def add_model_fields(body: Any, call: Call, notices: list[Notice]) -> None:
    """Put into a body how many tokens to sample from, and how much to think.

    Args:
        body: The request, changed in place.
        call: The call; where its model's name is not known, it is taken for Claude.
        notices: Filled with what cannot be said.
    """
    fields: dict[str, Any] = {}
    model = call.model or "claude"
    if call.settings.top_k is not None:
        fields |= (
            {"inferenceConfig": {"topK": call.settings.top_k}}
            if _NOVA.search(model)
            else {"top_k": call.settings.top_k}
        )
    fields |= _reasoning(body, model, call, notices)
    if fields:
        body["additionalModelRequestFields"] = fields


def _reasoning(body: Any, model: str, call: Call, notices: list[Notice]) -> dict[str, Any]:
    value = call.settings.reasoning
    if value is None:
        return {}
    if _CLAUDE.search(model):
        thinking, effort = build_thinking(value, model, call.settings.max_tokens, notices)
        if effort is not None:
            body["outputConfig"] = {"effort": effort}
        return {} if thinking is None else {"thinking": thinking}
    if _NOVA.search(model) and value == "none":
        return {"reasoningConfig": {"type": "disabled"}}
    if _NOVA.search(model) and value in _LEVELS:
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": value}}
    for pattern, name in _EFFORT_FIELDS:
        if pattern.search(model) and value in _LEVELS:
            return {name: value}
    why = "no field is known by which this model takes it; extra_body may hold additionalModelRequestFields"
    notices.append(Notice("settings.reasoning", f"{value!r} left out", why))
    return {}


def read_model_fields(fields: Mapping[str, Any], output: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the fields of a model say, as Claude's names say them.

    Args:
        fields: The `additionalModelRequestFields`.
        output: The `outputConfig`.
    """
    return {
        "top_k": fields.get("top_k"),
        "reasoning": read_thinking(fields.get("thinking"), output.get("effort")),
    }
