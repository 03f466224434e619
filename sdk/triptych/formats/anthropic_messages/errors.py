"""Errors of Anthropic Messages: by `error.details.error_code`, else `error.type`.

Reference: https://platform.claude.com/docs/en/api/errors, and the error types of the official package.
"""

from __future__ import annotations

from triptych.formats.error_bodies import ErrorTable

TABLE = ErrorTable(
    "anthropic_messages",
    {
        "invalid_request_error": "invalid_request",
        "authentication_error": "authentication",
        "billing_error": "billing",
        "permission_error": "permission",
        "not_found_error": "not_found",
        "conflict_error": "overloaded",
        "request_too_large": "context_length",
        "rate_limit_error": "rate_limit",
        "timeout_error": "timeout",
        "api_error": "server",
        "overloaded_error": "overloaded",
        "contract_spend_limit_reached": "billing",
        "enforced_spend_limit_reached": "billing",
        "linked_organization_billing_unavailable": "billing",
        "linked_organization_spend_limit_reached": "billing",
        "organization_on_hold": "permission",
        "ramp_limit_exceeded": "rate_limit",
        "request_body_timeout": "timeout",
        "request_body_too_large_after_decoding": "context_length",
    },
    "request-id",
)
