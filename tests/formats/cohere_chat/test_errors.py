"""Errors of Cohere: words, and at times a type, beside statuses of which some mean something of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.formats.cohere_chat.recorded import COHERE
from triptych import formats
from triptych.errors import LlmError

WIRE = formats.load(COHERE)
MINUTE = "You are using a Trial key, which is limited to 20 API calls / minute. You can continue to use the Trial key"
MONTH = "You are using a Trial key, which is limited to 1000 API calls / month. You can continue to use the Trial key"


def failed(status: int, body: Any, **headers: str) -> LlmError:
    return WIRE.parse_error(status, headers, json.dumps(body).encode())


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "invalid request: message must not be empty in a turn", "invalid_request"),
        (400, "too many tokens: size limit exceeded by 5 tokens.", "context_length"),
        (401, "invalid api token", "authentication"),
        (402, "please add or update your payment method", "billing"),
        (403, "forbidden", "permission"),
        (404, "model 'm' not found, make sure the correct model ID was used", "not_found"),
        (422, "unknown field", "invalid_request"),
        (429, MINUTE, "rate_limit"),
        (429, MONTH, "billing"),
        (498, "blocked output: please adjust your prompt and try again", "content_filter"),
        (499, "request cancelled", "cancelled"),
        (500, "internal server error, this has been reported to our developers.", "server"),
        (501, "not implemented", "unsupported"),
        (503, "service unavailable", "overloaded"),
        (504, "gateway timeout", "timeout"),
    ],
)
def test_the_status_and_the_words_say_the_kind(status: int, message: str, kind: str) -> None:
    """B162: an allowance that is spent does not come back by waiting."""
    assert failed(status, {"message": message}) == LlmError(message, kind, status=status)  # type: ignore[arg-type]  # a kind


def test_the_type_is_the_code_and_the_trace_id_names_the_request() -> None:
    body = {"id": "i", "message": "size limit exceeded", "error_type": "TOO_MANY_TOKENS"}
    assert failed(400, body, **{"x-debug-trace-id": "t1"}) == LlmError(
        "size limit exceeded", "context_length", status=400, code="TOO_MANY_TOKENS", request_id="t1"
    )


def test_a_page_of_a_proxy_is_quoted() -> None:
    """B155."""
    error = WIRE.parse_error(502, {"content-type": "text/html"}, b"<h1>Bad Gateway</h1>")
    assert (error.kind, error.body) == ("server", "<h1>Bad Gateway</h1>")


def test_an_empty_answer_is_an_error_of_its_status() -> None:
    assert WIRE.parse_error(429, {}, b"") == LlmError("HTTP 429 with an empty body", "rate_limit", status=429)
