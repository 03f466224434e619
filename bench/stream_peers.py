"""Who is measured on streams: our client, plain requests, and the official packages, each reading the same stream."""

import importlib
import json
from collections.abc import Callable
from typing import Any

from attrs import frozen

from bench.launch import Server
from bench.peers import HEADERS, KEY, PATHS, installed, triptych_client
from bench.streams import CHUNKS, WORD, text_stream
from bench.workloads import SHORT, llm_request, wire_body


@frozen
class StreamPeer:
    """One way to read a stream.

    Args:
        name: The library: triptych, requests, openai or anthropic.
        read: Asks for a stream, reads every event of it, and returns what was read.
        whole: What ``read`` returns when it has read everything.
        close: Closes its connections.
    """

    name: str
    read: Callable[[], Any]
    whole: Any
    close: Callable[[], None]


def stream_peers(server: Server, mode: str, format_name: str) -> list[StreamPeer]:
    """Return everyone that can read the fixed stream of this format here.

    Args:
        server: Where the calls go.
        mode: How the server plays it: stream or unframed.
        format_name: The wire format.
    """
    base_url = server.base_url(mode, format_name)
    package = {"openai_chat": "openai", "anthropic_messages": "anthropic"}[format_name]
    everyone = [triptych_stream_peer(base_url, format_name), _requests_peer(base_url, format_name)]
    return everyone + ([_official_peer(package, base_url, format_name)] if installed(package) else [])


def triptych_stream_peer(base_url: str, format_name: str) -> StreamPeer:
    """Return our client: it gives typed events, and the whole answer after them."""
    client, request = triptych_client(base_url, format_name), llm_request(SHORT)

    def read() -> str:
        with client.stream(request) as stream:
            for _ in stream:
                pass
        response = stream.response
        response.raise_for_error()
        return response.text

    return StreamPeer("triptych", read, WORD * CHUNKS, client.close)


def _requests_peer(base_url: str, format_name: str) -> StreamPeer:
    """Return a plain ``requests.Session``, whose user decodes each data line and puts nothing together."""
    import requests

    session, url, headers = requests.Session(), base_url + PATHS[format_name], HEADERS[format_name]
    body = wire_body(SHORT, format_name) | _STREAM[format_name]

    def read() -> int:
        decoded = 0
        with session.post(url, json=body, headers=headers, stream=True) as response:
            for line in response.iter_lines():
                if line.startswith(b"data: ") and line != b"data: [DONE]":
                    json.loads(line[6:])
                    decoded += 1
        return decoded

    return StreamPeer("requests", read, _decodable(format_name), session.close)


# The official packages are imported by name, so that the types here can be checked where they are not installed.
def _official_peer(package: str, base_url: str, format_name: str) -> StreamPeer:
    """Return the format's official package, read as its documentation does: typed chunks, nothing put together."""
    module: Any = importlib.import_module(package)
    make = {"openai": "OpenAI", "anthropic": "Anthropic"}[package]
    client = getattr(module, make)(base_url=base_url, api_key=KEY, max_retries=0)
    create = {"openai": lambda: client.chat.completions.create, "anthropic": lambda: client.messages.create}[package]()
    body = wire_body(SHORT, format_name) | _STREAM[format_name]

    def read() -> int:
        with create(**body) as stream:
            return sum(1 for _ in stream)

    # Anthropic's package passes over the ping.
    return StreamPeer(package, read, _decodable(format_name) - (package == "anthropic"), client.close)


_STREAM: dict[str, dict[str, Any]] = {
    "openai_chat": {"stream": True, "stream_options": {"include_usage": True}},
    "anthropic_messages": {"stream": True},
}


def _decodable(format_name: str) -> int:
    """Return how many events of the fixed stream hold JSON, which the end marker does not."""
    return sum(b"[DONE]" not in event for event in text_stream(format_name))
