"""Content encodings: a recording holds its bodies decoded, but plain vcrpy stores them as they came."""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING

import urllib3

if TYPE_CHECKING:
    from triptych.replay.exchange import Headers

__all__ = ["decoded", "true_headers"]

# They describe the body on the wire. A recording holds it decoded and whole, and they would be wrong there.
_WIRE_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_CODING = "content-encoding"


def true_headers(headers: Headers) -> Headers:
    """Return the headers that hold of a body once it is decoded.

    Args:
        headers: The headers of a response, as received.

    Returns:
        Those that do not describe the body on the wire. What urllib3 cannot decode stays as it is, and its
        `content-encoding` stays with it.
    """
    dropped = _WIRE_HEADERS if _is_known(_coding(headers)) else _WIRE_HEADERS - {_CODING}
    return tuple((name, value) for name, value in headers if name.lower() not in dropped)


def decoded(headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """Undo the content encoding of a recorded body.

    Args:
        headers: The headers of the recorded response.
        body: Its body: encoded as they say, or decoded already.

    Returns:
        The headers that are still true, and the body.
    """
    coding = _coding(headers)
    if coding and _is_known(coding):
        packed = urllib3.HTTPResponse(body=io.BytesIO(body), headers={_CODING: coding}, preload_content=False)
        # A body that does not decode was stored decoded, or made readable by hand, with the header left behind.
        with contextlib.suppress(urllib3.exceptions.DecodeError):
            body = packed.read(decode_content=True)
    return true_headers(headers), body


def _coding(headers: Headers) -> str:
    return ",".join(value for name, value in headers if name.lower() == _CODING)


def _is_known(coding: str) -> bool:
    known = (*urllib3.HTTPResponse.CONTENT_DECODERS, "identity", "")
    return all(name.strip().lower() in known for name in coding.split(","))
