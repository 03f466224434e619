"""The recorded exchanges with providers: real requests and answers, read where they lie and never copied here."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from attrs import frozen

VARIABLE = "TRIPTYCH_CORPUS"
# Beside the repository, unless the variable says otherwise.
FOLDER = Path(os.environ.get(VARIABLE) or Path(__file__).resolve().parents[3] / "shared" / "corpus")

# The wire format of the exchanges in each folder of the corpus.
FORMATS: Mapping[str, str] = {
    "openai_chat": "openai_chat",
    "openai_compatible_other": "openai_chat",
    "openai_responses": "openai_responses",
    "anthropic": "anthropic_messages",
    "gemini": "gemini_generate",
    "bedrock_converse": "bedrock_converse",
    "mistral": "mistral_chat",
    "cohere": "cohere_chat",
    "ollama": "ollama_chat",
}
# The folders whose exchanges the tests beside this module share; the others are tested in the rooms of their formats.
_SHARED = ("openai_chat", "openai_compatible_other", "anthropic", "mistral")
# A request of another endpoint has none of these.
_CONVERSATION = frozenset({"messages", "input", "contents"})


@frozen
class Exchange:
    """One recorded request with its answer.

    Args:
        id: Its name in the corpus.
        format: The wire format that it is in.
        host: The host that was asked, with a port where the URL has one.
        status: The HTTP status of the answer.
        stream: Whether the answer came as a stream.
        headers: Some headers of the answer.
        request: The body of the request.
        response: The body of the answer: JSON, or the text of a stream.
    """

    id: str
    format: str
    host: str
    status: int
    stream: bool
    headers: dict[str, str]
    request: dict[str, Any]
    response: Any


@cache
def exchanges() -> tuple[Exchange, ...]:
    """Return the exchanges of the formats under test here; none where the corpus is absent."""
    return tuple(exchange for folder in _SHARED for exchange in exchanges_in(folder, FORMATS[folder]))


@cache
def all_exchanges() -> tuple[Exchange, ...]:
    """Return the chat exchanges of every folder, in the wire format of each; none where the corpus is absent."""
    paths = [(path, name) for folder, name in FORMATS.items() for path in sorted((FOLDER / folder).glob("*.json"))]
    recorded = ((json.loads(path.read_bytes()), name) for path, name in paths)
    # Other hosts speak the format of OpenAI Responses too.
    read = (_read(each, "openai_responses" if _is_of_responses(each) else name) for each, name in recorded)
    return tuple(exchange for exchange in read if not _CONVERSATION.isdisjoint(exchange.request))


def _is_of_responses(recorded: Mapping[str, Any]) -> bool:
    return urlsplit(str(recorded["url"])).path.endswith("/responses")


@cache
def exchanges_in(folder: str, name: str, fields: tuple[str, ...] = ("messages",)) -> tuple[Exchange, ...]:
    """Return the chat exchanges of one folder, which are in one wire format; none where the corpus is absent.

    Args:
        folder: The folder of the corpus.
        name: The wire format.
        fields: A chat request has one of these.
    """
    read = (_read(json.loads(path.read_bytes()), name) for path in sorted((FOLDER / folder).glob("*.json")))
    return tuple(exchange for exchange in read if any(field in exchange.request for field in fields))


def _read(recorded: dict[str, Any], name: str) -> Exchange:
    return Exchange(
        recorded["id"],
        name,
        urlsplit(recorded["url"]).netloc,
        recorded["status"],
        recorded["stream"],
        recorded["response_headers"] or {},
        recorded["request"] or {},
        recorded["response"],
    )


def requests() -> list[Exchange]:
    """Return all exchanges, for what their requests say."""
    return list(exchanges())


def answers(name: str | None = None) -> list[Exchange]:
    """Return the exchanges that were answered in one piece, of all formats or of one."""
    return [e for e in exchanges() if e.status < 400 and not e.stream and name in (None, e.format)]


def errors() -> list[Exchange]:
    """Return the exchanges that the provider answered with an error."""
    return [e for e in exchanges() if e.status >= 400]


def each(chosen: Iterable[Exchange]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that runs a test for each exchange, or skips it, with the reason, where there is no corpus."""
    params = [pytest.param(exchange, id=exchange.id) for exchange in chosen]
    if not params:
        absent = pytest.mark.skip(reason=f"no recorded exchanges in {FOLDER}; {VARIABLE} names another folder")
        params = [pytest.param(None, id="no-corpus", marks=absent)]
    return pytest.mark.parametrize("exchange", params)
