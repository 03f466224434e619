"""The client and the running of tools for asyncio: thread shims over the blocking ones, nothing rewritten."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self, TypeVar

from triptych import client, stream
from triptych.abort import Abort
from triptych.content import ContentItem, ToolCall, ToolResult
from triptych.events import StreamEvent, TextDelta
from triptych.request import LlmRequest
from triptych.response import LlmResponse
from triptych.usage import Usage

if TYPE_CHECKING:
    from triptych import tool_loop
    from triptych.running import Tool

Answer = TypeVar("Answer")


class LlmClient(client.LlmClient):
    """`triptych.LlmClient` with `await client.generate(request)`; the arguments are the same.

    Calls beyond as many as it keeps `connections` for wait for their turn.
    """

    def __init__(self, model: str, **arguments: Any) -> None:
        super().__init__(model, **arguments)
        self._pool: ThreadPoolExecutor | None = None
        self._pool_pid = 0

    async def generate(self, request: LlmRequest, **settings: Any) -> LlmResponse:  # type: ignore[override]  # the point of this class: the same call, awaited
        """Return the model's answer, or a response whose `error` says why there is none; see `triptych.LlmClient`.

        A cancelled call is given up at once, with its connection and its thread.
        """
        abort = Abort("call")
        try:
            return await self._run(lambda: self._ended(request, settings, abort))
        except asyncio.CancelledError:
            abort()
            raise

    def stream(self, request: LlmRequest, **settings: Any) -> LlmStream:  # type: ignore[override]  # as above
        """Return the model's answer piece by piece, to be iterated with `async for`; see `triptych.LlmClient`."""
        return LlmStream(super().stream(request, **settings), self._run)

    def _run(self, work: Callable[[], Answer]) -> asyncio.Future[Answer]:
        """Return what `work` returns in a thread of its own."""
        context = contextvars.copy_context()  # so that a cassette block of the caller holds in the thread
        return asyncio.get_running_loop().run_in_executor(self._threads(), lambda: context.run(work))

    def _threads(self) -> ThreadPoolExecutor:
        """Return the threads of this process: those of the parent do not live on in a forked child."""
        if self._pool is None or self._pool_pid != os.getpid():
            self._pool = ThreadPoolExecutor(self._network.connections, thread_name_prefix="triptych")
            self._pool_pid = os.getpid()
        return self._pool

    def close(self) -> None:
        """Close all connections and end the threads; a later call starts new ones."""
        super().close()
        if self._pool is not None and self._pool_pid == os.getpid():
            self._pool.shutdown(wait=False)
        self._pool = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "_pool": None}


class LlmStream:
    """`triptych.LlmStream` for asyncio: iterate it with `async for`, once; use it with `async with`.

    Args:
        blocking: The stream that does the work.
        run: Runs a blocking step in a thread.
    """

    def __init__(self, blocking: stream.LlmStream, run: Callable[[Callable[[], None]], Awaitable[None]]) -> None:
        self._blocking = blocking
        self._run = run

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> StreamEvent:
        blocking = self._blocking
        while not blocking.ready:
            if blocking.finished:
                await self._run(blocking.release)
                raise StopAsyncIteration
            await self._advance()
        return blocking.ready.popleft()

    async def _advance(self) -> None:
        try:
            await self._run(self._blocking.advance)
        except asyncio.CancelledError:
            self._blocking.close()  # the thread that waits for the next piece ends too
            raise

    async def collect(self) -> LlmResponse:
        """Return the whole response, reading what is left of the stream."""
        while not self._blocking.finished:
            await self._advance()
        await self._run(self._blocking.release)
        return self._blocking.response

    @property
    def response(self) -> LlmResponse:
        """The whole response; there once the stream has ended.

        Raises:
            RuntimeError: the stream has not ended yet: `await stream.collect()` reads on.
        """
        if not self._blocking.finished:
            raise RuntimeError("the stream has not ended yet: await stream.collect() reads it to its end")
        return self._blocking.response

    @property
    def partial(self) -> Any:
        """What has come of the output that was asked for; see `triptych.LlmStream`."""
        return self._blocking.partial

    @property
    def text(self) -> AsyncIterator[str]:
        """The words alone, as they come."""
        return self._words()

    async def _words(self) -> AsyncIterator[str]:
        async for event in self:
            if isinstance(event, TextDelta):
                yield event.text

    def close(self) -> None:
        """End the stream here: its connection is freed at once, what came stays in the response."""
        self._blocking.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


async def run_calls(calls: Iterable[ToolCall], tools: Iterable[Tool], **options: Any) -> list[ToolResult]:
    """Return the results of tool calls; see `triptych.run_calls`. Async tools run on the loop that awaits this.

    Args:
        calls: The calls, such as `response.tool_calls`.
        tools: The tools.
        options: The arguments of `triptych.run_calls`.
    """
    from triptych import running  # only for those who run tools

    return await _in_thread(lambda: running.run_calls(calls, tools, **options))


def run_tools(client: LlmClient, request: LlmRequest, **options: Any) -> ToolRun:
    """Return a run of a model with its tools, to be iterated with `async for`; see `triptych.run_tools`.

    Args:
        client: The client that is asked: one of this module.
        request: The conversation, and the tools.
        options: The arguments of `triptych.run_tools`, and settings.
    """
    from triptych import tool_loop  # only for those who run tools

    blocking = _Blocking(client)
    return ToolRun(tool_loop.run_tools(blocking, request, **options), blocking.cancel)


class _Blocking:
    """The blocking side of a client, for a run in a thread."""

    def __init__(self, awaited: LlmClient) -> None:
        self._awaited = awaited
        self._abort = Abort("call")

    def generate(self, request: LlmRequest, **settings: Any) -> LlmResponse:
        """Return what the blocking client returns."""
        self._abort = Abort("call")
        return self._awaited._ended(request, settings, self._abort)

    def cancel(self) -> None:
        """End the call that is under way."""
        self._abort()


class ToolRun:
    """`triptych.tool_loop.ToolRun` for asyncio: iterate it with `async for`, or await `collect()`.

    Its other attributes are those of the blocking run, and are there once it has come to its end.

    Args:
        blocking: The run that does the work.
        cancel: Ends the call of the model that is under way.
    """

    def __init__(self, blocking: tool_loop.ToolRun, cancel: Callable[[], None]) -> None:
        self._blocking = blocking
        self._cancel = cancel

    async def __aiter__(self) -> AsyncIterator[ContentItem]:
        """Yield the model's items and the results of its calls, each when it is made."""
        told = 0
        while True:
            for item in self._blocking.made[told:]:
                told += 1
                yield item
            if self._blocking.finished:
                return
            await self._advance()

    async def _advance(self) -> None:
        try:
            await _in_thread(self._blocking.advance)
        except asyncio.CancelledError:
            self._cancel()
            raise

    async def collect(self) -> LlmResponse:
        """Run it to its end and return the last answer."""
        while not self._blocking.finished:
            await self._advance()
        return self._blocking.response

    @property
    def response(self) -> LlmResponse:
        """The last answer."""
        return self._ended.response

    @property
    def items(self) -> list[ContentItem]:
        """All that was said since the request, in order."""
        return self._ended.items

    @property
    def steps(self) -> list[tool_loop.Step]:
        """Each answer with the results of its calls."""
        return self._ended.steps

    @property
    def usage(self) -> Usage:
        """What all answers cost together."""
        return self._ended.usage

    @property
    def exhausted(self) -> bool:
        """Whether it ended because of `max_steps` while the model wanted to go on."""
        return self._ended.exhausted

    @property
    def request(self) -> LlmRequest:
        """The request with all that was said since: what to go on from."""
        return self._ended.request

    @property
    def _ended(self) -> tool_loop.ToolRun:
        if not self._blocking.finished:
            raise RuntimeError("the run has not ended yet: await run.collect() runs it to its end")
        return self._blocking


async def _in_thread(work: Callable[[], Answer]) -> Answer:
    """Return what `work` returns in a thread that keeps neither the loop nor the program from ending."""
    from triptych.running import home_loop

    loop = asyncio.get_running_loop()
    future: asyncio.Future[Answer] = loop.create_future()
    context = contextvars.copy_context()
    context.run(home_loop.set, loop)

    def settle(put: Callable[[Any], None], value: object) -> None:
        if not future.done():  # it was cancelled meanwhile
            put(value)

    def run() -> None:
        put: Callable[[Any], None] = future.set_result
        value: object
        try:
            value = context.run(work)
        except BaseException as fault:
            put, value = future.set_exception, fault
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, put, value)

    threading.Thread(target=run, name="triptych-tools", daemon=True).start()
    return await future
