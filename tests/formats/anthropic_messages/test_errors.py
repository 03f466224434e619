"""Errors of Anthropic Messages."""

from __future__ import annotations

import pytest

from tests.formats.bodies import ANTHROPIC, error_body
from triptych import formats
from triptych.errors import LlmError


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "invalid_request_error", "invalid_request"),
        (401, "authentication_error", "authentication"),
        (402, "billing_error", "billing"),
        (403, "permission_error", "permission"),
        (404, "not_found_error", "not_found"),
        (409, "conflict_error", "overloaded"),
        (413, "request_too_large", "context_length"),
        (429, "rate_limit_error", "rate_limit"),
        (500, "api_error", "server"),
        (504, "timeout_error", "timeout"),
        (529, "overloaded_error", "overloaded"),
        (400, "novel_error", "invalid_request"),
    ],
)
def test_the_type_says_the_kind(status: int, code: str, kind: str) -> None:
    error = formats.load(ANTHROPIC).parse_error(status, {"request-id": "req_1"}, error_body(code, "no"))
    assert error == LlmError("no", kind, status=status, code=code, request_id="req_1")  # type: ignore[arg-type]  # a kind


def test_the_id_in_the_body_comes_before_that_of_the_header() -> None:
    body = b'{"type":"error","error":{"type":"api_error","message":"no"},"request_id":"req_body"}'
    assert formats.load(ANTHROPIC).parse_error(500, {"request-id": "req_header"}, body).request_id == "req_body"


def test_a_prompt_that_is_too_long_is_told_from_other_wrong_requests() -> None:
    body = error_body("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
    assert formats.load(ANTHROPIC).parse_error(400, {}, body).kind == "context_length"


def test_the_error_of_a_platform_that_serves_the_format_is_read_too() -> None:
    error = formats.load(ANTHROPIC).parse_error(403, {}, b'{"message": "no access to the model"}')
    assert error == LlmError("no access to the model", "permission", status=403)
