"""What the errors of Cohere's API mean: some statuses mean something of their own here.

Reference: https://docs.cohere.com/reference/errors
"""

from __future__ import annotations

from triptych.formats.error_bodies import ErrorTable

# By `error_type`, as answers have it.
TABLE = ErrorTable(
    "cohere_chat",
    {"TOO_MANY_TOKENS": "context_length", "INVALID_TOOL_GENERATION": "invalid_request"},
    "x-debug-trace-id",
    {498: "content_filter", 499: "cancelled"},
)
