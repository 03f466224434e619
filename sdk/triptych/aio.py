"""The client for asyncio: a thread-pool shim over the blocking one, nothing rewritten."""

from __future__ import annotations

import asyncio
import contextvars
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeVar

from triptych import client, stream
from triptych.events import StreamEvent, TextDelta
from triptych.request import LlmRequest
from triptych.response import LlmResponse

Answer = TypeVar("Answer")

# Calls under way at once through one client: as many as the transport keeps connections for.
_THREADS = 64


class LlmClient(client.LlmClient):
    """`triptych.LlmClient` with `await client.generate(request)`; the arguments are the same."""

    def __init__(self, model: str, **arguments: Any) -> None:
        super().__init__(model, **arguments)
        self._pool: ThreadPoolExecutor | None = None
        self._pool_pid = 0

    async def generate(self, request: LlmRequest, **settings: Any) -> LlmResponse:  # type: ignore[override]  # the point of this class: the same call, awaited
        """Return the model's answer, or a response whose `error` says why there is none; see `triptych.LlmClient`.

        A cancelled call is given up at once; its thread ends with the request that it was sending.
        """
        generate = super().generate
        return await self._run(lambda: generate(request, **settings))

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
            self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="triptych")
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

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_pool": None}


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
