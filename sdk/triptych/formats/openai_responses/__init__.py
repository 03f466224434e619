"""OpenAI Responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from triptych.errors import Kind, LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.answering import refused
from triptych.formats.openai_responses.request import build_request, read_request
from triptych.formats.openai_responses.response import parse_response
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.openai_responses import Request, Response

# By `error.code`, else `error.type`: https://developers.openai.com/api/docs/guides/error-codes, and the codes of a
# failed answer; those of pictures that cannot be used are all the request's fault.
_KINDS: Mapping[str, Kind] = {
    "invalid_api_key": "authentication",
    "authentication_error": "authentication",
    "insufficient_quota": "billing",
    "billing_hard_limit_reached": "billing",
    "context_length_exceeded": "context_length",
    "exceed_context_size_error": "context_length",
    "content_filter": "content_filter",
    "content_policy_violation": "content_filter",
    "image_content_policy_violation": "content_filter",
    "bio_policy": "content_filter",
    "misalignment_policy_violation": "content_filter",
    "model_not_found": "not_found",
    "DeploymentNotFound": "not_found",
    "rate_limit_exceeded": "rate_limit",
    "server_error": "server",
    "vector_store_timeout": "timeout",
    "invalid_prompt": "invalid_request",
    "data_residency_mismatch": "invalid_request",
    **dict.fromkeys(
        (
            "invalid_image",
            "invalid_image_format",
            "invalid_base64_image",
            "invalid_image_url",
            "invalid_image_mode",
            "image_too_large",
            "image_too_small",
            "image_parse_error",
            "image_file_too_large",
            "image_file_not_found",
            "unsupported_image_media_type",
            "empty_image_file",
            "failed_to_download_image",
        ),
        "invalid_request",
    ),
}
_FAILED = frozenset({"failed", "cancelled"})


def _failure(body: Mapping[str, Any]) -> LlmError:
    """Return why an answer, or the event of a stream, says that there is no answer."""
    from triptych.formats.error_bodies import body_error  # only when something failed

    if body.get("status") == "cancelled" and not body.get("error"):
        return LlmError("the answer was cancelled at the provider", "cancelled", code="cancelled")
    return body_error(body, _KINDS)


@frozen
class OpenAIResponses(WireFormat):
    """The wire format of OpenAI Responses, as one provider speaks it; see `Format` for the methods."""

    name = "openai_responses"
    fit = ToolFit("OPENAI_NAMES", "OPENAI_STRICT")

    def _build(self, call: Call) -> Built:
        return build_request(call, self.issuer, self.quirks)

    def _read_call(self, body: Request) -> Call:
        return read_request(body, self.issuer, self.quirks)

    def _read(self, body: Response, call: Call | None) -> LlmResponse:
        output: Any = body.get("output")
        if body.get("status") not in _FAILED and not (body.get("error") and not output):
            return parse_response(body, call, self.issuer)
        if "status" not in body:
            return refused(body, _KINDS, self.provider)
        response = parse_response({**body, "output": output or []}, call, self.issuer)
        response.error = _failure(body)
        response.error_message = response.error.message
        return response

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.answering import answer_ids
        from triptych.formats.openai_responses.response import OutputReader
        from triptych.formats.openai_responses.stream import ResponseStreamParser

        return ResponseStreamParser(
            lambda body: self._parsed(body, call),
            _failure,
            lambda answer_id: OutputReader(self.issuer, answer_ids(call, answer_id)),
        )

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.error_bodies import http_error  # only when something failed

        return http_error(status, headers, body, _KINDS, "x-request-id")


__all__ = ["OpenAIResponses"]
