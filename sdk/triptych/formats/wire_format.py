"""What the classes of all wire formats share: whose API it is, and how an answer is read that may have a wrong form."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from attrs import Factory, field, frozen

from triptych.formats import Call, WireBody
from triptych.formats.answering import answered
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

    provider: str | None = None
    quirks: Quirks = field(factory=Quirks)
    issuer: Issuer = field(init=False, default=Factory(lambda self: Issuer(self.name, self.provider), takes_self=True))

    def parse_response(self, body: WireBody, call: Call | None = None) -> LlmResponse:
        """Return the answer that a wire response holds, or the error where it holds one or has a wrong form."""
        return answered(lambda: self._read(body, call), self.name, self.provider, body)

    @abstractmethod
    def _read(self, body: WireBody, call: Call | None) -> LlmResponse:
        """Return the answer, or the error, that a wire response of the right form holds."""

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes: server-sent events, for most."""
        from triptych.framing.sse import SseDecoder  # only for those who stream

        return SseDecoder()
