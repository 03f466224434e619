"""OpenAI Responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from triptych.errors import LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.openai_responses.request import build_request, read_request
from triptych.formats.openai_responses.response import parse_response
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.openai_responses import Request, Response

_FAILED = frozenset({"failed", "cancelled"})


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
            return LlmResponse(error=self._error(body), provider=self.provider, raw=body)
        response = parse_response({**body, "output": output or []}, call, self.issuer)
        response.error = self._error(body)
        response.error_message = response.error.message
        return response

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.answering import answer_ids
        from triptych.formats.openai_responses.response import OutputReader
        from triptych.formats.openai_responses.stream import ResponseStreamParser

        return ResponseStreamParser(
            lambda body: self._parsed(body, call),
            self._error,
            lambda answer_id: OutputReader(self.issuer, answer_ids(call, answer_id)),
        )

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.error_bodies import http_error  # only when something failed
        from triptych.formats.openai_responses.errors import TABLE  # as above

        return http_error(status, headers, body, TABLE, host=self.provider)

    def _error(self, body: Mapping[str, Any]) -> LlmError:
        if body.get("status") == "cancelled" and not body.get("error"):
            return LlmError("the answer was cancelled at the provider", "cancelled", code="cancelled")
        from triptych.formats.error_bodies import body_error  # as above
        from triptych.formats.openai_responses.errors import TABLE  # as above

        return body_error(body, TABLE, host=self.provider)


__all__ = ["OpenAIResponses"]
