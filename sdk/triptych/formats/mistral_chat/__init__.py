"""Mistral's chat completions: the frame of OpenAI's, with thoughts as chunks of the content, and ids of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from triptych.errors import Kind, LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.mistral_chat.request import build_request, read_request
from triptych.formats.mistral_chat.response import failed, parse_response
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.mistral_chat import Request, Response

# By `type`, as answers have it: github.com/tmc/langchaingo/issues/1233, github.com/raycast/extensions/issues/31107
_KINDS: Mapping[str, Kind] = {
    "invalid_model": "not_found",
    "rate_limited": "rate_limit",
    "service_tier_capacity_exceeded": "overloaded",
}


@frozen
class MistralChat(WireFormat):
    """The wire format of Mistral's chat completions, as one provider speaks it; see `Format` for the methods."""

    name = "mistral_chat"
    fit = ToolFit("MISTRAL_NAMES", "MISTRAL")

    def _build(self, call: Call) -> Built:
        return build_request(call, self.issuer, self.quirks)

    def _read_call(self, body: Request) -> Call:
        return read_request(body, self.issuer, self.quirks)

    def _read(self, body: Response, call: Call | None) -> LlmResponse:
        fault = None if body.get("choices") else failed(body)
        if fault is not None:
            return LlmResponse(error=self._error(fault), provider=self.provider, raw=body)
        return parse_response(body, call, self.issuer)

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.mistral_chat.stream import MistralStreamParser  # as above

        return MistralStreamParser(lambda body: self._parsed(body, call), self._error)

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.error_bodies import http_error  # only when something failed

        return http_error(status, headers, body, _KINDS, "mistral-correlation-id")

    def _error(self, fault: Mapping[str, Any]) -> LlmError:
        from triptych.formats.error_bodies import body_error  # as above

        return body_error(fault, _KINDS)


__all__ = ["MistralChat"]
