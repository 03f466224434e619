"""Google's generateContent: the Gemini API, and Vertex AI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import Factory, field, frozen

from triptych.errors import LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.answering import answer_seed, answered
from triptych.formats.gemini_generate.request import build_request, read_request
from triptych.formats.gemini_generate.response import parse_response
from triptych.formats.gemini_generate.spelling import spelled
from triptych.framing import Framing
from triptych.parts import Issuer
from triptych.provider import Quirks
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.gemini_generate import Request, Response


@frozen
class GeminiGenerate:
    """The wire format of Google's generateContent, as one provider speaks it; see `Format` for the methods.

    Args:
        provider: Whose API it is; None is the format in general.
        quirks: How it departs from the reference.
    """

    name = "gemini_generate"

    provider: str | None = None
    quirks: Quirks = field(factory=Quirks)
    issuer: Issuer = field(init=False, default=Factory(lambda self: Issuer(self.name, self.provider), takes_self=True))

    def build_request(self, call: Call) -> Built:
        """Return the wire request that says `call`."""
        return build_request(call, self.issuer)

    def read_request(self, body: Request) -> Call:
        """Return the call that a wire request says."""
        return read_request(body, self.issuer)

    def parse_response(self, body: Response, call: Call | None = None) -> LlmResponse:
        """Return the answer that a wire response holds, or the error where it holds one or has a wrong form.

        A list is a stream that came as one body: its elements are put together.
        """
        return answered(lambda: self._read(body, call), self.name, self.provider, body)

    def _read(self, body: Any, call: Call | None) -> LlmResponse:
        if isinstance(body, list):
            return self._read_chunks(body, call)
        if body.get("error") and not body.get("candidates"):
            from triptych.formats.gemini_generate.errors import read_error_body  # only when something failed

            return LlmResponse(error=read_error_body(body), provider=self.provider, raw=body)
        return parse_response(spelled(body), call, self.issuer, body)

    def _read_chunks(self, chunks: list[Any], call: Call | None) -> LlmResponse:
        parser = self.stream_parser(call)
        for chunk in chunks:
            parser.feed(chunk)
        cut = LlmError("the answer ends before its last candidate does", "stream_interrupted", retryable=True)
        return parser.finish(parser.error or (None if parser.ended else cut))

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes: server-sent events, or an array."""
        from triptych.framing.sse_or_array import SseOrArrayDecoder  # only for those who stream

        return SseOrArrayDecoder()

    def stream_parser(self, call: Call | None = None) -> StreamParser:
        """Return a parser for the chunks of one stream."""
        from triptych.formats.gemini_generate.errors import read_error_body  # a stream's errors come in its chunks
        from triptych.formats.gemini_generate.stream import ChunkStreamParser

        return ChunkStreamParser(lambda body: self.parse_response(body, call), read_error_body, answer_seed(call))

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.gemini_generate.errors import read_error  # as above

        return read_error(status, headers, body)


__all__ = ["GeminiGenerate"]
