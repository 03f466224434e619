"""Errors of OpenAI Chat Completions and of the hosts that speak it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.formats.bodies import OPENAI
from triptych import formats
from triptych.errors import LlmError


@pytest.mark.parametrize(
    ("status", "error", "kind", "code"),
    [
        (401, {"type": "invalid_request_error", "code": "invalid_api_key"}, "authentication", "invalid_api_key"),
        (429, {"type": "insufficient_quota", "code": "insufficient_quota"}, "billing", "insufficient_quota"),
        (429, {"type": "requests", "code": "rate_limit_exceeded"}, "rate_limit", "rate_limit_exceeded"),
        (400, {"code": "context_length_exceeded"}, "context_length", "context_length_exceeded"),
        (400, {"type": "exceed_context_size_error", "code": 400}, "context_length", "exceed_context_size_error"),
        (400, {"code": "content_filter"}, "content_filter", "content_filter"),
        (404, {"code": "model_not_found"}, "not_found", "model_not_found"),
        (404, {"code": "DeploymentNotFound"}, "not_found", "DeploymentNotFound"),
        (500, {"type": "server_error", "code": None}, "server", "server_error"),
        (400, {"type": "invalid_request_error", "code": "novel"}, "invalid_request", "novel"),
    ],
)
def test_the_code_or_the_type_says_the_kind(status: int, error: Any, kind: Any, code: str) -> None:
    body = json.dumps({"error": {"message": "no", **error}}).encode()
    expected = LlmError("no", kind, status=status, code=code, request_id="req_1")
    assert formats.load(OPENAI).parse_error(status, {"x-request-id": "req_1"}, body) == expected
