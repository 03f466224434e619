"""Errors of the Responses API: codes, else types, else the status and the words."""

from __future__ import annotations

import json

import pytest

from tests.formats.openai_responses.recorded import RESPONSES
from triptych import formats


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "invalid_api_key", "authentication"),
        (429, "insufficient_quota", "billing"),
        (429, "rate_limit_exceeded", "rate_limit"),
        (400, "context_length_exceeded", "context_length"),
        (404, "model_not_found", "not_found"),
        (404, "DeploymentNotFound", "not_found"),
        (400, "previous_response_not_found", "invalid_request"),
        (400, "image_parse_error", "invalid_request"),
        (500, "server_error", "server"),
        (503, None, "overloaded"),
    ],
)
def test_the_code_says_the_kind_else_the_status(status: int, code: str | None, kind: str) -> None:
    said = {"error": {"message": "It broke.", "type": "invalid_request_error", "param": "input", "code": code}}
    error = formats.load(RESPONSES).parse_error(status, {"x-request-id": "req_1"}, json.dumps(said).encode())
    assert (error.kind, error.status, error.message, error.request_id) == (kind, status, "It broke.", "req_1")
    assert error.code == (code or "invalid_request_error")


def test_a_page_of_a_proxy_is_quoted() -> None:
    """B155."""
    error = formats.load(RESPONSES).parse_error(502, {"content-type": "text/html"}, b"<h1>Bad Gateway</h1>")
    assert (error.kind, error.body) == ("server", "<h1>Bad Gateway</h1>")
