"""Errors of Bedrock: a type in a header, words in the body."""

from __future__ import annotations

import json

import pytest

from tests.formats.bedrock_converse.recorded import BEDROCK
from triptych import formats
from triptych.errors import LlmError

CORAL = ":http://internal.amazon.com/coral/com.amazon.bedrock/"


@pytest.mark.parametrize(
    ("status", "name", "message", "kind"),
    [
        (429, "ThrottlingException", "Too many tokens, please wait before trying again.", "rate_limit"),
        (429, "ModelNotReadyException", "Model is not ready for inference.", "overloaded"),
        (400, "ServiceQuotaExceededException", "Your account has reached its quota.", "rate_limit"),
        (400, "ValidationException", "The text field in the ContentBlock object is blank.", "invalid_request"),
        (400, "ValidationException", "Input is too long for requested model.", "context_length"),
        (400, "ValidationException", "prompt is too long: 208310 tokens > 200000 maximum", "context_length"),
        (400, "ValidationException", "The provided model identifier is invalid.", "not_found"),
        (403, "AccessDeniedException", "You don't have access to the model with this id.", "permission"),
        (403, "AccessDeniedException", "Authentication failed: make sure your API Key is valid.", "authentication"),
        (403, "ExpiredTokenException", "The security token included in the request is expired", "authentication"),
        (403, "UnrecognizedClientException", "The security token is invalid.", "authentication"),
        (403, "InvalidSignatureException", "The request signature does not match.", "authentication"),
        (404, "ResourceNotFoundException", "Model not found.", "not_found"),
        (408, "ModelTimeoutException", "Model has timed out.", "timeout"),
        (424, "ModelErrorException", "The system encountered an unexpected error.", "server"),
        (500, "InternalServerException", "The system encountered an unexpected error.", "server"),
        (503, "ServiceUnavailableException", "Bedrock is unable to process your request.", "overloaded"),
        (418, "NovelException", "so", "invalid_request"),
    ],
)
def test_the_type_in_the_header_says_the_kind(status: int, name: str, message: str, kind: str) -> None:
    headers = {"x-amzn-errortype": name + CORAL, "x-amzn-requestid": "r"}
    error = formats.load(BEDROCK).parse_error(status, headers, json.dumps({"message": message}).encode())
    assert error == LlmError(message, kind, status=status, code=name, request_id="r")  # type: ignore[arg-type]  # a kind


def test_a_type_has_its_namespace_taken_off_and_words_are_found_under_either_spelling() -> None:
    headers = {"x-amzn-errortype": "com.amazon.coral.availability#ThrottlingException"}
    error = formats.load(BEDROCK).parse_error(400, headers, b'{"Message": "Rate exceeded"}')
    assert error == LlmError("Rate exceeded", "rate_limit", status=400, code="ThrottlingException")


def test_without_a_type_the_status_says_the_kind() -> None:
    body = b'{"message": "Too many tokens, please wait before trying again."}'
    assert formats.load(BEDROCK).parse_error(429, {}, body).kind == "rate_limit"


def test_a_page_of_a_proxy_is_quoted() -> None:
    """B155."""
    error = formats.load(BEDROCK).parse_error(502, {"content-type": "text/html"}, b"<h1>Bad Gateway</h1>")
    assert (error.kind, error.body) == ("server", "<h1>Bad Gateway</h1>")
