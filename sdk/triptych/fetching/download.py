"""One file from the web, within the rules: asked for with GET, without cookies, credentials or a referer.

A host is looked up once, its addresses are checked, and the connection goes to one of these: a name that means another
machine a moment later changes nothing. The certificate is checked against the name all the same. The environment's
proxies, which would look the name up elsewhere, and .netrc are not used.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from concurrent.futures import Future
from http.client import HTTPException
from ssl import SSLContext, SSLError
from urllib.parse import urljoin

import requests
from attrs import field, frozen
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3 import HTTPResponse
from urllib3 import connection as connections
from urllib3 import exceptions as network
from urllib3.util.ssl_ import create_urllib3_context

from triptych import __version__
from triptych.failures import failure_of
from triptych.fetching.body import read_within
from triptych.fetching.rules import FetchError, Place, Proxy, Rules, without_secrets
from triptych.network import Network

_HEADERS = {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": f"triptych/{__version__}"}
_REDIRECTS = (301, 302, 303, 307, 308)
_LEAST_WAIT = 0.001  # 0 would be: do not wait at all
_FAULTS = (network.HTTPError, HTTPException, OSError, ValueError)


@frozen
class Download:
    """A file as it came.

    Args:
        data: The bytes.
        content_type: What its host says that it is; None where it says nothing.
    """

    data: bytes = field(repr=False)
    content_type: str | None


def download(url: str, rules: Rules) -> Download:
    """Return the file behind a URL.

    Args:
        url: The URL.
        rules: What may be fetched.

    Raises:
        FetchError: there is none within the rules.
    """
    outcome: Future[Download] = Future()
    visit = _Visit(rules)

    def run() -> None:
        try:
            outcome.set_result(visit.follow(url))
        except BaseException as fault:
            outcome.set_exception(fault)

    # In a thread of its own: looking a name up takes no time limit, and a host may send its headers byte by byte.
    threading.Thread(target=run, name="triptych-download", daemon=True).start()
    try:
        return outcome.result(rules.timeout)
    except TimeoutError:
        raise FetchError(url, f"it did not come within {rules.timeout:g} seconds") from None
    finally:
        visit.end()


class _Visit:
    """The way to one file, over all redirects. Another thread may end it."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._deadline = time.monotonic() + rules.timeout
        self._lock = threading.Lock()
        self._ended = False
        self._socket: socket.socket | None = None

    def follow(self, url: str) -> Download:
        """Return the file behind a URL and the redirects that may be followed; `FetchError` where there is none."""
        place, left = Place.of(url, self._rules), self._rules.redirects
        while True:
            found = self._ask(place)
            if isinstance(found, Download):
                return found
            if left == 0:
                most = self._rules.redirects or "none"
                redirect = f"it redirects to {without_secrets(found)}, and {most} may be followed: see redirects="
                raise FetchError(place.url, redirect)
            place, left = Place.of(found, self._rules), left - 1

    def end(self) -> None:
        """End it wherever it is; one that is over is left alone."""
        with self._lock:
            self._ended, found = True, self._socket
        if found is not None:
            with contextlib.suppress(OSError):  # it may be closed already
                found.shutdown(socket.SHUT_RDWR)

    def _ask(self, place: Place) -> Download | str:
        """Return the file, or the URL that its host names in place of it; `TimeoutError` where the time is over."""
        try:
            with contextlib.closing(self._connected(place)) as connection, self._answer(connection, place) as answer:
                onward = answer.headers.get("location") if answer.status in _REDIRECTS else None
                if onward is not None:
                    return urljoin(place.url, onward)
                if answer.status != 200:
                    raise FetchError(place.url, f"its host answers with the status {answer.status}")
                return Download(read_within(answer, self._rules.max_bytes), answer.headers.get("content-type"))
        except FetchError:
            raise
        except _FAULTS as fault:
            if _is_timeout(fault):  # the last wait is always for all the time that is left
                raise TimeoutError from None
            raise FetchError(place.url, _words(fault)) from None

    def _connected(self, place: Place) -> connections.HTTPConnection:
        """Return a connection to the first of the addresses that takes one, each having its share of the time."""
        targets = place.targets(self._rules)
        context = _context(self._rules.verify) if place.secure else None
        for left in range(len(targets), 0, -1):
            connection = _connection(place, targets[-left], self._rules.proxy, context)
            connection.timeout = self._left() / left
            try:
                connection.connect()
            except BaseException as fault:
                connection.close()
                if left == 1 or not isinstance(fault, network.ConnectTimeoutError):  # a refusal is one, too
                    raise
            else:
                return connection
        raise OSError("its host has no address")

    def _answer(self, connection: connections.HTTPConnection, place: Place) -> HTTPResponse:
        with self._lock:
            self._socket = connection.sock
            if self._ended:
                raise TimeoutError
        connection.timeout = self._left()
        headers = {"Host": place.authority, **_HEADERS}
        connection.request("GET", place.target, headers=headers, preload_content=False, decode_content=False)
        return connection.getresponse()

    def _left(self) -> float:
        return max(self._deadline - time.monotonic(), _LEAST_WAIT)


def _connection(place: Place, target: str, proxy: str | None, context: SSLContext | None) -> connections.HTTPConnection:
    """Return a connection, not connected yet, to an address of a place or to the proxy that shall lead there."""
    through = None if proxy is None else Proxy.of(proxy)
    host, port = (target, place.port) if through is None else (through.host, through.port)
    # The classes are not imported by name: inside a user's `vcr.use_cassette` they are others, which must not be kept.
    if context is None:
        connection = connections.HTTPConnection(host, port)
    else:
        connection = connections.HTTPSConnection(host, port, server_hostname=place.host, ssl_context=context)
    if through is not None:
        connection.set_tunnel(target, place.port, headers=through.headers)
    return connection


def _context(verify: str | SSLContext | None) -> SSLContext:
    found = requests.Session().merge_environment_settings("https://", {}, None, None, None)["verify"]
    trusted = Network(verify=verify).trust(found)
    if isinstance(trusted, SSLContext):
        return trusted
    bundle = trusted if isinstance(trusted, str) else DEFAULT_CA_BUNDLE_PATH
    context = create_urllib3_context()
    try:
        context.load_verify_locations(**{"capath" if os.path.isdir(bundle) else "cafile": bundle})
    except OSError as fault:
        raise ValueError(f"the certificates to trust cannot be read: {bundle}: {fault}") from None
    return context


def _is_timeout(fault: Exception) -> bool:
    if isinstance(fault, network.NewConnectionError):  # urllib3 derives it from a timeout, and it is none
        return False
    return isinstance(fault, TimeoutError | network.TimeoutError)


def _words(fault: Exception) -> str:
    if isinstance(fault, SSLError):  # as urllib3's pools wrap them
        fault = network.SSLError(fault)
    elif isinstance(fault, HTTPException):
        fault = network.ProtocolError(fault)
    elif isinstance(fault, ValueError):
        return str(fault)
    return failure_of(fault, ()).message
