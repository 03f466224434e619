"""Errors of Mistral's API: by `type`, as answers have it, else by a number in `code`.

References: https://docs.mistral.ai/api, https://github.com/tmc/langchaingo/issues/1233,
https://github.com/raycast/extensions/issues/31107
"""

from __future__ import annotations

from triptych.formats.error_bodies import ErrorTable

TABLE = ErrorTable(
    "mistral_chat",
    {
        "invalid_model": "not_found",
        "rate_limited": "rate_limit",
        "service_tier_capacity_exceeded": "overloaded",
        "unreachable_backend": "overloaded",
        "internal_server_error": "server",
        "1300": "rate_limit",
        "3505": "overloaded",
    },
    "mistral-correlation-id",
)
