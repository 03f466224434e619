"""Whatever a provider answers to a failed request, it becomes a typed error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.formats.bodies import BOTH
from triptych import formats
from triptych.errors import LlmError

both = pytest.mark.parametrize("name", BOTH)


def error_of(name: str, status: int, body: bytes, **headers: str) -> LlmError:
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return formats.load(name).parse_error(status, named, body)


@both
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([{"error": {"code": 400, "message": "invalid role", "status": "INVALID_ARGUMENT"}}], "invalid role"),
        ({"error": {"message": "m"}}, "m"),
        ({"error": "m"}, "m"),
        ({"message": "m"}, "m"),
        ({"detail": "m"}, "m"),
        ({"detail": [{"loc": ["body"], "msg": "required"}]}, '[{"loc":["body"],"msg":"required"}]'),
        ({"error": {"detail": "m"}}, "m"),
        ({"error": {}, "message": "m"}, "m"),
        ({"errors": [{"message": "m"}]}, '[{"message":"m"}]'),
        ("m", "m"),
        ([{}, {"message": "m"}], "m"),
    ],
    ids=repr,
)
def test_the_words_are_found_in_every_form_of_an_error_body(name: str, body: Any, message: str) -> None:
    """B157."""
    error = error_of(name, 400, json.dumps(body).encode())
    assert (error.kind, error.message, error.status) == ("invalid_request", message, 400)


@both
@pytest.mark.parametrize("body", [b"null", b"7", b"{}", b"[]", b'""', b"[null]", b'{"error": null}', b'{"error": 7}'])
def test_a_body_without_words_is_shown_as_it_is(name: str, body: bytes) -> None:
    """B157."""
    error = error_of(name, 400, body, content_type="application/json")
    shown = body.decode()
    assert error.message == f"HTTP 400 with a body that is no error object (application/json): {shown}"
    assert (error.kind, error.body) == ("invalid_request", shown)


@both
def test_a_page_of_a_proxy_is_a_server_error_that_may_be_tried_again(name: str) -> None:
    """B155."""
    error = error_of(name, 502, b"<html>\n <b>Bad   Gateway</b></html>", content_type="text/html")
    assert error == LlmError(
        "HTTP 502 with a body that is no error object (text/html): <html> <b>Bad Gateway</b></html>",
        "server",
        status=502,
        body="<html> <b>Bad Gateway</b></html>",
    )
    assert error.retryable


@both
@pytest.mark.parametrize("body", [b"\xff\xfe\x00", b"{" * 100_000, b'{"a": ', b"x" * 100_000], ids=len)
def test_a_body_that_is_no_json_is_shown_in_part(name: str, body: bytes) -> None:
    """B155."""
    error = error_of(name, 500, body)
    assert error.message.startswith("HTTP 500 with a body that is no error object (no content type): ")
    assert len(error.message) < 600


@both
@pytest.mark.parametrize("status", [204, 400, 500])
def test_an_empty_body_is_said_to_be_empty(name: str, status: int) -> None:
    """B156."""
    error = error_of(name, status, b"")
    assert (error.message, error.status, error.body) == (f"HTTP {status} with an empty body", status, None)


@both
@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (400, "invalid_request", False),
        (401, "authentication", False),
        (402, "billing", False),
        (403, "permission", False),
        (404, "not_found", False),
        (408, "timeout", True),
        (409, "overloaded", True),
        (413, "invalid_request", False),
        (418, "invalid_request", False),
        (422, "invalid_request", False),
        (429, "rate_limit", True),
        (500, "server", True),
        (502, "server", True),
        (503, "overloaded", True),
        (504, "timeout", True),
        (529, "overloaded", True),
        (599, "server", True),
    ],
)
def test_a_status_alone_says_the_kind(name: str, status: int, kind: str, retryable: bool) -> None:
    error = error_of(name, status, b'{"error": {"message": "no"}}')
    assert (error.kind, error.retryable) == (kind, retryable)


@both
@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "This model's maximum context length is 8192 tokens", "context_length"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "context_length"),
        (500, "request exceeds the available context size", "context_length"),
        (400, "Your credit balance is too low to access the API", "billing"),
        (429, "You exceeded your current quota, please check your plan", "billing"),
        (403, "Insufficient balance", "billing"),
        (400, "The response was filtered due to the content management policy", "content_filter"),
        (400, "API key not valid. Please pass a valid API key.", "authentication"),
        (400, "Incorrect API key provided", "authentication"),
        (400, "The model `x` does not exist", "not_found"),
        (400, "temperature is out of range", "invalid_request"),
        (401, "the context window is closed to you", "authentication"),
    ],
)
def test_the_words_say_a_kind_where_the_status_is_vague(name: str, status: int, message: str, kind: str) -> None:
    assert error_of(name, status, json.dumps({"error": {"message": message}}).encode()).kind == kind


@both
def test_words_in_a_page_that_is_no_error_object_say_nothing(name: str) -> None:
    assert error_of(name, 500, b"<html>the content filter of this proxy</html>").kind == "server"
