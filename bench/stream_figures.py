"""The figures of streams: CPU a chunk, connections, growth, the first event, and the limit of time."""

import time
from collections.abc import Iterator

from bench.figures import Size, expect
from bench.launch import Server
from bench.measure import Sample, cpu_per_call
from bench.peers import triptych_client
from bench.report import Figure, Target
from bench.stream_peers import stream_peers, triptych_stream_peer
from bench.streams import CHUNKS, argument_of
from bench.workloads import MODELS, SHORT, llm_request

FORMATS = tuple(MODELS)
STREAMS = 20
"""Streams that are read in a row."""


def stream_figures(server: Server, size: Size) -> Iterator[Figure]:
    """Measure everything about streams and yield each figure when it is done."""
    for format_name in FORMATS:
        yield cpu_of_chunks(server, "stream", format_name, size.streams, _CHUNK_TARGETS[format_name])
        yield cpu_of_chunks(server, "unframed", format_name, size.streams, _CHUNK_TARGETS[format_name])
    for format_name in FORMATS:
        yield connections(server, format_name)
    for format_name in FORMATS:
        yield from growth(server, format_name, size)
    for mode in ("late", "late-unframed"):
        for format_name in FORMATS:
            yield first_event(server, mode, format_name)
    for format_name in FORMATS:
        yield limit_of_time(server, format_name)


_CHUNK_TARGETS = {
    "openai_chat": [Target(1.0, "requests"), Target(0.1, "openai")],
    "anthropic_messages": [Target(1.0, "requests")],
}


def cpu_of_chunks(server: Server, mode: str, format_name: str, rounds: int, targets: list[Target]) -> Figure:
    """Measure the CPU that a chunk of a stream costs: send, read and decode; everyone reads the same bytes."""
    everyone = stream_peers(server, mode, format_name)
    for peer in everyone:
        expect(f"{mode} {format_name} read by {peer.name}", peer.read(), peer.whole)
    subjects = {peer.name: (lambda: None, lambda _, read=peer.read: read()) for peer in everyone}
    samples = cpu_per_call(subjects, rounds, STREAMS)
    for peer in everyone:
        peer.close()
    framing = "chunked" if mode == "stream" else "unframed"
    per_chunk = {name: Sample([value / CHUNKS for value in sample.values]) for name, sample in samples.items()}
    return Figure(f"stream of {CHUNKS} chunks, {format_name}, {framing}, CPU", "µs/chunk", per_chunk, targets)


def connections(server: Server, format_name: str) -> Figure:
    """Count the connections that one client opens for streams in a row."""
    peer, before = triptych_stream_peer(server.base_url("stream", format_name), format_name), server.stream_carriers()
    for _ in range(STREAMS):
        expect("a stream of a row", peer.read(), peer.whole)
    opened = server.stream_carriers() - before
    peer.close()
    return Figure(
        f"connections of {STREAMS} streams, {format_name}", "count", {"triptych": Sample([opened])}, [Target(1)]
    )


SMALL, LARGE = 5_000, 50_000
"""Pieces of a tool call's argument: 100 KB and 1 MB."""


def growth(server: Server, format_name: str, size: Size) -> Iterator[Figure]:
    """Yield what a tool call's argument of 100 KB and one of 1 MB cost, the second beside ten times the first."""
    client_of = {
        pieces: triptych_client(server.base_url(f"tool-{pieces}", format_name), format_name)
        for pieces in (SMALL, LARGE)
    }
    request = llm_request(SHORT)

    def call(pieces: int) -> None:
        response = client_of[pieces].stream(request).collect()
        response.raise_for_error()
        expect("arguments", [call.arguments for call in response.tool_calls], [argument_of(pieces)])

    subjects = {str(pieces): (lambda: None, lambda _, pieces=pieces: call(pieces)) for pieces in client_of}
    samples = cpu_per_call(subjects, size.growth, 1)
    for client in client_of.values():
        client.close()
    small, large = (Sample([value / 1e3 for value in samples[str(pieces)].values]) for pieces in client_of)
    name = f"tool argument of {{}}, {format_name}, CPU"
    yield Figure(name.format(f"100 KB in {SMALL:,} deltas"), "ms", {"triptych": small})
    beside = {"triptych": large, "100 KB": small}
    yield Figure(name.format(f"1 MB in {LARGE:,} deltas"), "ms", beside, [Target(15, "100 KB")])


FIRST_EVENTS = 5


def first_event(server: Server, mode: str, format_name: str) -> Figure:
    """Measure when the first words of a stream are there whose other events come 200 ms after them."""
    from triptych.events import TextDelta

    client, request = triptych_client(server.base_url(mode, format_name), format_name), llm_request(SHORT)
    waits = []
    for _ in range(FIRST_EVENTS):
        begin = time.perf_counter()
        with client.stream(request) as stream:
            events = iter(stream)
            next(event for event in events if isinstance(event, TextDelta))
            waits.append((time.perf_counter() - begin) * 1e3)
    client.close()
    return Figure(f"first words, {mode}, {format_name}", "ms", {"triptych": Sample(waits)}, [Target(100)])


TOTAL = 2.0


def limit_of_time(server: Server, format_name: str) -> Figure:
    """Measure when a stream with a limit of two seconds ends of which nothing but keep-alives ever comes."""
    client = triptych_client(server.base_url("alive", format_name), format_name, timeout=TOTAL)
    begin = time.perf_counter()
    response = client.stream(llm_request(SHORT)).collect()
    took = time.perf_counter() - begin
    client.close()
    kind = response.error and (response.error.kind, response.error.code)
    expect("end of keep-alives for ever", kind, ("timeout", "total_timeout"))
    name = f"keep-alives for ever, total={TOTAL:g}, {format_name}"
    return Figure(name, "s", {"triptych": Sample([took])}, [Target(2.2)])
