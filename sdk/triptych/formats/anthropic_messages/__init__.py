"""Anthropic Messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from triptych.errors import Kind, LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.answering import refused
from triptych.formats.anthropic_messages.request import build_request, read_request
from triptych.formats.anthropic_messages.response import parse_response
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.framing import Framing
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.anthropic_messages import Request, Response

# By `error.type`: https://platform.claude.com/docs/en/api/errors
_KINDS: Mapping[str, Kind] = {
    "invalid_request_error": "invalid_request",
    "authentication_error": "authentication",
    "billing_error": "billing",
    "permission_error": "permission",
    "not_found_error": "not_found",
    "conflict_error": "invalid_request",
    "request_too_large": "context_length",
    "rate_limit_error": "rate_limit",
    "timeout_error": "timeout",
    "api_error": "server",
    "overloaded_error": "overloaded",
}


@frozen
class AnthropicMessages(WireFormat):
    """The wire format of Anthropic Messages, as one provider speaks it; see `Format` for the methods."""

    name = "anthropic_messages"
    fit = ToolFit("ANTHROPIC_NAMES", "ANTHROPIC_STRICT")

    def _build(self, call: Call) -> Built:
        return build_request(call, self.issuer, self.quirks)

    def _read_call(self, body: Request) -> Call:
        return read_request(body, self.issuer, self.quirks)

    def _read(self, body: Response, call: Call | None) -> LlmResponse:
        if body.get("error") and not body.get("content"):
            return refused(body, _KINDS, self.provider)
        if body.get("message") and "content" not in body:
            from triptych.formats.aws_errors import KINDS  # Bedrock's errors have no envelope

            return refused(body, KINDS, self.provider)
        return parse_response(body, call, self.issuer)

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes; AWS's frames need botocore."""
        if self.quirks.framing == "aws_event_stream":
            from triptych.framing.aws_json import AwsChunkEvents  # only for those who stream

            return AwsChunkEvents()
        from triptych.framing.sse import SseDecoder  # as above

        return SseDecoder()

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.answering import answer_ids
        from triptych.formats.anthropic_messages.response import ContentReader
        from triptych.formats.anthropic_messages.stream import MessageStreamParser
        from triptych.formats.error_bodies import body_error  # a stream's errors come in its events

        return MessageStreamParser(
            lambda body: self._parsed(body, call),
            lambda event: body_error(event, _KINDS),
            lambda answer_id: ContentReader(self.issuer, answer_ids(call, answer_id)),
        )

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.aws_errors import TYPE_HEADER, read_error  # only when something failed
        from triptych.formats.error_bodies import http_error  # as above

        if TYPE_HEADER in headers:
            return read_error(status, headers, body)
        return http_error(status, headers, body, _KINDS, "request-id")


__all__ = ["AnthropicMessages"]
