"""The client for asyncio: a thread-pool shim over the blocking one, nothing rewritten."""

from __future__ import annotations

import asyncio
import contextvars
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from triptych import client
from triptych.request import LlmRequest
from triptych.response import LlmResponse

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
        context = contextvars.copy_context()  # so that a cassette block of the caller holds in the thread
        call = super().generate
        return await asyncio.get_running_loop().run_in_executor(
            self._threads(), lambda: context.run(call, request, **settings)
        )

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
