"""Errors of Cohere's API: by HTTP status, and of answers that broke off.

Reference: https://docs.cohere.com/reference/errors
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from triptych.errors import Kind, LlmError

# By `error_type`, as answers have it.
KINDS: Mapping[str, Kind] = {
    "TOO_MANY_TOKENS": "context_length",
    "INVALID_TOOL_GENERATION": "invalid_request",
}
# Statuses that mean something of their own here.
_STATUSES: Mapping[int, Kind] = {498: "content_filter", 499: "cancelled", 501: "invalid_request"}
# Reasons of an answer that failed, and what each means where no words say more.
_FAILED: Mapping[object, Kind] = {"ERROR": "server", "TIMEOUT": "timeout"}
# A trial key's allowance of a month does not come back by waiting, unlike that of a minute.
_SPENT = re.compile(r"calls ?/ ?month", re.IGNORECASE)


def http_failure(status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
    """Return what the answer to a failed request says."""
    from triptych.formats.error_bodies import http_error  # only when something failed

    error = http_error(status, headers, body, KINDS, "x-debug-trace-id")
    if status in _STATUSES and error.code not in KINDS:
        return error.evolve(kind=_STATUSES[status])
    return error.evolve(kind="billing") if error.kind == "rate_limit" and _SPENT.search(error.message) else error


def failure(said: Mapping[str, Any]) -> LlmError | None:
    """Return why an answer failed, or None where it did not.

    Args:
        said: What has the reason why the answer ended: the answer, or the last event of a stream of it.
    """
    reason = said.get("finish_reason")
    if reason not in _FAILED and not said.get("error"):
        return None
    from triptych.formats.error_bodies import body_error  # as above

    words = said.get("error") or f"the answer ended with {reason}, and no word why"
    error = body_error({"error": words, "type": said.get("error_type")}, KINDS)
    return error.evolve(kind=_FAILED[reason]) if error.kind == "server" and reason in _FAILED else error
