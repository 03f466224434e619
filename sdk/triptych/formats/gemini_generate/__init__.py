"""Google's generateContent: the Gemini API, and Vertex AI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from triptych.errors import LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.answering import answer_ids
from triptych.formats.gemini_generate.request import build_request, read_request
from triptych.formats.gemini_generate.response import parse_response
from triptych.formats.gemini_generate.spelling import spelled
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.framing import Framing
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.gemini_generate import Request


@frozen
class GeminiGenerate(WireFormat):
    """The wire format of Google's generateContent, as one provider speaks it; see `Format` for the methods."""

    name = "gemini_generate"
    fit = ToolFit("GEMINI_NAMES", "GEMINI")

    def _build(self, call: Call) -> Built:
        return build_request(call, self.issuer)

    def _read_call(self, body: Request) -> Call:
        return read_request(body, self.issuer)

    def _read(self, body: Any, call: Call | None) -> LlmResponse:
        if isinstance(body, list):
            return self._read_chunks(body, call)
        if body.get("error") and not body.get("candidates"):
            return LlmResponse(error=self._error(body), provider=self.provider, raw=body)
        return parse_response(spelled(body), call, self.issuer, body)

    def _read_chunks(self, chunks: list[Any], call: Call | None) -> LlmResponse:
        parser = self._parser(call)
        for chunk in chunks:
            parser.feed(chunk)
        cut = LlmError("the answer ends before its last candidate does", "stream_interrupted", retryable=True)
        return parser.finish(parser.error or (None if parser.ended else cut))

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes: server-sent events, or an array."""
        from triptych.framing.sse_or_array import SseOrArrayDecoder  # only for those who stream

        return SseOrArrayDecoder()

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.gemini_generate.stream import ChunkStreamParser  # only for those who stream

        return ChunkStreamParser(lambda body: self._parsed(body, call), self._error, answer_ids(call))

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.error_bodies import http_error  # only when something failed
        from triptych.formats.gemini_generate.errors import TABLE  # as above

        return http_error(status, headers, body, TABLE, host=self.provider)

    def _error(self, body: Mapping[str, Any]) -> LlmError:
        from triptych.formats.error_bodies import body_error  # as above
        from triptych.formats.gemini_generate.errors import TABLE  # as above

        return body_error(body, TABLE, host=self.provider)


__all__ = ["GeminiGenerate"]
