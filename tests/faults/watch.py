"""Watching one stream to its end, blocking or awaited: what it yielded, what it came to, and what the server saw."""

import asyncio
import pickle
import threading
from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest
from attrs import frozen

from tests.chat_hosts import ALL_HOSTS, ANTHROPIC, OPENAI, ChatHost
from tests.faults.scripts import CHAT, MESSAGES, SCRIPTS, Script
from tests.faults.sockets import connections_to
from tests.servers.script import Handler, Reply, ScriptedServer, serve
from triptych import LlmRequest, LlmResponse, aio
from triptych.content import ContentItem
from triptych.errors import LlmError
from triptych.events import ItemDone, StreamEvent

QUESTION = LlmRequest(contents="q")


@frozen
class Watched:
    """What became of a stream.

    Args:
        events: All that it yielded.
        response: What it came to.
        requests: How many requests the server got.
        kept: How many connections the client still had when the stream was over: one that can be used again, or none.
    """

    events: list[StreamEvent]
    response: LlmResponse
    requests: int
    kept: int

    @property
    def error(self) -> LlmError:
        """The error; a stream without one fails the test."""
        assert self.response.error is not None
        return self.response.error

    @property
    def told(self) -> tuple[Any, ...]:
        """What a program decides by: kind, status and code of the error, whether to try again, and the tries made."""
        error = self.error
        return error.kind, error.status, error.code, error.retryable, error.attempts

    @property
    def partial(self) -> list[ContentItem]:
        """What was unfinished when the stream failed."""
        return list(self.error.partial)


Outcome = tuple[list[StreamEvent], LlmResponse, int]
Each = Callable[[StreamEvent], None]
Watch = Callable[..., Outcome]


def _pass_on(event: StreamEvent) -> None:
    """Do nothing with an event."""


def watch_blocking(server: ScriptedServer, host: ChatHost, each: Each = _pass_on, **options: Any) -> Outcome:
    """Read a stream to its end; return its events, its response, and how many connections are left.

    Args:
        server: Where to.
        host: Who speaks which format.
        each: Called with each event as it comes.
        options: Of the client.
    """
    events = []
    with host.client(server, **options) as client:
        with client.stream(QUESTION) as stream:
            for event in stream:
                events.append(event)
                each(event)
            response = stream.response
        return events, response, connections_to(server.port)


def watch_awaiting(server: ScriptedServer, host: ChatHost, each: Each = _pass_on, **options: Any) -> Outcome:
    """Do as `watch_blocking`, with the asyncio client."""

    async def watch() -> Outcome:
        events = []
        async with aio.LlmClient(host.model, **{**host.options(server), **options}) as client:
            async with client.stream(QUESTION) as stream:
                async for event in stream:
                    events.append(event)
                    each(event)
                response = await stream.collect()
            return events, response, connections_to(server.port)

    return asyncio.run(watch())


both_ways = pytest.mark.parametrize("watch", [watch_blocking, watch_awaiting], ids=["sync", "async"])


def _in_ways(names: tuple[str, str], chosen: Iterable[Any], both: Collection[Any]) -> pytest.MarkDecorator:
    """Return a mark that plays each of those chosen to a blocking client, and some to an asyncio client as well.

    The asyncio client is one thin layer whatever the format: two of them show all that it can do wrong.
    """
    cases = []
    for each in chosen:
        cases.append(pytest.param(each, watch_blocking, id=f"{_called(each)}-sync"))
        if each in both:
            cases.append(pytest.param(each, watch_awaiting, id=f"{_called(each)}-async"))
    return pytest.mark.parametrize(names, cases)


def _called(each: ChatHost | Script) -> str:
    return each.provider if isinstance(each, ChatHost) else each.name


every_script = _in_ways(("script", "watch"), SCRIPTS, (CHAT, MESSAGES))
every_host = _in_ways(("host", "watch"), ALL_HOSTS, (OPENAI, ANTHROPIC))


def watched(
    watch: Watch, host: ChatHost, answer: Handler | Reply, held: threading.Event | None = None, **options: Any
) -> Watched:
    """Return what became of a stream that a server answers so, having checked what holds for all of them.

    Args:
        watch: How to read it.
        host: Who speaks which format.
        answer: What the server does.
        held: What the server waits for; it is set once the stream is over.
        options: Of the client.
    """
    with serve(answer) as server:
        events, response, kept = watch(server, host, **options)
        if held is not None:
            held.set()
        assert server.wait_until_closed()
        seen = Watched(events, response, len(server.requests), kept)
    assert [event.item for event in events if isinstance(event, ItemDone)] == response.content
    assert pickle.loads(pickle.dumps(response)) == response
    return seen


def assert_broken_off(seen: Watched, script: Script, stage: str, kept: int = 0) -> None:
    """Fail unless all but the error's own words is that of an answer which broke off at a stage.

    Args:
        seen: What became of the stream.
        script: What was sent.
        stage: Where it ended.
        kept: How many connections are left: one where the body ended as a body should.
    """
    place = script.stages[stage]
    assert seen.response == LlmResponse(
        content=list(place.content),
        error=seen.error,
        usage=script.opening_usage,
        finish_reason="unknown",
        model=script.model,
        id=script.id,
        provider=script.provider,
    )
    assert seen.partial == list(place.partial)
    assert seen.events == script.yields(stage)
    assert seen.kept == kept
