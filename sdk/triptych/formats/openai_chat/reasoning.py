"""Reasoning of hosts that speak OpenAI Chat Completions: each has its own fields for it in the assistant's message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.content import Reasoning
from triptych.parts import Issuer
from triptych.provider import Quirks


def read_reasoning(message: Mapping[str, Any], quirks: Quirks, issuer: Issuer) -> Reasoning | None:
    """Return the reasoning beside an assistant message, in whichever of the host's fields it is; None where none is.

    The fields are kept as received, so that they go back as they came.
    """
    fields = {name: message[name] for name in quirks.reasoning_fields if message.get(name)}
    if not fields:
        return None
    text = next((value for value in fields.values() if isinstance(value, str)), None)
    if text is None:
        text = "\n".join(filter(None, (_detail_text(detail) for value in fields.values() for detail in value)))
    return Reasoning(text, provider_data=fields, issuer=issuer)


def _detail_text(detail: Any) -> str | None:
    if not isinstance(detail, dict):
        return None
    text = detail.get("text") or detail.get("summary")
    return text if isinstance(text, str) else None
