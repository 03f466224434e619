"""OpenAI Chat Completions, and the many hosts that speak it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from triptych.errors import LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.openai_chat.request import build_request, read_request
from triptych.formats.openai_chat.response import parse_response
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.openai_chat import Request, Response


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
            return LlmResponse(error=self._error(body), provider=self.provider, raw=body)
        return parse_response(body, call, self.issuer, self.quirks)

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.openai_chat.stream import ChatStreamParser

        return ChatStreamParser(
            lambda body: self._parsed(body, call),
            self._error,
            self.quirks.reasoning_fields,
        )

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.error_bodies import http_error  # only when something failed
        from triptych.formats.openai_chat.errors import TABLE  # as above

        return http_error(status, headers, body, TABLE, host=self.provider)

    def _error(self, body: Mapping[str, Any]) -> LlmError:
        from triptych.formats.error_bodies import body_error  # as above
        from triptych.formats.openai_chat.errors import TABLE  # as above

        return body_error(body, TABLE, host=self.provider)


__all__ = ["OpenAIChat"]
