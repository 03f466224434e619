"""Errors of Google's APIs: a status in words, and details that say more than it does.

Reference: https://ai.google.dev/gemini-api/docs/troubleshooting, https://google.aip.dev/193 (the details)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from triptych import jsontext
from triptych.errors import Kind, LlmError
from triptych.formats.error_bodies import body_error, http_error

_KINDS: Mapping[str, Kind] = {
    "INVALID_ARGUMENT": "invalid_request",
    "FAILED_PRECONDITION": "invalid_request",
    "OUT_OF_RANGE": "invalid_request",
    "ALREADY_EXISTS": "invalid_request",
    "UNIMPLEMENTED": "unsupported",
    "UNAUTHENTICATED": "authentication",
    "PERMISSION_DENIED": "permission",
    "NOT_FOUND": "not_found",
    "RESOURCE_EXHAUSTED": "rate_limit",
    "ABORTED": "overloaded",
    "UNAVAILABLE": "overloaded",
    "DEADLINE_EXCEEDED": "timeout",
    "CANCELLED": "server",
    "INTERNAL": "server",
    "UNKNOWN": "server",
    "DATA_LOSS": "server",
}
# By the reason in the details.
_REASONS: Mapping[str, Kind] = {
    "API_KEY_INVALID": "authentication",
    "ACCESS_TOKEN_EXPIRED": "authentication",
    "ACCESS_TOKEN_TYPE_UNSUPPORTED": "authentication",
    "CREDENTIALS_MISSING": "authentication",
    "BILLING_DISABLED": "billing",
    "SERVICE_DISABLED": "permission",
    "RATE_LIMIT_EXCEEDED": "rate_limit",
}
_TOO_LONG = re.compile(
    r"input token count.{0,60}exceeds the maximum|exceeds the maximum number of (input )?tokens", re.I
)
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)s\Z")


def read_error(status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
    """Return what the answer to a failed request says: any status, any body."""
    return _refined(http_error(status, headers, body, _KINDS, "x-request-id"), _decoded(body))


def read_error_body(body: Mapping[str, Any]) -> LlmError:
    """Return the error that a body or chunk of a successful answer holds."""
    return _refined(body_error(body, _KINDS), body)


def _decoded(body: bytes) -> Any:
    try:
        return jsontext.decode(body)
    except ValueError:
        return None


def _refined(error: LlmError, body: Any) -> LlmError:
    """Return an error with what the API's own words and details say beyond the neutral reading of it."""
    said = body[0] if isinstance(body, list) and body else body
    inner = said.get("error") if isinstance(said, dict) else None
    if not isinstance(inner, dict):
        return error
    details = [detail for detail in inner.get("details") or [] if isinstance(detail, dict)]
    code = inner.get("status")
    changes: dict[str, Any] = {"code": code} if isinstance(code, str) else {}
    if code == "RESOURCE_EXHAUSTED" and error.kind == "billing":
        changes["kind"] = "rate_limit"  # its words for a limit per minute speak of a plan and of billing
    if error.kind == "invalid_request" and _TOO_LONG.search(error.message):
        changes["kind"] = "context_length"
    for detail in details:
        if detail.get("reason") in _REASONS:
            changes |= {"kind": _REASONS[detail["reason"]], "code": detail["reason"]}
    error = error.evolve(**changes)
    return _with_quota(error, details) if error.kind == "rate_limit" else error


def _with_quota(error: LlmError, details: list[dict[str, Any]]) -> LlmError:
    """Return a refused call's error with the time to wait; a quota of the day is none to wait for."""
    quotas = [
        str(violation.get("quotaId"))
        for detail in details
        for violation in detail.get("violations") or []
        if isinstance(violation, dict)
    ]
    waits = [_SECONDS.match(str(detail.get("retryDelay"))) for detail in details]
    seconds = next((float(found[1]) for found in waits if found), None)
    if any("PerDay" in quota for quota in quotas):
        return error.evolve(retryable=False)
    return error if seconds is None else error.evolve(retry_after=seconds)
