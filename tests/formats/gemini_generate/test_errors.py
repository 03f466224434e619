"""Errors of Google's APIs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.formats.gemini_generate.recorded import GEMINI
from triptych import formats

RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
QUOTA_WORDS = "You exceeded your current quota, please check your plan and billing details."

TOO_LONG = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."


def quota(name: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": name}]}


def error(status: int, name: str, message: str = "m", details: Any = ()) -> Any:
    body = {"error": {"code": status, "message": message, "status": name, "details": list(details)}}
    return formats.load(GEMINI, "gemini").parse_error(status, {}, json.dumps(body).encode())


@pytest.mark.parametrize(
    ("details", "retryable", "retry_after"),
    [
        ([], True, None),
        ([RETRY], True, 34.5),
        ([quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"), RETRY], True, 34.5),
        ([quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), RETRY], False, None),
        ([quota("x"), {"retryDelay": "soon"}, "stray"], True, None),
    ],
    ids=["bare", "wait", "minute", "day", "odd"],
)
def test_a_quota_says_whether_and_when_to_try_again(details: Any, retryable: bool, retry_after: Any) -> None:
    refused = error(429, "RESOURCE_EXHAUSTED", QUOTA_WORDS, details)
    assert (refused.kind, refused.code) == ("rate_limit", "RESOURCE_EXHAUSTED")
    assert (refused.retryable, refused.retry_after) == (retryable, retry_after)


@pytest.mark.parametrize(
    ("given", "kind", "code"),
    [
        ((400, "INVALID_ARGUMENT", "m", [{"reason": "API_KEY_INVALID"}]), "authentication", "API_KEY_INVALID"),
        ((403, "PERMISSION_DENIED", "m", [{"reason": "BILLING_DISABLED"}]), "billing", "BILLING_DISABLED"),
        ((400, "INVALID_ARGUMENT", TOO_LONG), "context_length", "INVALID_ARGUMENT"),
        ((500, "INTERNAL"), "server", "INTERNAL"),
        ((503, "UNAVAILABLE"), "overloaded", "UNAVAILABLE"),
        ((504, "DEADLINE_EXCEEDED"), "timeout", "DEADLINE_EXCEEDED"),
    ],
)
def test_a_status_in_words_and_its_details_give_the_kind(given: Any, kind: str, code: str) -> None:
    refused = error(*given)
    assert (refused.kind, refused.code, refused.status) == (kind, code, given[0])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([{"error": {"code": 400, "message": "invalid role", "status": "INVALID_ARGUMENT"}}], "invalid role"),
        ({"error": "words"}, "words"),
        ({"message": "words"}, "words"),
        ([], "HTTP 400 with a body that is no error object (no content type): []"),
        (None, "HTTP 400 with a body that is no error object (no content type): null"),
        (5, "HTTP 400 with a body that is no error object (no content type): 5"),
    ],
)
def test_an_error_of_any_form_is_read(body: Any, message: str) -> None:
    """B157."""
    refused = formats.load(GEMINI).parse_error(400, {}, json.dumps(body).encode())
    assert (refused.kind, refused.message) == ("invalid_request", message)
