"""Ollama's native chat API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from triptych.errors import LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.answering import answer_ids
from triptych.formats.ollama_chat.request import build_request, read_request
from triptych.formats.ollama_chat.response import parse_response
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.framing import Framing
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.ollama_chat import Request, Response


@frozen
class OllamaChat(WireFormat):
    """The wire format of Ollama's native chat API, as one provider speaks it; see `Format` for the methods."""

    name = "ollama_chat"
    fit = ToolFit("OLLAMA_NAMES", None)

    def _build(self, call: Call) -> Built:
        return build_request(call, self.issuer)

    def _read_call(self, body: Request) -> Call:
        return read_request(body, self.issuer)

    def _read(self, body: Response, call: Call | None) -> LlmResponse:
        if body.get("error") and not body.get("message"):
            return LlmResponse(error=self._error(body), provider=self.provider, raw=body)
        return parse_response(body, call, self.issuer)

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes."""
        from triptych.framing.ndjson import NdjsonDecoder  # only for those who stream

        return NdjsonDecoder()

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.ollama_chat.stream import LineStreamParser

        return LineStreamParser(
            lambda body: self._parsed(body, call),
            self._error,
            answer_ids(call),
        )

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.error_bodies import http_error  # only when something failed
        from triptych.formats.ollama_chat.errors import TABLE  # as above

        return http_error(status, headers, body, TABLE, host=self.provider)

    def _error(self, body: Mapping[str, Any]) -> LlmError:
        from triptych.formats.error_bodies import body_error  # as above
        from triptych.formats.ollama_chat.errors import TABLE  # as above

        return body_error(body, TABLE, host=self.provider)


__all__ = ["OllamaChat"]
