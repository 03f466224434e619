"""Bodies in one line: requests as a format builds them, and answers as a provider of either format sends them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.formats.closed import faults
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


def parsed(name: str, answer: Any, *, provider: str | None = HERE, quirks: Quirks | None = None) -> LlmResponse:
    """Return what a wire format reads from an answer."""
    return formats.load(name, provider, quirks).parse_response(answer)


def openai_answer(message: Mapping[str, Any], finish: Any = "stop", **top: Any) -> dict[str, Any]:
    """Return an answer of OpenAI Chat Completions."""
    whole = {"role": "assistant", "content": None, **message}
    choice = {"index": 0, "message": whole, "finish_reason": finish}
    return {"id": "r1", "object": "chat.completion", "model": "m", "choices": [choice], **top}


def anthropic_answer(content: Sequence[Any], stop: Any = "end_turn", **top: Any) -> dict[str, Any]:
    """Return an answer of Anthropic Messages."""
    whole = {"id": "r1", "type": "message", "role": "assistant", "model": "m", "content": list(content)}
    return {**whole, "stop_reason": stop, "usage": {"input_tokens": 1, "output_tokens": 2}, **top}


def answer(
    name: str, text: str | None = None, calls: Iterable[tuple[Any, str, Any]] = (), **top: Any
) -> dict[str, Any]:
    """Return an answer of a wire format with words and with calls (id, name, arguments as a provider puts them)."""
    if name == OPENAI:
        wire = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls]
        return openai_answer({"content": text, **({"tool_calls": wire} if wire else {})}, **top)
    blocks: list[Any] = [] if text is None else [{"type": "text", "text": text}]
    blocks += [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]
    return anthropic_answer(blocks, **top)


def error_body(kind: str, message: str, **more: Any) -> bytes:
    """Return the body of an error as both APIs send it."""
    return json.dumps({"type": "error", "error": {"type": kind, "message": message, **more}}).encode()
