"""Takes secrets out of an exchange before it is written: headers by name, everything else by value."""

from __future__ import annotations

import base64
import re
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote_plus, urlsplit, urlunsplit

import attrs

from triptych.replay.aws_frames import rewritten, split
from triptych.replay.coding import decoded
from triptych.replay.spellings import hints, may_hide_letters, spellings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import requests

    from triptych.replay.exchange import Exchange, Headers

__all__ = ["PLACEHOLDER", "SECRET_PARAMETERS", "Scrubber"]

# Stands where a secret stood. Made of letters, so that it is the same in a URL, in JSON and in a header.
PLACEHOLDER = "REDACTED"

# A shorter "secret" is a stand-in such as EMPTY or dummy; to blank it out of every text would spoil the recording.
SHORTEST_SECRET = 8

# A header that is not named here is not written: a list of what is safe cannot forget a new way to send a key.
REQUEST_HEADERS = frozenset(
    {"accept", "anthropic-beta", "anthropic-version", "content-type", "openai-beta", "x-amz-target"}
)
RESPONSE_HEADERS = frozenset(
    {
        "content-encoding",
        "content-type",
        "retry-after",
        "retry-after-ms",
        "x-amzn-errortype",
        "x-ms-retry-after-ms",
        "x-should-retry",
    }
)
# Kept by name, since errors quote them; their values point at somebody's account.
REQUEST_ID_HEADERS = frozenset(
    {
        "apim-request-id",
        "request-id",
        "x-amzn-requestid",
        "x-correlation-id",
        "x-ms-request-id",
        "x-request-id",
    }
)
# A rate-limit header that ends so names an account, not a limit.
_ACCOUNT_SUFFIXES = frozenset({"account", "hash", "id", "key", "name", "org", "organization", "user"})
_NOT_SECRET_HEADERS = REQUEST_HEADERS | {"idempotency-key"}
_SECRET_HEADER = re.compile(r"auth|cookie|credential|key|secret|signature|token", re.IGNORECASE)

SECRET_PARAMETERS = frozenset(
    {
        "access_token",
        "api-key",
        "api_key",
        "apikey",
        "auth",
        "auth_token",
        "client_secret",
        "key",
        "password",
        "sig",
        "signature",
        "subscription-key",
        "token",
        "x-amz-credential",
        "x-amz-security-token",
        "x-amz-signature",
        "x-api-key",
        "x-goog-credential",
        "x-goog-signature",
    }
)


@attrs.frozen(slots=False)  # cached_property keeps its value in the instance's __dict__
class Scrubber:
    """Replaces a set of secrets by the placeholder, in each spelling in which HTTP and JSON may carry them.

    Args:
        secrets: The values that must not be written.
    """

    secrets: frozenset[str] = frozenset()

    @classmethod
    def of(cls, secrets: Iterable[str]) -> Scrubber:
        """Build a scrubber.

        Args:
            secrets: The values; those that are too short to be secrets are passed over.

        Returns:
            A scrubber for the others.
        """
        return cls(frozenset(secret for secret in secrets if len(secret) >= SHORTEST_SECRET))

    @classmethod
    def for_request(cls, request: requests.PreparedRequest, secrets: Sequence[str]) -> Scrubber:
        """Gather the secrets of one request.

        Args:
            request: The request as it goes out; its credentials count as secrets.
            secrets: What the caller knows to be secret besides.

        Returns:
            A scrubber for all of them.
        """
        return cls.of({*secrets, *_header_secrets(request.headers), *_url_secrets(request.url or "")})

    def __or__(self, other: Scrubber) -> Scrubber:
        """Return a scrubber for the secrets of both: one of the two when it already covers the other."""
        if other.secrets <= self.secrets:
            return self
        return Scrubber(self.secrets | other.secrets)

    @cached_property
    def _pattern(self) -> re.Pattern[bytes] | None:
        # Longest first: a key inside "Bearer <key>" must not leave the rest of the longer secret behind.
        ordered = sorted(self.secrets, key=lambda secret: (-len(secret), secret))
        forms = [form for secret in ordered for form in spellings(secret)]
        return re.compile(b"|".join(forms)) if forms else None

    @cached_property
    def _hints(self) -> frozenset[bytes]:
        return frozenset(hint for secret in self.secrets for hint in hints(secret))

    def data(self, data: bytes) -> bytes:
        """Return the bytes with every secret in them replaced."""
        if not any(hint in data for hint in self._hints) and not may_hide_letters(data):
            return data
        return self._pattern.sub(PLACEHOLDER.encode(), data) if self._pattern else data

    def body(self, body: bytes) -> bytes:
        """Return a body with every secret in it replaced; frames of an AWS event stream stay whole.

        Args:
            body: A body, its content encoding undone.

        Returns:
            The body. Lengths and checksums of frames are those of what is in them now.
        """
        clean = self.data(body)
        return rewritten(body, self.data) if clean != body and split(body)[0] else clean

    def text(self, text: str) -> str:
        """Return the text with every secret in it replaced."""
        return self.data(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def url(self, url: str) -> str:
        """Return the URL as it may be written.

        Args:
            url: An absolute URL.

        Returns:
            The URL without user name, password and fragment, with the values of secret parameters, and secrets
            anywhere else in it, replaced.
        """
        parts = urlsplit(url)
        query = "&".join(_safe_parameter(piece) for piece in parts.query.split("&"))
        netloc = parts.netloc.rpartition("@")[2]
        return self.text(urlunsplit((parts.scheme, netloc, parts.path, query, "")))

    def exchange(self, exchange: Exchange) -> Exchange:
        """Return the exchange as it may be written.

        Args:
            exchange: A recorded exchange, or one read from a file that was recorded with less care.

        Returns:
            The exchange with only the headers of the allow lists, its answer's content encoding undone, and no secret
            left in URL, headers or bodies. Scrubbing it again changes nothing.
        """
        answer = self | Scrubber.of(_request_ids(exchange.response_headers))
        # Plain vcrpy stores bodies as they came: compressed, what is secret in them is not found.
        headers, body = decoded(exchange.response_headers, exchange.response_body)
        return attrs.evolve(
            exchange,
            url=self.url(exchange.url),
            request_headers=self._headers(exchange.request_headers, REQUEST_HEADERS),
            request_body=self.body(exchange.request_body),
            reason=self.text(exchange.reason),
            response_headers=self._headers(headers, RESPONSE_HEADERS),
            response_body=answer.body(body),
        )

    def _headers(self, headers: Headers, allowed: frozenset[str]) -> Headers:
        response = allowed is RESPONSE_HEADERS
        kept: list[tuple[str, str]] = []
        for name, value in headers:
            lower = name.lower()
            if response and lower in REQUEST_ID_HEADERS:
                kept.append((lower, PLACEHOLDER))
            elif lower in allowed or (response and _is_rate_limit(lower)):
                kept.append((lower, self.text(value)))
        return tuple(kept)


def _is_rate_limit(name: str) -> bool:
    return "ratelimit" in name and name.rpartition("-")[2] not in _ACCOUNT_SUFFIXES


def _request_ids(headers: Headers) -> Iterator[str]:
    """Yield the request ids among the headers: error bodies repeat them."""
    for name, value in headers:
        if name.lower() in REQUEST_ID_HEADERS and value != PLACEHOLDER:
            yield value


def _header_secrets(headers: Mapping[str, str | bytes]) -> Iterator[str]:
    """Yield each credential among the headers: the whole value, what follows the scheme, and what Basic wraps."""
    for name, value in headers.items():
        if not _SECRET_HEADER.search(name) or name.lower() in _NOT_SECRET_HEADERS:
            continue
        text = value.decode("latin-1") if isinstance(value, bytes) else value
        yield text
        scheme, _, credential = text.partition(" ")
        yield credential
        if scheme.lower() == "basic":
            yield from _basic_secrets(credential)


def _basic_secrets(credential: str) -> Iterator[str]:
    try:
        pair = base64.b64decode(credential, validate=True).decode("utf-8")
    except ValueError:
        return
    yield pair
    yield pair.partition(":")[2]


def _url_secrets(url: str) -> Iterator[str]:
    parts = urlsplit(url)
    if parts.password:
        yield unquote_plus(parts.password)
    for name, value in parse_qsl(parts.query):
        if name.lower() in SECRET_PARAMETERS:
            yield value


def _safe_parameter(piece: str) -> str:
    name, equals, _ = piece.partition("=")
    if equals and unquote_plus(name).lower() in SECRET_PARAMETERS:
        return f"{name}={PLACEHOLDER}"
    return piece
