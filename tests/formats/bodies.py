"""Bodies in one line: requests as a format builds them, and answers as a provider sends them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.formats.closed import faults
from tests.formats.replies import REPLIES, anthropic_answer, openai_answer
from triptych import formats
from triptych.errors import Notice
from triptych.formats import Built, Call
from triptych.parts import Issuer, Provided
from triptych.provider import Quirks
from triptych.request import LlmRequest
from triptych.response import LlmResponse
from triptych.settings import Settings

HERE = "here"
OPENAI = "openai_chat"
ANTHROPIC = "anthropic_messages"
BOTH = (OPENAI, ANTHROPIC)
ALL = formats.names()
# Those that take a call's arguments as an object; the others take its text.
OBJECTS = ("anthropic_messages", "ollama_chat", "gemini_generate", "bedrock_converse")


def issuer(name: str, provider: str | None = HERE) -> Issuer:
    """Return who issues what `built` and `parsed` read and send."""
    return Issuer(name, provider)


def built(
    name: str,
    contents: str | Sequence[Provided] = "hi",
    *,
    provider: str | None = HERE,
    quirks: Quirks | None = None,
    model: str | None = "m",
    stream: bool = False,
    settings: Mapping[str, Any] | None = None,
    known: bool = True,
    **request: Any,
) -> Built:
    """Return the request that a wire format builds, after a look that it has the form of its closed schema.

    Args:
        name: The wire format.
        contents: The conversation.
        provider: Whose API it is.
        quirks: How that provider departs from the format.
        model: The model.
        stream: Whether a stream is asked for.
        settings: Settings by name.
        known: False where a host's own fields or forms are sent on purpose: they are in no schema.
        request: Other fields of the `LlmRequest`.
    """
    whole: Any = contents if isinstance(contents, str) else list(contents)
    call = Call(LlmRequest(contents=whole, **request), model, Settings.named(settings or {}), stream)
    result = formats.load(name, provider, quirks).build_request(call)
    if known:
        verbatim = call.settings.extra_body or {}
        assert faults(name, {key: value for key, value in result.body.items() if key not in verbatim}) == []
    return result


def body(name: str, contents: str | Sequence[Provided] = "hi", **rest: Any) -> dict[str, Any]:
    """Return the body alone; see `built`."""
    return dict(built(name, contents, **rest).body)


def messages(name: str, contents: str | Sequence[Provided], **rest: Any) -> Any:
    """Return the messages alone; see `built`."""
    return body(name, contents, **rest)["messages"]


def notices(name: str, contents: str | Sequence[Provided] = "hi", **rest: Any) -> list[Notice]:
    """Return the notices alone; see `built`."""
    return list(built(name, contents, **rest).notices)


def parsed(
    name: str,
    answer: Any,
    *,
    provider: str | None = HERE,
    quirks: Quirks | None = None,
    after: Sequence[Provided] | None = None,
) -> LlmResponse:
    """Return what a wire format reads from an answer, perhaps as that to a conversation that went `after`."""
    call = None if after is None else Call(LlmRequest(contents=list(after)))
    return formats.load(name, provider, quirks).parse_response(answer, call)


def answer(
    name: str, text: str | None = None, calls: Iterable[tuple[Any, str, Any]] = (), **top: Any
) -> dict[str, Any]:
    """Return an answer of a wire format with words and with calls (id, name, arguments as a provider puts them)."""
    built: dict[str, Any] = REPLIES[name](text, list(calls), **top)
    return built


def error_body(kind: str, message: str, **more: Any) -> bytes:
    """Return the body of an error as both APIs send it."""
    return json.dumps({"type": "error", "error": {"type": kind, "message": message, **more}}).encode()


__all__ = [
    "ALL",
    "ANTHROPIC",
    "BOTH",
    "HERE",
    "OBJECTS",
    "OPENAI",
    "answer",
    "anthropic_answer",
    "body",
    "built",
    "error_body",
    "issuer",
    "messages",
    "notices",
    "openai_answer",
    "parsed",
]
