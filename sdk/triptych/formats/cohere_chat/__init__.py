"""Cohere's chat, version 2: thoughts and words as blocks, a plan before calls, citations of documents and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import Factory, field, frozen

from triptych.errors import LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.answering import answered, refused
from triptych.formats.cohere_chat.errors import KINDS, http_failure
from triptych.formats.cohere_chat.request import build_request, read_request
from triptych.formats.cohere_chat.response import parse_response
from triptych.framing import Framing
from triptych.parts import Issuer
from triptych.provider import Quirks
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.cohere_chat import Request, Response


@frozen
class CohereChat:
    """The wire format of Cohere's chat, as one provider speaks it; see `Format` for the methods.

    Args:
        provider: Whose API it is; None is the format in general.
        quirks: How it departs from the reference; here only settings that it refuses, and reasoning that it does not
            take back.
    """

    name = "cohere_chat"

    provider: str | None = None
    quirks: Quirks = field(factory=Quirks)
    issuer: Issuer = field(init=False, default=Factory(lambda self: Issuer(self.name, self.provider), takes_self=True))

    def build_request(self, call: Call) -> Built:
        """Return the wire request that says `call`."""
        return build_request(call, self.issuer, self.quirks)

    def read_request(self, body: Request) -> Call:
        """Return the call that a wire request says."""
        return read_request(body, self.issuer, self.quirks)

    def parse_response(self, body: Response, call: Call | None = None) -> LlmResponse:
        """Return the answer that a wire response holds, or the error where it holds one or has a wrong form."""
        return answered(lambda: self._read(body, call), self.name, self.provider, body)

    def _read(self, body: Any, call: Call | None) -> LlmResponse:
        if isinstance(body.get("message"), str) or (body.get("error") and "message" not in body):
            return refused(body, KINDS, self.provider)
        return parse_response(body, call, self.issuer)

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes."""
        from triptych.framing.sse import SseDecoder  # only for those who stream

        return SseDecoder()

    def stream_parser(self, call: Call | None = None) -> StreamParser:
        """Return a parser for the events of one stream."""
        from triptych.formats.cohere_chat.stream import EventStreamParser  # as above
        from triptych.formats.error_bodies import body_error  # a stream's errors come in its events

        return EventStreamParser(lambda body: self.parse_response(body, call), lambda event: body_error(event, KINDS))

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        return http_failure(status, headers, body)


__all__ = ["CohereChat"]
