"""One recorded HTTP exchange, as a plain value."""

from __future__ import annotations

from attrs import frozen

__all__ = ["Exchange", "Headers"]

Headers = tuple[tuple[str, str], ...]


@frozen
class Exchange:
    """A request that was sent, with the answer that came back.

    Args:
        method: The HTTP method, upper case.
        url: The whole URL; in a cassette its secrets are placeholders.
        request_headers: The headers sent, in order.
        request_body: The bytes sent; empty when there were none.
        status: The HTTP status.
        reason: The reason phrase of the status line.
        response_headers: The headers received, in order; a repeated one has several entries.
        response_body: The bytes received, content encodings undone.
    """

    method: str
    url: str
    request_headers: Headers
    request_body: bytes
    status: int
    reason: str
    response_headers: Headers
    response_body: bytes
