"""generateContent by the `google-genai` package: its models for the parts of the JSON body that both hosts take."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cache
from typing import Any

from google.genai import _common, types
from pydantic import create_model

from tests.conformance.closing import Closed
from tests.conformance.said import Said

# The package names the body's fields in the code that writes them, not in a class.
_BODY: Mapping[str, tuple[str, bool]] = {
    "contents": ("Content", True),
    "systemInstruction": ("Content", False),
    "generationConfig": ("GenerationConfig", False),
    "tools": ("Tool", True),
    "toolConfig": ("ToolConfig", False),
    "safetySettings": ("SafetySetting", True),
    "modelArmorConfig": ("ModelArmorConfig", False),
}


@cache
def _closed() -> Closed:
    fields: dict[str, Any] = {"cachedContent": (str, None), "labels": (dict[str, str], None), "store": (bool, None)}
    fields.update(dict.fromkeys(("model", "serviceTier"), (str | None, None)))
    for name, (kind, several) in _BODY.items():
        cls: Any = getattr(types, kind)
        field: Any = list[cls] if several else cls
        fields[name] = (field, ...) if name == "contents" else (field | None, None)
    return Closed(create_model("Request", **fields), caseless=(_common.CaseInSensitiveEnum,))


def faults(body: Mapping[str, Any], stream: bool) -> list[str]:
    """Return what the package's models have against a body."""
    return _closed().faults(body)


def read(answer: Any) -> Said:
    """Return what the package reads in an answer; of several candidates all, in order."""
    response = types.GenerateContentResponse._from_response(response=copy.deepcopy(answer), kwargs={})
    candidates = response.candidates or []
    parts = [part for candidate in candidates if candidate.content for part in candidate.content.parts or []]
    calls = [part.function_call for part in parts if part.function_call]
    reason = candidates[0].finish_reason if candidates else None
    counts: Any | None = response.usage_metadata
    usage = None
    if counts is not None:
        read_tokens = (counts.prompt_token_count or 0) + (counts.tool_use_prompt_token_count or 0)
        usage = (read_tokens, (counts.candidates_token_count or 0) + (counts.thoughts_token_count or 0))
    return Said(
        "".join(part.text for part in parts if part.text and not part.thought),
        [(call.name, call.args or {}) for call in calls],
        None if reason is None else reason.value,
        usage,
    )
