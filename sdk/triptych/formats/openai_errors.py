"""Errors of OpenAI's APIs and of the many hosts that speak them: by `error.code`, else `error.type`.

References: https://developers.openai.com/api/docs/guides/error-codes and https://platform.kimi.com/docs/api/errors,
https://openrouter.ai/docs/api/reference/errors-and-debugging, https://inference-docs.cerebras.ai/support/error,
https://www.alibabacloud.com/help/en/model-studio/error-code, https://docs.z.ai/api-reference/api-code,
https://developers.cloudflare.com/workers-ai/platform/errors, https://console.groq.com/docs/errors,
https://docs.sambanova.ai/docs/en/api-reference/using-the-api/api-error-codes, https://docs.vllm.ai,
https://learn.microsoft.com/azure/foundry/openai/how-to/troubleshoot-errors
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from triptych.errors import Kind

_CODES: Mapping[Kind, str] = {
    "authentication": """
        invalid_api_key incorrect_api_key_error invalid_authentication_error authentication_error wrong_api_key
        missing_api_key token_expired account_deactivated authentication_type_disabled unauthorized unauthenticated
    """,
    "permission": """
        permission_denied permission_denied_error permission_error insufficient_permissions access_denied
        access_denied_error model_access_denied unsupported_country_region_territory ip_not_authorized no_access
        organization_restricted model_terms_required
    """,
    "billing": """
        insufficient_quota billing_hard_limit_reached billing_not_active credit_balance_exhausted
        organization_spend_limit_exceeded organization_usage_limit_exceeded project_spend_limit_exceeded
        exceeded_current_quota_error insufficient_funds insufficient_credits insufficient_balance not_enough_balance
        payment_required customer_verification_required free_tier_model_not_available budget_exceeded
        openrouter_credits openrouter_key_limit arrearage prepaid_bill_overdue postpaid_bill_overdue
        commodity_not_purchased access_denied_unpurchased allocation_quota_free_tier_only
        allocation_quota_free_exceeded
    """,
    "context_length": """
        context_length_exceeded exceed_context_size_error too_many_prompt_tokens tokens_limit_reached
    """,
    "content_filter": """
        content_filter content_policy_violation responsible_aipolicy_violation data_inspection_failed
        moderation_blocked image_content_policy_violation bio_policy cyber_policy cyber_policy_violation
        misalignment_policy_violation
    """,
    "not_found": """
        model_not_found deployment_not_found model_not_supported model_not_available unknown_model invalid_model
        not_found_error resource_not_found_error resource_not_found resource_does_not_exist endpoint_not_found
    """,
    "rate_limit": """
        rate_limit_exceeded rate_limit_reached rate_limit_reached_error rate_limit_error limit_requests
        limit_burst_rate throttling throttling_rate_quota throttling_burst_rate throttling_allocation_quota
        request_limit_exceeded too_many_requests request_quota_exceeded token_quota_exceeded slow_down
        openrouter_in_flight_budget
    """,
    "overloaded": """
        engine_overloaded_error overloaded_error overloaded server_is_overloaded server_overloaded
        service_unavailable service_unavailable_error provider_overloaded capacity_exceeded queue_exceeded
        unavailable_error temporarily_unavailable no_capacity
    """,
    "server": "server_error internal_server_error internal_error",
    "timeout": "vector_store_timeout request_timeout response_timeout request_time_out",
    "unsupported": "not_supported_error",
    "invalid_request": """
        invalid_prompt data_residency_mismatch invalid_image invalid_image_format invalid_base64_image
        invalid_image_url invalid_image_mode image_too_large image_too_small image_parse_error image_file_too_large
        image_file_not_found unsupported_image_media_type empty_image_file failed_to_download_image
    """,
}
# Z.ai's codes, which have numbers.
_ZAI: Mapping[Kind, str] = {
    "authentication": "1000 1001 1002 1003 1004 1111",
    "permission": "1110 1112 1121 1220 1311 1313",
    "billing": "1113 1309 1316",
    "invalid_request": "1210 1212 1213 1214 1215",
    "not_found": "1211 1221 1222",
    "server": "1120 1230 1234",
    "context_length": "1261",
    "content_filter": "1300 1301",
    "rate_limit": "1302 1303 1304 1308 1310",
    "overloaded": "1305 1312",
}
_CLOUDFLARE: Mapping[Kind, str] = {
    "authentication": "10000 10001",
    "permission": "3023 3041 5016 5018",
    "not_found": "3042 5007",
    "rate_limit": "3036",
    "overloaded": "3040",
    "timeout": "3007 3008",
    "context_length": "3006",
}


def _by_code(kinds: Mapping[Kind, str]) -> Mapping[str, Kind]:
    def pairs() -> Iterator[tuple[str, Kind]]:
        for kind, codes in kinds.items():
            yield from ((code, kind) for code in codes.split())

    return dict(pairs())


KINDS = _by_code(_CODES)
HOSTS: Mapping[str, Mapping[str, Kind]] = {
    "zai": _by_code(_ZAI),
    "cloudflare": _by_code(_CLOUDFLARE),
    # What OpenAI calls used-up credit is here the limit of a minute's tokens.
    "dashscope": {"insufficient_quota": "rate_limit"},
}
