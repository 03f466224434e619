"""OpenAI Chat Completions, and the many hosts that speak it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from triptych.errors import Kind, LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.answering import refused
from triptych.formats.openai_chat.request import build_request, read_request
from triptych.formats.openai_chat.response import parse_response
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.openai_chat import Request, Response

# By `error.code`, else `error.type`: https://platform.openai.com/docs/guides/error-codes, and what hosts add.
_KINDS: Mapping[str, Kind] = {
    "invalid_api_key": "authentication",
    "authentication_error": "authentication",
    "insufficient_quota": "billing",
    "billing_hard_limit_reached": "billing",
    "context_length_exceeded": "context_length",
    "exceed_context_size_error": "context_length",
    "too_many_prompt_tokens": "context_length",
    "content_filter": "content_filter",
    "content_policy_violation": "content_filter",
    "model_not_found": "not_found",
    "DeploymentNotFound": "not_found",
    "rate_limit_exceeded": "rate_limit",
    "RateLimitReached": "rate_limit",
    "server_error": "server",
}


@frozen
class OpenAIChat(WireFormat):
    """The wire format of OpenAI Chat Completions, as one provider speaks it; see `Format` for the methods."""

    name = "openai_chat"
    fit = ToolFit("OPENAI_NAMES", "OPENAI_STRICT")

    def _build(self, call: Call) -> Built:
        return build_request(call, self.issuer, self.quirks)

    def _read_call(self, body: Request) -> Call:
        from triptych.formats.openai_chat.reading import MessageReader  # only for those who read requests

        return read_request(body, MessageReader(self.issuer, self.quirks))

    def _read(self, body: Response, call: Call | None) -> LlmResponse:
        if body.get("error") and not body.get("choices"):
            return refused(body, _KINDS, self.provider)
        return parse_response(body, call, self.issuer, self.quirks)

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.error_bodies import body_error  # a stream's errors come in its chunks
        from triptych.formats.openai_chat.stream import ChatStreamParser

        return ChatStreamParser(
            lambda body: self._parsed(body, call),
            lambda chunk: body_error(chunk, _KINDS),
            self.quirks.reasoning_fields,
        )

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.error_bodies import http_error  # as above

        return http_error(status, headers, body, _KINDS, "x-request-id")


__all__ = ["OpenAIChat"]
