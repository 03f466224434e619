"""When two requests are the same: method, URL, and the body as JSON."""

from __future__ import annotations

import hashlib
import json
from urllib.parse import parse_qsl, urlsplit

from requests.utils import requote_uri

from triptych.replay.scrub import PLACEHOLDER, SECRET_PARAMETERS

__all__ = ["Address", "address", "json_value", "request_key"]

# scheme, host, port, path, and the query as a sorted list, so that it compares as a multiset.
Address = tuple[str, str, int | None, str, list[tuple[str, str]]]

_DEFAULT_PORTS = {"http": 80, "https": 443}


def address(url: str) -> Address:
    """Take a URL apart into what is compared of it.

    Args:
        url: An absolute URL.

    Returns:
        Scheme, host, port, path and sorted query. Parameters that carry secrets, by their name or because a
        recording has the placeholder there, are left out, and so are user name and fragment.
    """
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    query = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name.lower() not in SECRET_PARAMETERS and value != PLACEHOLDER
    ]
    path = requote_uri(parts.path) or "/"
    return scheme, (parts.hostname or "").lower(), parts.port or _DEFAULT_PORTS.get(scheme), path, sorted(query)


def json_value(body: bytes) -> object:
    """Read a body as JSON.

    Args:
        body: The body of a request.

    Returns:
        The JSON value.

    Raises:
        ValueError: The body is not JSON, or nested too deeply to be compared as such.
    """
    try:
        return json.loads(body)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def request_key(method: str, url: str, body: bytes) -> bytes:
    """Compute what equal requests have in common and others have not.

    Args:
        method: The HTTP method.
        url: The absolute URL.
        body: The body; empty when there is none.

    Returns:
        A digest. Two JSON bodies that differ in the order of keys, in white space or in escapes have the same one;
        1, 1.0 and true have three. Any other body counts byte for byte.
    """
    head = json.dumps([method.upper(), *address(url)])
    try:
        # Keys in order and ASCII only: one text for each JSON value.
        canonical = b"json " + json.dumps(json_value(body), sort_keys=True, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        canonical = b"data " + body
    return hashlib.blake2b(head.encode() + b"\n" + canonical, digest_size=16).digest()
