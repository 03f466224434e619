"""How a host is reached: whose certificates are trusted, which one is shown, through which proxy.

What is not given is taken from the environment, in this order. Certificates: REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE,
SSL_CERT_FILE, SSL_CERT_DIR, then those of certifi. Proxy: HTTPS_PROXY or HTTP_PROXY by the scheme of the address, then
ALL_PROXY, each in lower case first; none for hosts that NO_PROXY names.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from attrs import evolve, field, frozen

from triptych.checks import shown

if TYPE_CHECKING:
    import ssl

SYSTEM_TRUST = "system"
CONNECTIONS = 64
_PROXY_SCHEMES = ("http", "https", "socks4", "socks4a", "socks5", "socks5h")


@frozen
class Network:
    """How a host is reached.

    Args:
        verify: Whether to check certificates, the path of those to trust (a file, or a directory), "system" for those
            that the operating system trusts, or a context of one's own; None is what the environment says.
        cert: The path of a client certificate with its key, or the paths of both.
        proxy: The URL of a proxy, which then serves for every host; an empty text is none at all, and None is what the
            environment says.
        connections: Idle connections kept for reuse: as many as threads use the client at once. More are opened where
            more are needed, and closed after their call.

    Raises:
        TypeError, ValueError: a value that cannot be meant.
    """

    verify: bool | str | ssl.SSLContext | None = None
    cert: str | tuple[str, str] | None = None
    proxy: str | None = field(default=None, repr=False)  # it may hold a password
    connections: int = CONNECTIONS

    def __attrs_post_init__(self) -> None:
        if not (self.verify is None or isinstance(self.verify, bool | str) or _is_context(self.verify)):
            raise TypeError(f"LlmClient.verify: expected bool or str or SSLContext or None, got {shown(self.verify)}")
        pair = isinstance(self.cert, tuple) and len(self.cert) == 2 and all(isinstance(each, str) for each in self.cert)
        if not (self.cert is None or isinstance(self.cert, str) or pair):
            raise TypeError(f"LlmClient.cert: expected str or two of them or None, got {shown(self.cert)}")
        if self.cert is not None and _is_context(self.verify):
            raise ValueError("LlmClient.cert: the context given as verify holds the client certificate, too")
        if not isinstance(self.connections, int) or isinstance(self.connections, bool) or self.connections < 1:
            raise ValueError(f"LlmClient.connections: expected a number from 1, got {shown(self.connections)}")
        self._check_proxy()

    def _check_proxy(self) -> None:
        if self.proxy is None or self.proxy == "":
            return
        if not isinstance(self.proxy, str):
            raise TypeError(f"LlmClient.proxy: expected str or None, got {type(self.proxy).__name__}")
        try:
            parts = urlsplit(self.proxy)
            known = parts.scheme in _PROXY_SCHEMES and bool(parts.hostname) and parts.port != 0
        except ValueError:  # brackets or a port that cannot be
            known = False
        if not known:
            given = shown(without_userinfo(self.proxy))
            raise ValueError(f"LlmClient.proxy: expected a URL such as 'http://host:3128', got {given}")

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be seen of it: the password of the proxy."""
        return () if not self.proxy else passwords(self.proxy)

    def pickled(self) -> Network:
        """Return what of it goes into a pickle.

        Raises:
            TypeError: it holds a TLS context, which no process can pass on.
        """
        if _is_context(self.verify):
            raise TypeError("a client with a TLS context of its own cannot be pickled; give verify= as a path")
        return self.without_secrets()

    def without_secrets(self) -> Network:
        """Return it without the user and password of the proxy."""
        return self if not self.proxy else evolve(self, proxy=without_userinfo(self.proxy))

    def trust(self, found: Any) -> Any:
        """Return what is trusted: True for certifi's certificates, False for all hosts, a path or a context.

        Args:
            found: What requests takes from the environment, or True.
        """
        if self.verify is not None:
            return _system_context() if self.verify == SYSTEM_TRUST else self.verify
        if found is not True:
            return found
        return next((os.environ[name] for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name)), True)

    def proxies(self, found: Mapping[str, str]) -> Mapping[str, str]:
        """Return the proxies by scheme.

        Args:
            found: What requests takes from the environment.
        """
        if self.proxy is None:
            return found
        return {"http": self.proxy, "https": self.proxy} if self.proxy else {}


def passwords(url: str) -> tuple[str, ...]:
    """Return the password that a URL holds, as it is written there and as it is meant."""
    try:
        password = urlsplit(url).password
    except ValueError:
        return ()
    return tuple({password, unquote(password)}) if password else ()


def without_userinfo(url: str) -> str:
    """Return a URL without the user and password in it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2]
    if "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _is_context(value: object) -> bool:
    """Return whether it is a TLS context: ssl's own, or truststore's, which looks like one."""
    return hasattr(value, "wrap_socket") and hasattr(value, "verify_mode")


def _system_context() -> Any:
    import ssl

    try:
        import truststore
    except ModuleNotFoundError:
        from triptych.extras import missing_extra

        raise missing_extra("verify='system'", "truststore", "system-trust") from None
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
