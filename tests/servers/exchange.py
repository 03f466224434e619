"""Requests and replies of the scripted server: the values, and how they are read from and sent to a socket."""

import http.client
import json
import socket
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Literal, NoReturn

from attrs import field, frozen

# SO_LINGER switched on with a linger time of zero: close() then sends RST where it would have sent FIN.
_LINGER_ZERO = struct.pack("ii", 1, 0)


@frozen
class Request:
    """One request as it arrived.

    Args:
        method: The verb, such as ``POST``.
        path: The request target, query included.
        headers: Names in lower case; values of a repeated header are joined with ``", "``.
        body: The decoded body, empty when there was none.
        connection: Number of the connection that carried it, counted from 0 in the order of accepting.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    connection: int

    def json(self) -> Any:
        """Return the body decoded as JSON; a body that is not JSON raises ``ValueError``."""
        return json.loads(self.body)


@frozen
class Reply:
    """What the server does with one request.

    Args:
        status: The status code.
        headers: Headers beside those that frame the body.
        body: Bytes to send at once, or pieces to send one by one. A generator may wait between its pieces.
        framing: How the end of the body is told: its length, HTTP chunks, or closing the connection. By default bytes
            have a length and pieces are chunks.
        content_length: Told instead of the true length.
        cut_after: Close the connection once so many bytes of the body are out, headers included always.
        stall_after: Send so many bytes of the body, then nothing until the peer hangs up or the server stops.
        hang_up: Close before answering.
        reset: Let the close of this reply be a reset (RST) and not an orderly end (FIN).
        close: Close after the reply, and say so in a header.
        raw: Sent as it is in place of the whole reply, piece by piece where it is pieces; the connection is closed
            after it.
    """

    status: int = 200
    headers: Mapping[str, str] = field(factory=dict)
    body: bytes | Iterable[bytes] = b""
    framing: Literal["length", "chunked", "close"] | None = None
    content_length: int | None = None
    cut_after: int | None = None
    stall_after: int | None = None
    hang_up: bool = False
    reset: bool = False
    close: bool = False
    raw: bytes | Iterable[bytes] | None = None

    @classmethod
    def of_json(cls, value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> "Reply":
        """Return a reply with ``value`` as its JSON body and ``application/json`` as its type."""
        return cls(status, {"Content-Type": "application/json", **(headers or {})}, json.dumps(value).encode())


class HangUp(Exception):
    """The reply asked for its connection to be closed."""


def read_request(stream: BinaryIO, connection: int) -> Request | None:
    """Read one request from a connection.

    Args:
        stream: The reading side of the connection.
        connection: Its number, told in the request.

    Returns:
        The request, or None when the peer closed instead of sending one whole.

    Raises:
        ValueError: What arrived is not a request.
        OSError: The connection broke.
    """
    line = stream.readline()
    if not line.strip():
        return None
    method, path, _ = line.decode("latin-1").split(" ", 2)
    headers: dict[str, str] = {}
    while (line := stream.readline()).strip():
        name, _, value = line.decode("latin-1").partition(":")
        name, value = name.strip().lower(), value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = b"".join(_read_chunks(stream))
    else:
        length = int(headers.get("content-length", 0))
        body = stream.read(length)
        if len(body) < length:
            return None
    return Request(method, path, headers, body, connection)


def _read_chunks(stream: BinaryIO) -> Iterator[bytes]:
    while size := int(stream.readline().split(b";")[0], 16):
        yield stream.read(size)
        stream.readline()
    stream.readline()


def send(connection: socket.socket, stream: BinaryIO, reply: Reply) -> None:
    """Send one reply, faults and all.

    Args:
        connection: Where to send it.
        stream: The reading side of the same connection, which tells when the peer has gone.
        reply: What to send.

    Raises:
        HangUp: The connection is to be closed now.
        OSError: The peer is gone already.
    """
    if reply.hang_up:
        _hang_up(connection, reply)
    if reply.raw is not None:
        for piece in (reply.raw,) if isinstance(reply.raw, bytes) else reply.raw:
            connection.sendall(piece)
        _hang_up(connection, reply)
    framing = reply.framing or ("length" if isinstance(reply.body, bytes) else "chunked")
    pieces = [reply.body] if isinstance(reply.body, bytes) else reply.body
    if framing == "length":
        whole = b"".join(pieces)
        pieces, pending = [whole], _head(reply, framing, len(whole))
    else:
        pending = b""
        connection.sendall(_head(reply, framing))
    limit = reply.cut_after if reply.cut_after is not None else reply.stall_after
    left = limit
    for piece in pieces:
        part = piece if left is None else piece[:left]
        connection.sendall(pending + (_chunk(piece, part) if framing == "chunked" else part))
        pending = b""
        if left is not None and (left := left - len(part)) == 0:
            _break_off(connection, stream, reply)
    if framing == "chunked":
        connection.sendall(b"0\r\n\r\n")
    if limit is not None:
        _break_off(connection, stream, reply)
    if framing == "close" or reply.close or reply.reset:
        _hang_up(connection, reply)


def _chunk(piece: bytes, part: bytes) -> bytes:
    """Return ``part`` as a chunk that tells the size of ``piece``: a line that breaks keeps the rest back."""
    if not piece:
        return b""  # an empty chunk would end the body
    return b"%x\r\n%b%b" % (len(piece), part, b"\r\n" if len(part) == len(piece) else b"")


def _head(reply: Reply, framing: str, length: int = 0) -> bytes:
    headers = dict(reply.headers)
    if framing == "length" or reply.content_length is not None:
        headers["Content-Length"] = str(length if reply.content_length is None else reply.content_length)
    elif framing == "chunked":
        headers["Transfer-Encoding"] = "chunked"
    if framing == "close" or reply.close:
        headers["Connection"] = "close"
    lines = [f"HTTP/1.1 {reply.status} {http.client.responses.get(reply.status, 'Unlisted')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _break_off(connection: socket.socket, stream: BinaryIO, reply: Reply) -> NoReturn:
    """Do what the reply wants in the middle of its body: close, or hold still until the peer or the server ends."""
    if reply.cut_after is None:
        while stream.read(1):
            pass
    _hang_up(connection, reply)


def _hang_up(connection: socket.socket, reply: Reply) -> NoReturn:
    if reply.reset:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
    raise HangUp
