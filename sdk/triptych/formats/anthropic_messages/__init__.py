"""Anthropic Messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from triptych.errors import LlmError
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
            return LlmResponse(error=self._error(body), provider=self.provider, raw=body)
        if body.get("message") and "content" not in body:
            from triptych.formats.aws_errors import TABLE  # Bedrock's errors have no envelope

            return refused(body, TABLE, self.provider)
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

        return MessageStreamParser(
            lambda body: self._parsed(body, call),
            self._error,
            lambda answer_id: ContentReader(self.issuer, answer_ids(call, answer_id)),
        )

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.anthropic_messages.errors import TABLE  # only when something failed
        from triptych.formats.aws_errors import TYPE_HEADER, read_error  # as above
        from triptych.formats.error_bodies import http_error  # as above

        if TYPE_HEADER in headers:
            return read_error(status, headers, body, self.provider)
        return http_error(status, headers, body, TABLE, host=self.provider)

    def _error(self, body: Mapping[str, Any]) -> LlmError:
        from triptych.formats.anthropic_messages.errors import TABLE  # as above
        from triptych.formats.error_bodies import body_error  # as above

        return body_error(body, TABLE, host=self.provider)


__all__ = ["AnthropicMessages"]
