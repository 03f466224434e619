"""Cohere's chat, version 2: thoughts and words as blocks, a plan before calls, citations of documents and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from triptych.errors import LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.cohere_chat.request import build_request, read_request
from triptych.formats.cohere_chat.response import parse_response
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.cohere_chat import Request


@frozen
class CohereChat(WireFormat):
    """The wire format of Cohere's chat, as one provider speaks it; see `Format` for the methods."""

    name = "cohere_chat"
    fit = ToolFit("COHERE_NAMES", "COHERE")

    def _build(self, call: Call) -> Built:
        return build_request(call, self.issuer, self.quirks)

    def _read_call(self, body: Request) -> Call:
        return read_request(body, self.issuer, self.quirks)

    def _read(self, body: Any, call: Call | None) -> LlmResponse:
        if isinstance(body.get("message"), str) or (body.get("error") and "message" not in body):
            return LlmResponse(error=self._error(body), provider=self.provider, raw=body)
        return parse_response(body, call, self.issuer)

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.cohere_chat.stream import EventStreamParser  # only for those who stream

        return EventStreamParser(lambda body: self._parsed(body, call), self._error)

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.cohere_chat.error_table import TABLE  # only when something failed
        from triptych.formats.error_bodies import http_error  # as above

        return http_error(status, headers, body, TABLE, host=self.provider)

    def _error(self, body: Mapping[str, Any]) -> LlmError:
        from triptych.formats.cohere_chat.error_table import TABLE  # as above
        from triptych.formats.error_bodies import body_error  # as above

        return body_error(body, TABLE, host=self.provider)


__all__ = ["CohereChat"]
