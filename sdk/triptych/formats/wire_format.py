"""What the classes of all wire formats share: whose API it is, and how an answer is read that may have a wrong form."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from attrs import Factory, field, frozen

from triptych.formats import Built, Call, StreamParser, WireBody
from triptych.formats.answering import answered
from triptych.formats.tool_fit import ToolFit
from triptych.framing import Framing
from triptych.parts import Issuer
from triptych.provider import Quirks
from triptych.response import LlmResponse


@frozen
class WireFormat:
    """One wire format, spoken as one provider speaks it; see `Format` for the methods.

    Args:
        provider: Whose API it is; None is the format in general.
        quirks: How it departs from the reference.
    """

    name: ClassVar[str]
    fit: ClassVar[ToolFit]  # what the API takes of tools

    provider: str | None = None
    quirks: Quirks = field(factory=Quirks)
    issuer: Issuer = field(init=False, default=Factory(lambda self: Issuer(self.name, self.provider), takes_self=True))

    def build_request(self, call: Call) -> Built:
        """Return the wire request that says `call`."""
        fitted, notices = self.fit.fitted(call, self.issuer)
        built = self._build(fitted)
        return Built(built.body, (*notices, *built.notices)) if notices else built

    @abstractmethod
    def _build(self, call: Call) -> Built:
        """Return the wire request that says a call whose tools the API takes."""

    def read_request(self, body: WireBody) -> Call:
        """Return the call that a wire request says: `build_request` gives the body back."""
        return self.fit.owned(self._read_call(body), self.issuer)

    @abstractmethod
    def _read_call(self, body: WireBody) -> Call:
        """Return the call that a wire request says."""

    def parse_response(self, body: WireBody, call: Call | None = None) -> LlmResponse:
        """Return the answer that a wire response holds, or the error where it holds one or has a wrong form."""
        response, way = self._parsed(body, call), self.fit.way_back(call, self.issuer)
        return response if way is None else way.response(response)

    def _parsed(self, body: WireBody, call: Call | None) -> LlmResponse:
        """Return what a wire response holds, with the calls as the API knows the tools."""
        return answered(lambda: self._read(body, call), self.name, self.provider, body)

    @abstractmethod
    def _read(self, body: WireBody, call: Call | None) -> LlmResponse:
        """Return the answer, or the error, that a wire response of the right form holds."""

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes: server-sent events, for most."""
        from triptych.framing.sse import SseDecoder  # only for those who stream

        return SseDecoder()

    def stream_parser(self, call: Call | None = None) -> StreamParser:
        """Return a parser for the events of one stream."""
        parser, way = self._parser(call), self.fit.way_back(call, self.issuer)
        if way is None:
            return parser
        from triptych.formats.tool_way_back import TurningParser  # only where something is turned back

        return TurningParser(parser, way)

    @abstractmethod
    def _parser(self, call: Call | None) -> StreamParser:
        """Return a parser for a stream's events, with the calls as the API knows the tools."""
