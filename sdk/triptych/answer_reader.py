"""An HTTP answer to what it says: a response, or the error that it is."""

from __future__ import annotations

from triptych import jsontext
from triptych.errors import LlmError
from triptych.formats import Call, Format
from triptych.request_ids import request_id
from triptych.response import LlmResponse
from triptych.retry import advised
from triptych.settings import Limits
from triptych.transport import Reply, Transport


class AnswerReader:
    """Reads whole answers of one wire format.

    Args:
        wire_format: The wire format.
        limits: How much of an answer is taken.
    """

    def __init__(self, wire_format: Format, limits: Limits) -> None:
        self._format = wire_format
        self._limits = limits

    def read(self, reply: Reply, call: Call, transport: Transport) -> LlmResponse:
        """Return the answer or the error that a reply holds.

        Args:
            reply: The reply.
            call: What was asked.
            transport: Whom it came from; its secrets must not be seen in an error: providers quote the key that they
                refuse.
        """
        secrets, origin = transport.secrets, transport.access.key_origin
        response = self._read(reply, call)
        for secret in secrets:
            if response.error is not None and reply.shows(secret):
                reply = reply.without(secret)
                response = self._read(reply, call)
        if response.error is not None:
            error = advised(response.error, reply.headers)
            if error.kind == "authentication" and origin is not None:
                from triptych.hints import key_hint  # only after such an error

                error = error.evolve(hint=key_hint(*origin))
            if error.request_id is None:
                error = error.evolve(request_id=request_id(reply.headers))
            for secret in secrets:  # one that was written in escapes
                error = error.without(secret)
            response.error, response.error_message = error, error.message
        return response

    def _read(self, reply: Reply, call: Call) -> LlmResponse:
        if not 200 <= reply.status < 300:
            return LlmResponse(error=self._refused(reply))
        try:
            body = jsontext.decode(reply.body, self._limits.depth)
        except ValueError as fault:
            error = self._format.parse_error(reply.status, reply.headers, reply.body)
            return LlmResponse(error=error.evolve(kind="malformed_response", retryable=False, cause=str(fault)))
        response = self._format.parse_response(body, call)
        if response.error is not None and response.error.status is None:
            response.error = response.error.evolve(status=reply.status)
        limit_items(response, self._limits.items)
        return response

    def _refused(self, reply: Reply) -> LlmError:
        if reply.status < 400:
            where = reply.headers.get("location", "nowhere").partition("?")[0]
            words = f"the host answered {reply.status} with a redirect to {where}: redirects are refused, set base_url"
            return LlmError(words, "connection", status=reply.status, code="redirect", retryable=False)
        return self._format.parse_error(reply.status, reply.headers, reply.body)


def limit_items(response: LlmResponse, most: int) -> LlmError | None:
    """Shorten the content of an answer that has more items than are taken, and return the error that says so.

    Args:
        response: The answer; the error is put into it, too.
        most: How many items are taken.
    """
    if len(response.content) <= most:
        return None
    words = f"the answer has more than {most:,} items, and no more are taken: Limits.items"
    error = LlmError(words, "malformed_response", code="too_many_items")
    del response.content[most:]
    response.error, response.error_message = error, error.message
    return error
