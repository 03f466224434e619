"""What may be fetched from the web: the rules, where a URL leads under them, and the error for what they refuse."""

from __future__ import annotations

import re
from ssl import SSLContext
from urllib.parse import unquote

from attrs import field, frozen
from urllib3 import make_headers
from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from triptych.checks import is_a
from triptych.fetching.address import addresses, why_not_public

MOST_BYTES = 20 << 20
SECONDS = 30.0

_PORTS = {"https": 443, "http": 80}
_USER = re.compile(r"^([a-z][a-z0-9+.-]*:)?//[^/?#]*@", re.IGNORECASE)


class FetchError(ValueError):
    """A file that was not fetched: its URL is refused, its host did not give it, or it is not what was asked for.

    Args:
        url: The URL; a user, password, query or fragment, which may be secret, is left out.
        reason: Why, and what to do where something can be done.
    """

    def __init__(self, url: str, reason: str) -> None:
        self.url = without_secrets(url)
        self.reason = reason
        super().__init__(f"{self.url}: {reason}")

    def __reduce__(self) -> tuple[type[FetchError], tuple[str, str]]:
        return type(self), (self.url, self.reason)


def without_secrets(url: str) -> str:
    """Return a URL without user, password, query and fragment."""
    return _USER.sub(r"\1//", re.split(r"[?#]", url, maxsplit=1)[0])


@frozen(kw_only=True)
class Rules:
    """What may be fetched, and how; see `triptych.fetch`.

    Raises:
        TypeError, ValueError: a value that cannot be meant.
    """

    max_bytes: int = field(default=MOST_BYTES, validator=is_a(int))
    timeout: float = field(default=SECONDS, validator=is_a(int, float))
    redirects: int = field(default=0, validator=is_a(int))
    allow_http: bool = field(default=False, validator=is_a(bool))
    allow_private: bool = field(default=False, validator=is_a(bool))
    proxy: str | None = field(default=None, repr=False, validator=is_a(str, optional=True))  # it may hold a password
    verify: str | SSLContext | None = field(default=None, validator=is_a(str, SSLContext, optional=True))

    def __attrs_post_init__(self) -> None:
        for name, least in (("max_bytes", 1), ("timeout", 0.001), ("redirects", 0)):
            value = getattr(self, name)
            if not least <= value < float("inf"):
                raise ValueError(f"{name}: expected a number from {least}, got {value!r}")
        if self.proxy is not None:
            Proxy.of(self.proxy)


@frozen
class Proxy:
    """An HTTP proxy.

    Args:
        host: Its host.
        port: Its port.
        headers: What it is told beside where the tunnel shall lead: the user and password of its URL.
    """

    host: str
    port: int
    headers: dict[str, str] = field(repr=False)

    @classmethod
    def of(cls, url: str) -> Proxy:
        """Return the proxy of a URL; `ValueError` where it is that of none."""
        try:
            parts = parse_url(url)
        except LocationParseError:
            parts = parse_url("")
        if parts.scheme != "http" or not parts.host:
            raise ValueError("proxy: expected the URL of an HTTP proxy, such as http://proxy.example:3128")
        known = make_headers(proxy_basic_auth=unquote(parts.auth)) if parts.auth else {}
        return cls(parts.host.strip("[]"), parts.port or _PORTS["http"], known)


@frozen
class Place:
    """Where a URL leads.

    Args:
        url: The URL.
        secure: Whether it is reached over TLS.
        host: The host, an IPv6 address without brackets.
        port: The port.
        authority: The host, and the port where it is not the usual one, as a `Host` header has them.
        target: Path and query, as a request has them.
    """

    url: str
    secure: bool
    host: str
    port: int
    authority: str
    target: str

    @classmethod
    def of(cls, url: str, rules: Rules) -> Place:
        """Return where a URL leads; `FetchError` where the rules refuse it."""
        try:
            parts = parse_url(url)
        except LocationParseError:
            raise FetchError(url, "it is no URL: expected https://host/path") from None
        schemes = ("https", "http") if rules.allow_http else ("https",)
        if parts.scheme is None or parts.scheme not in schemes:
            hint = ": allow_http=True takes http" if parts.scheme == "http" else ""
            raise FetchError(url, f"expected the scheme {' or '.join(schemes)}, got {parts.scheme!r}{hint}")
        if parts.auth is not None:
            raise FetchError(url, "it has a user or a password, which are not sent")
        if not parts.host:
            raise FetchError(url, "it names no host")
        usual = _PORTS[parts.scheme]
        port = usual if parts.port is None else parts.port
        authority = parts.host if port == usual else f"{parts.host}:{port}"
        return cls(url, parts.scheme == "https", parts.host.strip("[]"), port, authority, parts.request_uri)

    def targets(self, rules: Rules) -> list[str]:
        """Return what may be connected to, in order: the host's addresses, each of them checked.

        A proxy that may go anywhere is given the name, for it may know names that nobody knows here.

        Raises:
            FetchError: no address is known, or the rules refuse one of them.
        """
        if rules.proxy is not None and rules.allow_private:
            return [self.host]
        try:
            found = addresses(self.host, self.port)
        except (OSError, UnicodeError) as fault:
            raise FetchError(self.url, f"no address is known of its host {self.host!r}: {fault}") from None
        for address in [] if rules.allow_private else found:
            kind = why_not_public(address)
            if kind is not None:
                raise FetchError(self.url, f"its host is at {address}, {kind}: allow_private=True takes it")
        return found
