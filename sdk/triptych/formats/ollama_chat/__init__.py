"""Ollama's native chat API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from triptych.errors import Kind, LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.answering import answer_ids, refused
from triptych.formats.ollama_chat.request import build_request, read_request
from triptych.formats.ollama_chat.response import parse_response
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.framing import Framing
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.ollama_chat import Request, Response

# An error is words alone: https://docs.ollama.com/api/errors. The status and the words tell its kind.
_KINDS: Mapping[str, Kind] = {}


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
            return refused(body, _KINDS, self.provider)
        return parse_response(body, call, self.issuer)

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes."""
        from triptych.framing.ndjson import NdjsonDecoder  # only for those who stream

        return NdjsonDecoder()

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.error_bodies import body_error  # a stream's errors come in its lines
        from triptych.formats.ollama_chat.stream import LineStreamParser

        return LineStreamParser(
            lambda body: self._parsed(body, call),
            lambda line: body_error(line, _KINDS),
            answer_ids(call),
        )

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.error_bodies import http_error  # as above

        return http_error(status, headers, body, _KINDS, "x-request-id")


__all__ = ["OllamaChat"]
