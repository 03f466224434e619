"""Mistral's chat completions: the frame of OpenAI's, with thoughts as chunks of the content, and ids of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from triptych.errors import LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.mistral_chat.request import build_request, read_request
from triptych.formats.mistral_chat.response import failed, parse_response
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.mistral_chat import Request, Response


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
        from triptych.formats.mistral_chat.errors import TABLE  # as above

        return http_error(status, headers, body, TABLE, host=self.provider)

    def _error(self, body: Mapping[str, Any]) -> LlmError:
        from triptych.formats.error_bodies import body_error  # as above
        from triptych.formats.mistral_chat.errors import TABLE  # as above

        return body_error(body, TABLE, host=self.provider)


__all__ = ["MistralChat"]
