"""Amazon Bedrock's Converse API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from triptych.errors import LlmError
from triptych.formats import Built, Call, StreamParser
from triptych.formats.answering import refused
from triptych.formats.bedrock_converse.request import build_request, read_request
from triptych.formats.bedrock_converse.response import parse_response
from triptych.formats.wire_format import WireFormat
from triptych.framing import Framing
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.bedrock_converse import Request, Response


@frozen
class BedrockConverse(WireFormat):
    """The wire format of Amazon Bedrock's Converse API, as one provider speaks it; see `Format` for the methods."""

    name = "bedrock_converse"

    def build_request(self, call: Call) -> Built:
        """Return the wire request that says `call`."""
        return build_request(call, self.issuer)

    def read_request(self, body: Request) -> Call:
        """Return the call that a wire request says."""
        return read_request(body, self.issuer)

    def _read(self, body: Response, call: Call | None) -> LlmResponse:
        if "output" not in body and (body.get("message") or body.get("Message") or body.get("error")):
            from triptych.formats.aws_errors import KINDS  # only when something failed

            return refused(body, KINDS, self.provider)
        return parse_response(body, call, self.issuer)

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes; it needs botocore."""
        from triptych.framing.aws_json import AwsNamedEvents  # only for those who stream

        return AwsNamedEvents()

    def stream_parser(self, call: Call | None = None) -> StreamParser:
        """Return a parser for the events of one stream."""
        from triptych.formats.aws_errors import read_exception  # a stream's errors come in its events
        from triptych.formats.bedrock_converse.stream import ConverseStreamParser

        return ConverseStreamParser(lambda body: self.parse_response(body, call), read_exception, call, self.issuer)

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.aws_errors import read_error  # as above

        return read_error(status, headers, body)


__all__ = ["BedrockConverse"]
