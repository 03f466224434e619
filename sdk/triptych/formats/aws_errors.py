"""Errors of Amazon Bedrock: the type stands in a header, or in a stream in the event's name; the body has the words.

Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html and the errors of each operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.errors import Kind, LlmError
from triptych.formats.error_bodies import body_error, http_error

TYPE_HEADER = "x-amzn-errortype"
_ID_HEADER = "x-amzn-requestid"
KINDS: Mapping[str, Kind] = {
    "AccessDeniedException": "permission",
    "ConflictException": "invalid_request",
    "ExpiredTokenException": "authentication",
    "IncompleteSignatureException": "authentication",
    "InternalServerException": "server",
    "InvalidClientTokenId": "authentication",
    "InvalidSignatureException": "authentication",
    "MissingAuthenticationTokenException": "authentication",
    "ModelErrorException": "server",
    "ModelNotReadyException": "overloaded",
    "ModelStreamErrorException": "server",
    "ModelTimeoutException": "timeout",
    "RequestTimeoutException": "timeout",
    "ResourceNotFoundException": "not_found",
    "ServiceQuotaExceededException": "rate_limit",
    "ServiceUnavailableException": "overloaded",
    "ThrottlingException": "rate_limit",
    "UnrecognizedClientException": "authentication",
    "ValidationException": "invalid_request",
}


def read_error(status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
    """Return what the answer to a failed request says."""
    # The header also names the service's own namespace: "ThrottlingException:http://…", or "com.amazon…#Throttling…".
    name = (headers.get(TYPE_HEADER) or "").partition(":")[0].rpartition("#")[2]
    return http_error(status, headers, body, KINDS, _ID_HEADER, named=name or None)


def read_exception(event: Mapping[str, Any]) -> LlmError:
    """Return the error that an exception of a stream says: `{"throttlingException": {"message": …}}`."""
    name = next((name for name in event if name.endswith("Exception")), None)
    if name is None:
        return body_error(event, KINDS)
    said: Any = event[name]
    words = said.get("message") or said.get("originalMessage") if isinstance(said, dict) else None
    error = {"code": name[:1].upper() + name[1:]}
    return body_error({"error": {**error, "message": words} if words else error}, KINDS)
