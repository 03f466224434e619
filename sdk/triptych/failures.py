"""What a fault of the network is to the caller: its kind, and whether another try may help."""

from __future__ import annotations

import ssl
from collections.abc import Sequence

from attrs import frozen
from requests import exceptions as sending
from urllib3 import exceptions as network

from triptych.errors import Kind, LlmError
from triptych.foreign import pass_foreign


def out_of_time() -> LlmError:
    """Return the error for a call whose time, all tries included, is over."""
    return LlmError("the time for the whole call is over", "timeout", code="total_timeout")


@frozen
class _Failure:
    """What a fault of the network is to the caller; words that end with a colon are followed by the fault's own."""

    faults: tuple[type[Exception], ...]
    words: str
    kind: Kind
    code: str | None = None
    retryable: bool = True


# What cannot be sent is not quoted: it may be the header with the key.
_UNSENDABLE = _Failure(
    (sending.InvalidHeader, UnicodeError),
    "the request cannot be sent: a header has a character that HTTP does not take",
    "invalid_request",
    retryable=False,
)
_TLS = _Failure((network.SSLError,), "no trusted connection:", "connection", "tls", retryable=False)
# A handshake that was cut says nothing about trust.
_CUT_HANDSHAKE = _Failure((), "the connection broke while it was secured:", "connection", "tls")
# The first that fits; a class stands before those that it is derived from.
_FAILURES = (
    _UNSENDABLE,
    _Failure(
        (sending.InvalidURL, sending.InvalidSchema, sending.MissingSchema, network.LocationValueError),
        "the request cannot be sent:",
        "invalid_request",
        retryable=False,
    ),
    _Failure((network.NewConnectionError,), "no connection to the host:", "connection"),
    _Failure((network.ConnectTimeoutError,), "no connection to the host in time", "timeout", "connect_timeout"),
    _Failure((network.TimeoutError, TimeoutError), "the host did not answer in time", "timeout", "read_timeout"),
    _TLS,
    _Failure((network.ProxyError,), "the proxy failed:", "connection", "proxy"),
    _Failure((network.DecodeError,), "the answer cannot be decompressed:", "connection", "undecodable"),
    _Failure((network.HTTPError,), "the answer broke off", "connection", "incomplete_response"),
    _Failure((Exception,), "no connection to the host:", "connection"),
)


def failure_of(fault: Exception, secrets: Sequence[str]) -> LlmError:
    """Return what a fault of the network is to the caller.

    Args:
        fault: What urllib3, requests or the socket raised.
        secrets: What must not be in the words.

    Raises:
        Exception: the fault came from outside, and is none of the network: see `triptych.foreign`.
    """
    pass_foreign(fault)
    failure = next(failure for failure in _FAILURES if isinstance(fault, failure.faults))
    innermost = _innermost(fault)
    if failure is _TLS and isinstance(innermost, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        failure = _CUT_HANDSHAKE
    words = (
        f"{failure.words} {str(innermost) or type(innermost).__name__}"
        if failure.words.endswith(":")
        else failure.words
    )
    cause = type(fault).__name__ if failure is _UNSENDABLE else f"{type(fault).__name__}: {fault}"
    error = LlmError(words, failure.kind, code=failure.code, retryable=failure.retryable, cause=cause)
    for secret in secrets:
        error = error.without(secret)
    return error


def _innermost(fault: BaseException) -> BaseException:
    """Return what lies beneath urllib3's and requests' wrappers."""
    seen: BaseException = fault
    for _ in range(8):
        below = getattr(seen, "reason", None) or (seen.args[0] if seen.args else None)
        if not isinstance(below, BaseException):
            break
        seen = below
    return seen
