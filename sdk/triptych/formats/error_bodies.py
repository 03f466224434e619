"""What a provider's answer to a failed request says, whatever form it has.

Seen in the wild: an object in "error", a text in "error", a bare "message" or "detail", a list of any of these, null, a
number, an HTML page of a proxy, nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from triptych import jsontext
from triptych.errors import Kind, LlmError

_SNIPPET = 500

_BY_STATUS: dict[int, Kind] = {
    400: "invalid_request",
    401: "authentication",
    402: "billing",
    403: "permission",
    404: "not_found",
    405: "invalid_request",
    408: "timeout",
    409: "overloaded",
    410: "not_found",
    413: "invalid_request",
    415: "invalid_request",
    422: "invalid_request",
    429: "rate_limit",
    498: "overloaded",
    503: "overloaded",
    504: "timeout",
    524: "timeout",
    529: "overloaded",
}

# Types that say less than a status does, where there is none: OpenAI has the first one for a refused key as well.
_BY_TYPE: dict[str, Kind] = {
    "invalid_request_error": "invalid_request",
    "permission_error": "permission",
    "not_found_error": "not_found",
    "rate_limit_error": "rate_limit",
    "overloaded_error": "overloaded",
}

# Words by which hosts say what their status and code do not. The first match wins.
_BY_WORDS: tuple[tuple[str, Kind], ...] = (
    (
        r"context[ _](length|size|window)|maximum context|prompt is too long|prompt too long"
        r"|too many tokens(?!, please wait)|too_many_prompt_tokens"
        r"|total length of all messages is too long|exceeds? the (available )?context"
        r"|input is too long|input tokens exceeded",
        "context_length",
    ),
    (r"insufficient[ _](quota|funds|credit|balance)|exceeded your current quota|credit balance", "billing"),
    (r"content[ _]filter|content management policy|content_policy_violation", "content_filter"),
    (r"(incorrect|invalid) api[ _-]?key|api key (is )?(invalid|not valid)|authentication failed", "authentication"),
    (
        r"model.{0,80}(does not exist|not found|is not available)|no such model|supported api model names"
        r"|model identifier is invalid",
        "not_found",
    ),
)
_WORDS_MATTER: frozenset[str] = frozenset({"invalid_request", "rate_limit", "server", "permission"})


@frozen
class Said:
    """The words of an error body.

    Args:
        message: For people.
        code: The body's own code.
        type: The body's own type of error.
        request_id: The provider's id of the request.
    """

    message: str | None = None
    code: str | None = None
    type: str | None = None
    request_id: str | None = None


def status_kind(status: int | None) -> Kind:
    """Return the kind of error that an HTTP status alone says."""
    if status is None:
        return "server"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "server" if status >= 500 else "invalid_request"


def worded_kind(kind: Kind, said: Said) -> Kind:
    """Return a more precise kind where the words say one and `kind` is one of the vague ones."""
    if kind in _WORDS_MATTER:
        words = f"{said.code} {said.type} {said.message}"
        for pattern, precise in _BY_WORDS:
            if re.search(pattern, words, re.IGNORECASE):
                return precise
    return kind


def read_body(body: object) -> Said:
    """Return what a decoded error body says, of any form; empty where it says nothing."""
    if isinstance(body, list):
        return next((said for said in map(read_body, body) if said.message), Said())
    if isinstance(body, str):
        return Said(body or None)
    if not isinstance(body, dict):
        return Said()
    inner = body.get("error")
    request_id = _text(body.get("request_id"))
    if isinstance(inner, dict):
        message = _message(inner) or _message(body)
        return Said(message, _text(inner.get("code")), _text(inner.get("type") or inner.get("status")), request_id)
    message = _text(inner) if isinstance(inner, str) else _message(body)
    return Said(message, _text(body.get("code")), _text(body.get("type") or body.get("error_type")), request_id)


def _message(body: Mapping[str, Any]) -> str | None:
    for name in ("message", "Message", "detail", "msg", "error_description", "errors"):
        value = body.get(name)
        if isinstance(value, str) and value:
            return value
        if value and isinstance(value, (dict, list)):
            return jsontext.encode_text(value)[:_SNIPPET]
    return None


def _text(value: object) -> str | None:
    return None if value is None or isinstance(value, (dict, list)) else str(value)


def snippet(body: bytes) -> str:
    """Return the start of a body, as text, for an error message."""
    text = body[: _SNIPPET * 4].decode("utf-8", "replace")
    text = " ".join(text.split())
    return text if len(text) <= _SNIPPET else text[: _SNIPPET - 1] + "…"


def http_error(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    kinds: Mapping[str, Kind],
    request_id_header: str,
    *,
    named: str | None = None,
) -> LlmError:
    """Return the error that an HTTP answer says.

    Args:
        status: The HTTP status.
        headers: The answer's headers, by name without regard to case.
        body: The answer's body as received.
        kinds: Kinds by the provider's own code or type.
        request_id_header: The header with the provider's id of the request.
        named: The provider's own type of the error, where the body does not say it.
    """
    try:
        decoded = jsontext.decode(body) if body else None
    except ValueError:
        decoded = None
    said = read_body(decoded)
    types = (named, said.code, said.type)
    kind = next((kinds[name] for name in types if name is not None and name in kinds), None) or status_kind(status)
    message = said.message or _unreadable(status, headers, body)
    return LlmError(
        message=message,
        kind=worded_kind(kind, said) if said.message else kind,
        status=status,
        code=named or said.code or said.type,
        request_id=said.request_id or headers.get(request_id_header),
        body=None if said.message else snippet(body) or None,
    )


def _unreadable(status: int, headers: Mapping[str, str], body: bytes) -> str:
    kind = headers.get("content-type") or "no content type"
    if not body:
        return f"HTTP {status} with an empty body"
    return f"HTTP {status} with a body that is no error object ({kind}): {snippet(body)}"


def body_error(body: Mapping[str, Any], kinds: Mapping[str, Kind]) -> LlmError:
    """Return the error that the body of an HTTP 200 holds; a numeric code in it counts as the status."""
    said = read_body(body)
    code = said.code or ""
    inner = body.get("error")
    told = inner.get("status_code") if isinstance(inner, dict) else None  # Groq says it beside a code in words
    status = next((int(n) for n in (code, str(told)) if n.isdigit() and 400 <= int(n) <= 599), None)
    kind = kinds.get(code) or kinds.get(said.type or "")
    if kind is None:
        kind = status_kind(status) if status is not None else _BY_TYPE.get(said.type or "", "server")
    return LlmError(
        message=said.message or "the provider returned an error without words",
        kind=worded_kind(kind, said),
        status=status,
        code=said.code or said.type,
        request_id=said.request_id,
    )
