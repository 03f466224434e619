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
from triptych.formats.tool_fit import ToolFit
from triptych.formats.wire_format import WireFormat
from triptych.framing import Framing
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych_wire.bedrock_converse import Request, Response


@frozen
class BedrockConverse(WireFormat):
    """The wire format of Amazon Bedrock's Converse API, as one provider speaks it; see `Format` for the methods."""

    name = "bedrock_converse"
    fit = ToolFit("BEDROCK_NAMES", "BEDROCK")

    def _build(self, call: Call) -> Built:
        return build_request(call, self.issuer)

    def _read_call(self, body: Request) -> Call:
        return read_request(body, self.issuer)

    def _read(self, body: Response, call: Call | None) -> LlmResponse:
        if "output" not in body and (body.get("message") or body.get("Message") or body.get("error")):
            from triptych.formats.aws_errors import TABLE  # only when something failed

            return refused(body, TABLE, self.provider)
        return parse_response(body, call, self.issuer)

    def framing(self) -> Framing:
        """Return what takes the events of one stream out of its bytes; it needs botocore."""
        from triptych.framing.aws_json import AwsNamedEvents  # only for those who stream

        return AwsNamedEvents()

    def _parser(self, call: Call | None) -> StreamParser:
        from triptych.formats.aws_errors import read_exception  # a stream's errors come in its events
        from triptych.formats.bedrock_converse.stream import ConverseStreamParser

        return ConverseStreamParser(lambda body: self._parsed(body, call), read_exception, call, self.issuer)

    def parse_error(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """Return what the answer to a failed request says."""
        from triptych.formats.aws_errors import read_error  # as above

        return read_error(status, headers, body, self.provider)


__all__ = ["BedrockConverse"]
