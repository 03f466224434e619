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
from triptych.formats.turns import DistinctIds
from triptych.formats.wrong_form import WrongForm
from triptych.parts import Issuer, Opaque
from triptych.response import LlmResponse


def parse_response(body: Any, call: Call | None, issuer: Issuer) -> LlmResponse:
    """Return the answer that a wire response holds: the items of all its choices, in order.

    Fields beside content and calls stay in `raw`: the API does not take them back.
    """
    return read_response(body, call, issuer, lambda choice, ids: _read_choice(choice, ids, issuer))


def _read_choice(choice: Mapping[str, Any], ids: DistinctIds, issuer: Issuer) -> list[ContentItem]:
    message = choice.get("message")
    if message is not None:
        return _read_message(message, ids, issuer)
    several = choice.get("messages")  # of an answer for which the provider called its own tools
    if several is None:
        raise WrongForm("a choice has neither a message nor messages")
    return [item for one in several for item in _read_message(one, ids, issuer)]


def _read_message(message: Mapping[str, Any], ids: DistinctIds, issuer: Issuer) -> list[ContentItem]:
    if (message.get("role") or "assistant") != "assistant":
        return [Opaque(message, issuer=issuer)]
    return [*read_content(message.get("content"), issuer), *read_calls(message.get("tool_calls") or [], issuer, ids)]


def failed(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the error that a body or an event is, in the envelope that other APIs put it in; None for none.

    The API sends an error bare, with the HTTP status in a field of its own.
    """
    if body.get("error"):
        return dict(body)
    if body.get("object") != "error" and "detail" not in body:
        return None
    return {"error": {**body, "status_code": body.get("raw_status_code")}, "request_id": body.get("request_id")}
