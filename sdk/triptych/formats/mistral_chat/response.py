"""Responses of Mistral's API: a wire response to an LlmResponse.

Reference: https://docs.mistral.ai/api/endpoint/chat (response)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.content import ContentItem
from triptych.formats import Call
from triptych.formats.mistral_chat.chunks import read_content
from triptych.formats.openai_chat.calls import read_calls
from triptych.formats.openai_chat.response import read_response
from triptych.parts import Issuer, Opaque
from triptych.response import LlmResponse


def parse_response(body: Any, call: Call | None, issuer: Issuer) -> LlmResponse:
    """Return the answer that a wire response holds: the items of all its choices, in order.

    Fields beside content and calls stay in `raw`: the API does not take them back.
    """
    return read_response(body, call, issuer, lambda choice, seed: _read_choice(choice, seed, issuer))


def _read_choice(choice: Mapping[str, Any], seed: str, issuer: Issuer) -> list[ContentItem]:
    message = choice.get("message")
    if message is not None:
        return _read_message(message, seed, issuer)
    several = choice["messages"]  # of an answer for which the provider called its own tools
    return [item for at, one in enumerate(several) for item in _read_message(one, f"{seed}_{at}", issuer)]


def _read_message(message: Mapping[str, Any], seed: str, issuer: Issuer) -> list[ContentItem]:
    if (message.get("role") or "assistant") != "assistant":
        return [Opaque(message, issuer=issuer)]
    return [*read_content(message.get("content"), issuer), *read_calls(message.get("tool_calls") or [], issuer, seed)]


def failed(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the error that a body or an event is, in the envelope that other APIs put it in; None for none.

    The API sends an error bare, with the HTTP status in a field of its own.
    """
    if body.get("error"):
        return dict(body)
    if body.get("object") != "error" and "detail" not in body:
        return None
    return {"error": {**body, "status_code": body.get("raw_status_code")}, "request_id": body.get("request_id")}
