"""The line to one address: what requests makes of it, made once, and its pool of kept connections.

The URL, headers, proxies and certificates are worked out by requests as for any call of its own, then kept; a call
brings only its body. Any number of threads share the pool. Redirects are not followed and .netrc is not read.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import os
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import requests
import urllib3
from attrs import frozen
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3.util.ssl_ import create_urllib3_context

from triptych import __version__
from triptych.network import Network

_GZIP = b"\x1f\x8b"
_HEADERS = {"Accept-Encoding": "gzip, deflate", "User-Agent": f"triptych/{__version__}"}


_SWITCHING = 101  # no interim answer: it ends the talk in HTTP

# Called with a connection's socket before a request goes out on it; see `Line.send`.
Connected = Callable[[Any], None]


class _Here(threading.local):
    connected: Connected | None = None


_here = _Here()


class _Answer(http.client.HTTPResponse):
    """An answer whose head is read whole, in time, and past what hosts say before it.

    http.client waits so long for each byte, takes an end between two lines for the end of the headers, and an interim
    answer such as 103 for the answer: then the answer itself would be the next call's.
    """

    def __init__(self, sock: Any, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self._source = sock

    def begin(self) -> None:
        """Read the status line and the headers."""
        source = getattr(self.fp, "raw", None)
        if source is None:
            super().begin()
            return
        limit, read, ended = self._source.gettimeout(), source.readinto, False
        until = None if limit is None else time.monotonic() + limit

        def in_time(buffer: Any) -> Any:
            nonlocal ended
            if until is not None:
                self._source.settimeout(max(until - time.monotonic(), 1e-6))  # 0 would not wait at all
            count = read(buffer)
            ended = count == 0
            return count

        source.readinto = in_time
        try:
            super().begin()
        finally:
            del source.readinto
        if ended:
            raise http.client.RemoteDisconnected("the headers broke off")
        self._source.settimeout(limit)

    def _read_status(self) -> tuple[str, int, str]:
        while True:
            said: tuple[str, int, str] = super()._read_status()  # type: ignore[misc]  # the stubs leave it out
            if not _SWITCHING < said[1] < 200:
                return said
            http.client.parse_headers(self.fp)


def _prepare(connection: Any) -> None:
    """Bring a connection to what the house wants of it; inside a user's `vcr.use_cassette` it is a likeness."""
    if not isinstance(connection, urllib3.connection.HTTPConnection):
        return
    connection.response_class = _Answer
    if _here.connected is not None:
        if connection.is_closed:
            connection.connect()
        _here.connected(connection.sock)


class _Pool(urllib3.HTTPConnectionPool):
    """urllib3's pool, which gives no sight of the socket that a call waits on; this one does."""

    def _validate_conn(self, conn: Any) -> None:
        super()._validate_conn(conn)
        _prepare(conn)


class _SecurePool(urllib3.HTTPSConnectionPool):
    """The same with TLS."""

    def _validate_conn(self, conn: Any) -> None:
        super()._validate_conn(conn)
        _prepare(conn)


_POOLS = {"http": _Pool, "https": _SecurePool}


class _Adapter(HTTPAdapter):
    """requests' adapter with one TLS context for all its connections: reading the certificates anew costs 15 ms each.

    Args:
        context: The context; None for addresses without TLS.
        connections: Idle connections kept for reuse.
    """

    def __init__(self, context: Any, connections: int) -> None:
        self._context = context
        super().__init__(pool_maxsize=connections)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs, ssl_context=self._context)  # type: ignore[no-untyped-call, unused-ignore]  # untyped in the stubs
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **kwargs, ssl_context=self._context)  # type: ignore[no-untyped-call, unused-ignore]  # untyped in the stubs
        manager.pool_classes_by_scheme = _POOLS
        return manager


def _context(trusted: Any, cert: str | tuple[str, str] | None) -> Any:
    """Return the TLS context for what is trusted and the client certificate, or the context that was given."""
    if not isinstance(trusted, bool | str):
        return trusted
    context = create_urllib3_context()
    if trusted is False:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        bundle = DEFAULT_CA_BUNDLE_PATH if trusted is True else trusted
        with _naming(bundle):
            context.load_verify_locations(**{"capath" if os.path.isdir(bundle) else "cafile": bundle})
    if cert is not None:
        chain = (cert,) if isinstance(cert, str) else cert
        with _naming(" and ".join(chain)):
            context.load_cert_chain(*chain)
    return context


@contextlib.contextmanager
def _naming(files: str) -> Iterator[None]:
    """Put the names of files into the fault of whoever reads them."""
    try:
        yield
    except OSError as fault:
        raise OSError(f"{files}: {fault}") from None


def _unpatched(raw: Any) -> urllib3.HTTPResponse:
    """Return urllib3's own form of an answer: inside a user's `vcr.use_cassette` the connection gives a likeness."""
    body = raw.read()
    # vcrpy decompresses what it records, and leaves headers that describe the body on the wire.
    stale = {"content-length"} if body.startswith(_GZIP) else {"content-length", "content-encoding"}
    headers = {name: value for name, value in raw.headers.items() if name.lower() not in stale}
    return urllib3.HTTPResponse(
        body=io.BytesIO(body), headers=headers, status=raw.status, preload_content=False, decode_content=False
    )


class _Headers(dict[str, str]):
    """Headers that are sent as they are and shown as none: error reports print the local variables of every frame."""

    def __repr__(self) -> str:
        return "{***}"

    def copy(self) -> _Headers:
        """Return a copy that is hidden too."""
        return _Headers(self)


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


@frozen
class Line:
    """The line to one address; see `open`."""

    _template: requests.PreparedRequest
    _adapter: HTTPAdapter
    _pool: urllib3.HTTPConnectionPool
    _target: str
    _headers: Mapping[str, str]

    @classmethod
    def open(cls, url: str, headers: Mapping[str, str], network: Network) -> Self:
        """Return a line; nothing is connected yet.

        Args:
            url: The address.
            headers: Headers of every call.
            network: How the host is reached.

        Raises:
            requests.RequestException: a URL, header or proxy that cannot be used.
            OSError: certificates that cannot be read.
            LlmError: an extra is missing.
        """
        template = requests.PreparedRequest()
        given = {**_HEADERS, **headers}
        # requests would replace a key by the user and password of the URL; these count only where no key does.
        keyed = any(name.lower() == "authorization" for name in given)
        template.prepare(method="POST", url=url, headers=given, auth=_as_it_is if keyed else None)
        found = requests.Session().merge_environment_settings(url, {}, None, None, None)
        proxies: Any = network.proxies(found["proxies"])
        secure = (template.url or "").startswith("https:")
        context = _context(network.trust(found["verify"]), network.cert) if secure else None
        adapter = _Adapter(context, network.connections)
        checked = context is None or context.verify_mode != ssl.CERT_NONE
        pool: Any = adapter.get_connection_with_tls_context(template, checked, proxies)
        target = adapter.request_url(template, proxies)
        return cls(template, adapter, pool, target, _Headers(template.headers))

    def send(
        self,
        body: bytes,
        waits: urllib3.Timeout,
        connected: Connected | None = None,
        own: Mapping[str, str] | None = None,
    ) -> urllib3.BaseHTTPResponse:
        """Return the unread answer to one POST.

        Args:
            body: The request body.
            waits: How long to wait for a connection and for each read.
            connected: Called with the connection's socket before the request goes out; what it raises ends the call.
            own: Headers of this call alone.

        Raises:
            urllib3.exceptions.HTTPError: no answer came.
        """
        _here.connected = connected
        headers = _Headers(self._headers, **{"Content-Length": str(len(body))})
        if own is not None:
            headers.update(own)
        raw = self._pool.urlopen(
            "POST",
            self._target,
            body=body,
            headers=headers,
            retries=False,
            redirect=False,
            assert_same_host=False,
            timeout=waits,
            preload_content=False,
            decode_content=False,
        )
        return raw if isinstance(raw, urllib3.HTTPResponse) else _unpatched(raw)

    def request(self, body: bytes, own: Mapping[str, str] | None = None) -> requests.PreparedRequest:
        """Return the call with this body and these headers of its own in requests' form, for a recorder."""
        request = self._template.copy()
        request.headers.update(own or {})
        request.body = body
        request.headers["Content-Length"] = str(len(body))
        return request

    def answer(
        self, request: requests.PreparedRequest, waits: urllib3.Timeout, connected: Connected | None = None
    ) -> requests.Response:
        """Return the unread answer to a call in requests' form, for a recorder; see `send`."""
        body = request.body if isinstance(request.body, bytes) else b""
        return self._adapter.build_response(request, self.send(body, waits, connected, request.headers))

    def close(self) -> None:
        """Close the kept connections; a later call opens new ones."""
        self._pool.close()
