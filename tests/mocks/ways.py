"""The four ways to ask a model: blocking or awaited, whole or streamed."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from attrs import field, frozen

from triptych import LlmClient, LlmRequest, LlmResponse, Message, aio
from triptych.content import ContentItem
from triptych.errors import LlmError
from triptych.events import StreamEvent, TextDelta

QUESTION = LlmRequest(contents="What is 2 + 2?")


@frozen
class Outcome:
    """What became of a call.

    Args:
        response: The response.
        events: What a stream yielded before it.
        streamed: Whether it was asked for as a stream.
    """

    response: LlmResponse
    events: list[StreamEvent] = field(factory=list)
    streamed: bool = False

    @property
    def error(self) -> LlmError:
        """The error; a call without one fails the test."""
        assert self.response.error is not None
        return self.response.error

    @property
    def told(self) -> tuple[Any, ...]:
        """What a program decides by: kind, status and code of the error, whether to try again, and the tries made."""
        error = self.error
        return error.kind, error.status, error.code, error.retryable, error.attempts

    @property
    def words(self) -> list[str]:
        """The words of a stream, as they came."""
        return [event.text for event in self.events if isinstance(event, TextDelta)]

    @property
    def partial(self) -> list[str]:
        """The words of what was unfinished when a stream failed."""
        return spoken(self.error.partial)

    @property
    def whole(self) -> tuple[LlmError | None, list[str]]:
        """The error, if there is one, and the words of each item that is whole."""
        return self.response.error, spoken(self.response.content)


def spoken(items: Iterable[ContentItem]) -> list[str]:
    """Return the words of each item; one that is no message fails the test."""
    words = []
    for item in items:
        assert isinstance(item, Message)
        assert item.role == "assistant"
        words.append(item.text)
    return words


Way = Callable[..., Outcome]


def generate_blocking(model: str, request: LlmRequest = QUESTION, **options: Any) -> Outcome:
    """Return what a blocking client made for this one call is answered."""
    with LlmClient(model, **options) as client:
        return Outcome(client.generate(request))


def generate_awaiting(model: str, request: LlmRequest = QUESTION, **options: Any) -> Outcome:
    """Return what an asyncio client made for this one call is answered."""

    async def ask() -> Outcome:
        async with aio.LlmClient(model, **options) as client:
            return Outcome(await client.generate(request))

    return asyncio.run(ask())


def stream_blocking(model: str, request: LlmRequest = QUESTION, **options: Any) -> Outcome:
    """Return what the stream of a blocking client yields and comes to."""
    with LlmClient(model, **options) as client, client.stream(request) as stream:
        events = list(stream)
        return Outcome(stream.response, events, True)


def stream_awaiting(model: str, request: LlmRequest = QUESTION, **options: Any) -> Outcome:
    """Return what the stream of an asyncio client yields and comes to."""

    async def ask() -> Outcome:
        async with aio.LlmClient(model, **options) as client, client.stream(request) as stream:
            events = [event async for event in stream]
            return Outcome(stream.response, events, True)

    return asyncio.run(ask())


STREAMING = (stream_blocking, stream_awaiting)

every_way = pytest.mark.parametrize(
    "ask",
    [generate_blocking, generate_awaiting, *STREAMING],
    ids=["sync", "async", "sync-stream", "async-stream"],
)
every_stream = pytest.mark.parametrize("ask", STREAMING, ids=["sync", "async"])
