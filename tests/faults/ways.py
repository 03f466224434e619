"""The four ways to ask: for the whole answer or a stream of it, blocking or awaited; and what is seen of each call."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from attrs import frozen

from triptych import Attempt, LlmClient, LlmRequest, LlmResponse, aio
from triptych.events import StreamEvent

QUESTION = LlmRequest(contents="q")


@frozen
class Seen:
    """What is seen of one call.

    Args:
        response: What it came to.
        events: What a stream yielded; None of a call that was no stream.
        tries: What `on_attempt` was told.
        waits: The seconds that were waited.
    """

    response: LlmResponse
    events: list[StreamEvent] | None
    tries: list[Attempt]
    waits: list[float]


class Watch:
    """Watches the calls of one client.

    Args:
        waits: Where all waits are noted.
    """

    def __init__(self, waits: list[float]) -> None:
        self._waits = waits
        self.tries: list[Attempt] = []

    def seen(self, response: LlmResponse, events: list[StreamEvent] | None = None) -> Seen:
        """Return what was seen since the last call."""
        tries, waits = self.tries.copy(), self._waits.copy()
        self.tries.clear()
        self._waits.clear()
        return Seen(response, events, tries, waits)


Ask = Callable[[], Seen]


@contextlib.contextmanager
def whole(model: str, watch: Watch, options: dict[str, Any]) -> Iterator[Ask]:
    """Give a function that asks a blocking client for a whole answer."""
    with LlmClient(model, on_attempt=watch.tries.append, **options) as client:
        yield lambda: watch.seen(client.generate(QUESTION))


@contextlib.contextmanager
def streamed(model: str, watch: Watch, options: dict[str, Any]) -> Iterator[Ask]:
    """Give a function that asks a blocking client for a stream and reads it."""

    def ask() -> Seen:
        with client.stream(QUESTION) as stream:
            events = list(stream)
        return watch.seen(stream.response, events)

    with LlmClient(model, on_attempt=watch.tries.append, **options) as client:
        yield ask


@contextlib.contextmanager
def awaited(model: str, watch: Watch, options: dict[str, Any]) -> Iterator[Ask]:
    """Give a function that awaits a whole answer of an asyncio client."""

    async def ask() -> Seen:
        return watch.seen(await client.generate(QUESTION))

    with asyncio.Runner() as runner, aio.LlmClient(model, on_attempt=watch.tries.append, **options) as client:
        yield lambda: runner.run(ask())


@contextlib.contextmanager
def streamed_awaiting(model: str, watch: Watch, options: dict[str, Any]) -> Iterator[Ask]:
    """Give a function that asks an asyncio client for a stream and reads it."""

    async def ask() -> Seen:
        async with client.stream(QUESTION) as stream:
            events = [event async for event in stream]
            return watch.seen(await stream.collect(), events)

    with asyncio.Runner() as runner, aio.LlmClient(model, on_attempt=watch.tries.append, **options) as client:
        yield lambda: runner.run(ask())


Way = Callable[[str, Watch, dict[str, Any]], AbstractContextManager[Ask]]
WHOLE: tuple[Way, ...] = (whole, awaited)
STREAMS: tuple[Way, ...] = (streamed, streamed_awaiting)
