"""Who is measured: our client, plain requests, and the official packages, each making the same call."""

import importlib
import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import frozen

from bench.launch import Server
from bench.workloads import MODELS, SETTINGS, Workload, llm_request, wire_body

if TYPE_CHECKING:
    from triptych import LlmClient

KEY = "sk-benchmark-no-secret"

PATHS = {"openai_chat": "/chat/completions", "anthropic_messages": "/v1/messages"}
HEADERS = {
    "openai_chat": {"Authorization": f"Bearer {KEY}"},
    "anthropic_messages": {"x-api-key": KEY, "anthropic-version": "2023-06-01"},
}


@frozen
class Peer:
    """One way to make a call.

    Args:
        name: The library: triptych, requests, openai or anthropic.
        prepare: Makes a new argument for ``call``; not part of what is measured.
        call: Makes the call and returns the decoded answer, in the library's own form. Safe from several threads.
        text: Takes the answer's text out of it; not part of what is measured.
        close: Closes its connections.
    """

    name: str
    prepare: Callable[[], Any]
    call: Callable[[Any], Any]
    text: Callable[[Any], str]
    close: Callable[[], None]


def installed(package: str) -> bool:
    """Return whether the package can be imported, without importing it."""
    return importlib.util.find_spec(package) is not None


def peers(server: Server, mode: str, format_name: str, workload: Workload) -> list[Peer]:
    """Return everyone that can make this call here: ours, plain requests, and the format's official package.

    Args:
        server: Where the calls go.
        mode: How the server answers: fast, slow or echo.
        format_name: The wire format.
        workload: What is sent.
    """
    base_url = server.base_url(mode, format_name)
    everyone = [triptych_peer(base_url, format_name, workload), requests_peer(base_url, format_name, workload)]
    package = {"openai_chat": "openai", "anthropic_messages": "anthropic"}[format_name]
    if installed(package):
        official = {"openai": _openai_peer, "anthropic": _anthropic_peer}[package]
        everyone.append(official(base_url, workload))
    return everyone


def triptych_peer(base_url: str, format_name: str, workload: Workload) -> Peer:
    """Return our client; its argument is a new LlmRequest, none of whose items was sent before."""
    client = triptych_client(base_url, format_name)
    return Peer("triptych", lambda: llm_request(workload), client.generate, _text_of_ours, client.close)


def triptych_client(base_url: str, format_name: str, **options: Any) -> "LlmClient":
    """Return a client of ours that calls the benchmark's server."""
    from triptych import LlmClient

    return LlmClient(MODELS[format_name], base_url=base_url, api_key=KEY, **SETTINGS[format_name], **options)


def _text_of_ours(response: Any) -> str:
    response.raise_for_error()
    return str(response.text)


def requests_peer(base_url: str, format_name: str, workload: Workload) -> Peer:
    """Return a plain ``requests.Session``; its argument is the finished body, which it has no part in building."""
    import requests

    session, url, headers = requests.Session(), base_url + PATHS[format_name], HEADERS[format_name]

    def call(body: dict[str, Any]) -> Any:
        return session.post(url, json=body, headers=headers).json()

    def text(answer: Any) -> str:
        return str(answer["choices"][0]["message"]["content"] if "choices" in answer else answer["content"][0]["text"])

    return Peer("requests", lambda: wire_body(workload, format_name), call, text, session.close)


# The official packages are imported by name, so that the types here can be checked where they are not installed.
def _openai_peer(base_url: str, workload: Workload) -> Peer:
    openai: Any = importlib.import_module("openai")

    client = openai.OpenAI(base_url=base_url, api_key=KEY, max_retries=0)

    def call(body: dict[str, Any]) -> Any:
        return client.chat.completions.create(**body)

    def text(answer: Any) -> str:
        return str(answer.choices[0].message.content)

    return Peer("openai", lambda: wire_body(workload, "openai_chat"), call, text, client.close)


def _anthropic_peer(base_url: str, workload: Workload) -> Peer:
    anthropic: Any = importlib.import_module("anthropic")

    client = anthropic.Anthropic(base_url=base_url, api_key=KEY, max_retries=0)

    def call(body: dict[str, Any]) -> Any:
        return client.messages.create(**body)

    def text(answer: Any) -> str:
        return str(answer.content[0].text)

    return Peer("anthropic", lambda: wire_body(workload, "anthropic_messages"), call, text, client.close)
