"""The figures of imports and calls: what each benchmark measures, of whom, and what it has to hold."""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from attrs import frozen

from bench.launch import Server
from bench.measure import Sample, calls_per_second, cpu_per_call, in_fresh_interpreters
from bench.peers import KEY, Peer, installed, peers, requests_peer, triptych_peer
from bench.report import Figure, Target
from bench.workloads import MODELS, SHORT, Workload, llm_request, long_history, meaning, wire_body

FORMATS = tuple(MODELS)


@frozen
class Size:
    """How much is measured: rounds of each figure, and calls in a block of a round."""

    interpreters: int
    short: tuple[int, int]
    long: tuple[int, int]
    threads: tuple[int, int]
    echoes: int
    streams: int
    growth: int


FULL = Size(interpreters=21, short=(40, 50), long=(20, 6), threads=(7, 60), echoes=500, streams=9, growth=5)
QUICK = Size(interpreters=3, short=(8, 25), long=(4, 3), threads=(3, 25), echoes=50, streams=2, growth=1)


def figures(server: Server, size: Size) -> Iterator[Figure]:
    """Measure everything and yield each figure when it is done."""
    yield from imports(size)
    yield cold_start(server, size)
    for format_name in FORMATS:
        yield cpu_of_calls(server, format_name, SHORT, size.short, _SHORT_TARGETS[format_name])
        yield cpu_of_calls(server, format_name, long_history(), size.long, _LONG_TARGETS[format_name])
    yield from requests_made(size)
    yield throughput(server, size)
    yield from echoes(server, size)


_SHORT_TARGETS = {
    "openai_chat": [Target(0.65, "requests"), Target(0.4, "openai")],
    "anthropic_messages": [Target(0.65, "requests")],
}
_LONG_TARGETS = {
    "openai_chat": [Target(1.1, "requests"), Target(0.05, "openai")],
    "anthropic_messages": [Target(1.1, "requests")],
}

# Both clocks are read round the import alone: what the interpreter itself costs to start is not in it.
_TIMED = """
import sys, time
wall, cpu = time.perf_counter(), time.process_time()
{statement}
print(len(sys.modules), (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3)
"""
_IMPORT_COLUMNS = (
    ("modules loaded", "count", Target(150)),
    ("wall", "ms", Target(0.6, "requests")),
    ("CPU", "ms", Target(0.6, "requests")),
)
_NAMES = "from triptych import LlmClient, LlmRequest, Message"


def imports(size: Size) -> Iterator[Figure]:
    """Yield modules loaded after the import, and its time, in fresh interpreters.

    The package itself loads its names when they are first used, so what a program pays that uses them is told as well.
    """
    statements = {name: f"import {name}" for name in ("triptych", "requests", "openai") if installed(name)}
    codes = {name: _TIMED.format(statement=text) for name, text in (statements | {_NAMES: _NAMES}).items()}
    children = in_fresh_interpreters(codes, size.interpreters)
    printed = {name: [child.output.split() for child in children[name]] for name in codes}
    for column, (name, unit, target) in enumerate(_IMPORT_COLUMNS):
        samples = {who: Sample([float(line[column]) for line in lines]) for who, lines in printed.items()}
        with_names = samples.pop(_NAMES)
        yield Figure(f"import, {name}", unit, samples, [target])
        yield Figure(f"import {_NAMES.partition('import ')[2]}, {name}", unit, samples | {"triptych": with_names})


_FIRST_CALLS = {
    "triptych": """
from triptych import LlmClient, LlmRequest, Message
client = LlmClient("{model}", base_url="{url}", api_key="{key}", temperature=0)
response = client.generate(LlmRequest(
    instructions=["You are a helpful assistant."], contents=[Message(role="user", content="What is 2 + 2?")]
))
print(response.text)
""",
    "requests": """
import requests
body = {body}
response = requests.Session().post("{url}/chat/completions", json=body, headers={{"Authorization": "Bearer {key}"}})
print(response.json()["choices"][0]["message"]["content"])
""",
    "openai": """
import openai
response = openai.OpenAI(base_url="{url}", api_key="{key}").chat.completions.create(**{body})
print(response.choices[0].message.content)
""",
}


def cold_start(server: Server, size: Size) -> Figure:
    """Measure the CPU of a whole interpreter that imports, makes a client, calls once and ends."""
    url, body = server.base_url("fast", "openai_chat"), wire_body(SHORT, "openai_chat")
    codes = {
        name: code.format(url=url, key=KEY, body=body, model=MODELS["openai_chat"])
        for name, code in _FIRST_CALLS.items()
        if installed(name)
    }
    children = in_fresh_interpreters(codes, size.interpreters)
    for name in codes:
        expect(f"cold {name}", {child.output.strip() for child in children[name]}, {"4"})
    samples = {name: Sample([child.cpu for child in children[name]]) for name in codes}
    return Figure("first call from cold, CPU", "ms", samples, [Target(1.7, "requests")])


def cpu_of_calls(
    server: Server, format_name: str, workload: Workload, size: tuple[int, int], targets: list[Target]
) -> Figure:
    """Measure the CPU of a call: build, send and parse; everyone sends the same and gets the same."""
    everyone = peers(server, "fast", format_name, workload)
    expected = meaning(wire_body(workload, format_name))
    for peer in everyone:
        expect(f"answer to {peer.name}", peer.text(peer.call(peer.prepare())), "4")
        expect(f"body sent by {peer.name}", meaning(server.last_body()), expected)
    rounds, calls = size
    samples = cpu_per_call({peer.name: (peer.prepare, peer.call) for peer in everyone}, rounds, calls)
    _close(everyone)
    return Figure(f"{workload.name}, {format_name}, CPU", "µs/call", samples, targets)


def requests_made(size: Size) -> Iterator[Figure]:
    """Yield what making the LlmRequests themselves costs, which a program does before it calls."""
    for workload, (rounds, calls) in ((SHORT, size.short), (long_history(), size.long)):
        samples = cpu_per_call({"triptych": (lambda: None, partial(_make, workload))}, rounds, calls)
        yield Figure(f"making the LlmRequest, {workload.name}", "µs", samples)


def _make(workload: Workload, _: None) -> None:
    llm_request(workload)


THREADS = 16


def throughput(server: Server, size: Size) -> Figure:
    """Measure the calls a second of 16 threads when the server takes 20 ms: one client of ours, a session a thread."""
    base_url = server.base_url("slow", "openai_chat")
    ours = triptych_peer(base_url, "openai_chat", SHORT)
    sessions: list[Peer] = []
    local = threading.local()

    def call_requests() -> Any:
        if not hasattr(local, "peer"):
            local.peer = requests_peer(base_url, "openai_chat", SHORT)
            sessions.append(local.peer)
        return local.peer.call(body)

    body, request = wire_body(SHORT, "openai_chat"), ours.prepare()
    rounds, calls = size.threads
    subjects: dict[str, Callable[[], Any]] = {"triptych": lambda: ours.call(request), "requests": call_requests}
    samples = calls_per_second(subjects, rounds, THREADS, calls)
    _close([ours, *sessions])
    return Figure(f"{THREADS} threads, 20 ms latency", "calls/s", samples, [Target(1.0, "requests", at_least=True)])


ECHO_THREADS = 32


def echoes(server: Server, size: Size) -> Iterator[Figure]:
    """Yield how many answers went astray among 32 threads that share one client, and what it left open."""
    from triptych import LlmRequest

    client = triptych_peer(server.base_url("echo", "openai_chat"), "openai_chat", SHORT)
    astray: list[str] = []

    def ask(thread: int) -> None:
        for number in range(size.echoes):
            question = f"question {number} of thread {thread}"
            response = client.call(LlmRequest(contents=question))
            if response.error is not None or response.text != question:
                astray.append(f"{question}: {response.error_message or response.text}")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(ECHO_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.close()
    name = f"{ECHO_THREADS} threads x {size.echoes} calls, one client"
    yield Figure(f"{name}: wrong answers", "count", {"triptych": Sample([len(astray)])}, [Target(0)])
    yield Figure("sockets open after close", "count", {"triptych": Sample([_left_open(server)])}, [Target(0)])


def _left_open(server: Server) -> int:
    """Return how many connections stay open; the server may need a moment to see the last ones end."""
    until = time.monotonic() + 2
    while (count := server.open_connections()) and time.monotonic() < until:
        time.sleep(0.01)
    return count


def _close(everyone: list[Peer]) -> None:
    for peer in everyone:
        peer.close()


def expect(what: str, found: object, expected: object) -> None:
    """Stop the benchmark when what it compares is not the same thing."""
    if found != expected:
        raise RuntimeError(f"{what}: expected {str(expected)[:2000]}\nfound {str(found)[:2000]}")
