"""A program that ends, or is ended, while a call is under way: at once, without a word, and nothing is left open."""

import os
import signal
import subprocess
import sys

import pytest

from tests.chat_hosts import OPENAI
from tests.servers.echo import echo
from tests.servers.script import Handler, Reply, Request, serve

SETTING = """
import asyncio, sys, threading
from triptych import LlmClient, LlmRequest, Timeout, aio
options = dict(base_url=sys.argv[1], api_key="k", retries=0, timeout=Timeout(first_event=60, idle=60))
request = LlmRequest(contents="q")
"""
PROGRAMS = {
    "a-client-that-nobody-closes": """
client = LlmClient("openai/m", **options)
assert client.generate(request).error is None
""",
    "a-stream-that-nobody-reads-to-its-end": """
stream = LlmClient("openai/m", **options).stream(request)
next(stream)
""",
    "an-awaited-call-that-is-cancelled-with-its-loop": """
async def main():
    client = aio.LlmClient("openai/m", **options)
    call = asyncio.create_task(client.generate(request))
    await asyncio.to_thread(sys.stdin.readline)
asyncio.run(main())
""",
    "an-awaited-call-that-is-given-up": """
async def main():
    async with aio.LlmClient("openai/m", **options) as client:
        try:
            async with asyncio.timeout(None) as limit:
                call = asyncio.create_task(client.generate(request))
                await asyncio.to_thread(sys.stdin.readline)
                limit.reschedule(0)  # long past
                await call
        except TimeoutError:
            pass
asyncio.run(main())
""",
    "a-call-in-a-daemon-thread": """
client = LlmClient("openai/m", **options)
threading.Thread(target=client.generate, args=(request,), daemon=True).start()
sys.stdin.readline()
""",
}
SILENT = Reply(body=b"{}", stall_after=1)
HANDLERS: dict[str, Handler | Reply] = {
    "a-client-that-nobody-closes": echo(),
    "a-stream-that-nobody-reads-to-its-end": Reply(
        headers={"Content-Type": "text/event-stream"},
        body=b'data: {"id":"r","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n' + b" " * 100,
        stall_after=80,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_ends_at_once_and_without_a_word(name: str) -> None:
    with serve(HANDLERS.get(name, SILENT)) as server:
        command = [sys.executable, "-X", "dev", "-W", "error", "-c", SETTING + PROGRAMS[name], f"{server.url}/v1"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as child:
            try:
                assert server.wait_for_requests(1, 30)
                said = child.communicate("the call is under way\n", timeout=30)
            finally:
                child.kill()
        assert (child.returncode, *said) == (0, "", "")
        assert server.wait_until_closed()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="only POSIX sends the interrupt of a terminal to a process")
@pytest.mark.parametrize("ask", ["generate(request)", "stream(request).collect()"], ids=["generate", "stream"])
@pytest.mark.parametrize("wait", ["answer", "retry"])
def test_the_interrupt_key_ends_a_program_that_waits(wait: str, ask: str) -> None:
    refused = Reply.of_json(OPENAI.error("later", "x"), 503, {"Retry-After": "50"})

    def answer(_: Request) -> Reply:
        return refused if wait == "retry" else SILENT

    program = f"{SETTING}LlmClient('openai/m', **{{**options, 'retries': 5}}).{ask}"
    with serve(answer) as server:
        command = [sys.executable, "-c", program, f"{server.url}/v1"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
            try:
                assert server.wait_for_requests(1, 30)
                child.send_signal(signal.SIGINT)
                _, said = child.communicate(timeout=30)
            finally:
                child.kill()
        assert server.wait_until_closed()
        assert len(server.requests) == 1
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert child.returncode == -signal.SIGINT
