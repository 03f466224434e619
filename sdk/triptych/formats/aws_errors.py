"""Errors of Amazon Bedrock: the type stands in a header, or in a stream in the event's name; the body has the words.

Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html and the errors of each operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.errors import Kind, LlmError
from triptych.formats.error_bodies import ErrorTable, body_error, http_error

TYPE_HEADER = "x-amzn-errortype"
KINDS: Mapping[str, Kind] = {
    "AccessDeniedException": "permission",
    "ConflictException": "invalid_request",
    "ExpiredToken": "authentication",
    "ExpiredTokenException": "authentication",
    "IncompleteSignature": "authentication",
    "IncompleteSignatureException": "authentication",
    "InternalFailure": "server",
    "InternalServerException": "server",
    "InvalidClientTokenId": "authentication",
    "InvalidSignatureException": "authentication",
    "MPAgreementBeingCreated": "overloaded",
    "MissingAuthenticationToken": "authentication",
    "MissingAuthenticationTokenException": "authentication",
    "ModelErrorException": "server",
    "ModelNotReadyException": "overloaded",
    "ModelStreamErrorException": "server",
    "ModelTimeoutException": "timeout",
    "NotAuthorized": "permission",
    "OptInRequired": "permission",
    "RequestExpired": "authentication",
    "RequestTimeoutException": "timeout",
    "ResourceNotFoundException": "not_found",
    "SerializationException": "invalid_request",
    "ServiceQuotaExceededException": "rate_limit",
    "ServiceUnavailable": "overloaded",
    "ServiceUnavailableException": "overloaded",
    "SignatureDoesNotMatch": "authentication",
    "Throttling": "rate_limit",
    "ThrottlingException": "rate_limit",
    "TooManyRequestsException": "rate_limit",
    "UnknownOperationException": "not_found",
    "UnrecognizedClientException": "authentication",
    "ValidationError": "invalid_request",
    "ValidationException": "invalid_request",
}
TABLE = ErrorTable("bedrock_converse", KINDS, "x-amzn-requestid")


def read_error(status: int, headers: Mapping[str, str], body: bytes, host: str | None = None) -> LlmError:
    """Return what the answer to a failed request says."""
    # The header also names the service's own namespace: "ThrottlingException:http://…", or "com.amazon…#Throttling…".
    name = (headers.get(TYPE_HEADER) or "").partition(":")[0].rpartition("#")[2].strip()
    return http_error(status, headers, body, TABLE, host=host, named=name[:200] or None)


def read_exception(event: Mapping[str, Any]) -> LlmError:
    """Return the error that an exception of a stream says: `{"throttlingException": {"message": …}}`."""
    name = next((name for name in event if name.endswith("Exception")), None)
    if name is None:
        return body_error(event, TABLE)
    said: Any = event[name]
    words = said.get("message") or said.get("originalMessage") if isinstance(said, dict) else None
    error = {"code": name[:1].upper() + name[1:]}
    return body_error({"error": {**error, "message": words} if words else error}, TABLE)
