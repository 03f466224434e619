"""Errors of Google's APIs: a status in words, and details that say more than it does.

Reference: https://ai.google.dev/gemini-api/docs/troubleshooting, https://google.aip.dev/193 (the details),
https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from triptych.errors import Kind, LlmError

STATUSES: Mapping[str, Kind] = {
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
    "ACCESS_TOKEN_SCOPE_INSUFFICIENT": "permission",
    "ACCESS_TOKEN_TYPE_UNSUPPORTED": "authentication",
    "ACCOUNT_STATE_INVALID": "authentication",
    "CREDENTIALS_MISSING": "authentication",
    "API_KEY_HTTP_REFERRER_BLOCKED": "permission",
    "API_KEY_IP_ADDRESS_BLOCKED": "permission",
    "API_KEY_SERVICE_BLOCKED": "permission",
    "CONSUMER_INVALID": "permission",
    "CONSUMER_SUSPENDED": "permission",
    "IAM_PERMISSION_DENIED": "permission",
    "SERVICE_DISABLED": "permission",
    "USER_PROJECT_DENIED": "permission",
    "BILLING_DISABLED": "billing",
    "MODEL_CAPACITY_EXHAUSTED": "overloaded",
    "QUOTA_EXHAUSTED": "rate_limit",
    "RATE_LIMIT_EXCEEDED": "rate_limit",
    "RESOURCE_QUOTA_EXCEEDED": "rate_limit",
}
# Words of a used-up quota that do mean money: those of every other quota speak of a plan and of billing, too.
_SPENT = re.compile(r"credits|limit: 0\b|spend", re.IGNORECASE)
_SECONDS = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s\Z")


def refined(error: LlmError, said: Mapping[str, Any]) -> LlmError:
    """Return an error with what the API's own details say beyond the neutral reading of it.

    Args:
        error: What the neutral reading says.
        said: The error object.
    """
    told = said.get("details")
    details = [detail for detail in told if isinstance(detail, dict)] if isinstance(told, list) else []
    changes: dict[str, Any] = {}
    if said.get("status") == "RESOURCE_EXHAUSTED" and error.kind == "billing" and not _SPENT.search(error.message):
        changes["kind"] = "rate_limit"
    for detail in details:
        reason = detail.get("reason")
        if isinstance(reason, str) and reason in _REASONS:
            changes |= {"kind": _REASONS[reason], "code": reason}
    error = error.evolve(**changes) if changes else error
    return _with_quota(error, details) if error.kind == "rate_limit" else error


def _with_quota(error: LlmError, details: list[dict[str, Any]]) -> LlmError:
    """Return a refused call's error with the time to wait.

    The quota of a day is none to wait for: with it the API tells a wait of seconds, after which it is used up still.
    """
    violations = [detail.get("violations") for detail in details]
    quotas = [
        f"{violation.get('quotaId')}"
        for each in violations
        if isinstance(each, list)
        for violation in each
        if isinstance(violation, dict)
    ]
    waits = [_SECONDS.match(str(detail.get("retryDelay"))[:40]) for detail in details]
    seconds = next((float(found[1]) for found in waits if found), None)
    if any("PerDay" in quota for quota in quotas) or error.code == "QUOTA_EXHAUSTED":
        return error.evolve(retryable=False)
    return error if seconds is None else error.evolve(retry_after=seconds)
