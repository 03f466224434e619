"""A server that answers at once with a fixed body, so that what is measured is the client.

It is a process of its own: ``python -m bench.server`` prints its port and serves until its standard input closes. The
first part of a request's path chooses how it answers:

    /fast/…   at once, with the fixed answer of the format that the path ends in
    /slow/…   the same, 20 ms later
    /echo/…   at once, with an answer whose text is the text of the last message
    /last     what the body of the last request was
    /open     how many other connections are open

and of streams, each of whose events is written by itself, in chunked framing:

    /stream/…          at once, the fixed stream of the format
    /unframed/…        the same, its end told only by the end of the connection
    /late/…            the same as /stream/, what follows its first words 200 ms later
    /late-unframed/…   the same as /unframed/, likewise
    /tool-N/…          at once, a tool call whose argument comes in N pieces
    /alive/…           keep-alives for ever
    /carriers          how many connections have carried a stream
"""

import asyncio
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

from bench.streams import KEEP_ALIVES, first_words, framed_chunk, stream_head, stream_writes

LATENCY = 0.020
"""Seconds that ``/slow/`` waits before it answers."""

LATE = 0.200
"""Seconds between the first words of a late stream and what follows them."""

KEEP_ALIVE_EVERY = 0.050
"""Seconds between two keep-alives."""

LIFETIME = 900.0
"""Seconds after which the server ends by itself, should nobody have stopped it."""

ANSWER = "4"
"""The text of the fixed answers."""


def chat_completion(text: str) -> dict[str, Any]:
    """Return an OpenAI chat completion with this text, its usual fields filled."""
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    prompt = {"cached_tokens": 0, "audio_tokens": 0}
    completion = {
        "reasoning_tokens": 0,
        "audio_tokens": 0,
        "accepted_prediction_tokens": 0,
        "rejected_prediction_tokens": 0,
    }
    return {
        "id": "chatcmpl-BenchmarkBenchmarkBenchmark",
        "object": "chat.completion",
        "created": 1764460800,
        "model": "gpt-4.1-mini-2025-04-14",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": 24,
            "completion_tokens": 1,
            "total_tokens": 25,
            "prompt_tokens_details": prompt,
            "completion_tokens_details": completion,
        },
        "service_tier": "default",
        "system_fingerprint": "fp_benchmark",
    }


def anthropic_message(text: str) -> dict[str, Any]:
    """Return an Anthropic message with this text, its usual fields filled."""
    return {
        "id": "msg_01BenchmarkBenchmarkBenchm",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 24,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 1,
            "service_tier": "standard",
        },
    }


def http_response(body: bytes) -> bytes:
    """Return a whole HTTP response with this JSON body."""
    head = (
        "HTTP/1.1 200 OK\r\nDate: Mon, 30 Nov 2026 00:00:00 GMT\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: keep-alive\r\nx-request-id: req_benchmark\r\n\r\n"
    )
    return head.encode() + body


def _json_response(value: object) -> bytes:
    return http_response(json.dumps(value).encode())


_BUILDERS: dict[bytes, Callable[[str], dict[str, Any]]] = {
    b"completions": chat_completion,
    b"messages": anthropic_message,
}
_FIXED = {end: _json_response(build(ANSWER)) for end, build in _BUILDERS.items()}
_FIXED_MODES = {b"fast": 0.0, b"slow": LATENCY}
_FORMATS = {b"completions": "openai_chat", b"messages": "anthropic_messages"}


class Answering(asyncio.Protocol):
    """One connection: finds the requests in its bytes and answers each."""

    last = b""
    open: "set[Answering]" = set()  # noqa: RUF012 - shared by all connections on purpose
    carriers = 0

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._need = 0
        self._carries = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to answer on, and count the connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no longer."""
        self.open.discard(self)

    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole by now; a request in pieces is looked at again when its bytes suffice."""
        self._buffer += data
        while len(self._buffer) >= self._need and (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._buffer[:end])
            size = end + 4 + _content_length(head)
            if len(self._buffer) < size:
                self._need = size
                return
            self._answer(head.split(b" ", 2)[1], bytes(self._buffer[end + 4 : size]))
            del self._buffer[:size]
            self._need = 0

    def _answer(self, path: bytes, body: bytes) -> None:
        _, mode, *rest = path.split(b"/")
        if mode == b"last":
            self._transport.write(http_response(Answering.last))
        elif mode == b"open":
            self._transport.write(_json_response(len(self.open) - 1))
        elif mode == b"carriers":
            self._transport.write(_json_response(self.carriers))
        elif mode == b"echo":
            text = json.loads(body)["messages"][-1]["content"]
            text = text if isinstance(text, str) else text[-1]["text"]
            self._transport.write(_json_response(_BUILDERS[rest[-1]](text)))
        else:
            Answering.last = body
            if mode in _FIXED_MODES:
                self._later(_FIXED_MODES[mode], self._write, [_FIXED[rest[-1]]])
            else:
                self._stream(mode.decode(), _FORMATS[rest[-1]])

    def _stream(self, mode: str, format_name: str) -> None:
        """Play a stream, and count a connection that carries its first one."""
        Answering.carriers += not self._carries
        self._carries = True
        if mode == "alive":
            self._write([stream_head(framed=True)])
            self._keep_alive(framed_chunk(KEEP_ALIVES[format_name]))
            return
        writes = stream_writes("stream" if mode == "late" else mode, format_name)
        first = first_words(writes) if mode.startswith("late") else 0
        self._write(writes[:first])
        self._later(LATE if first else 0, self._finish, writes[first:], mode.endswith("unframed"))

    def _finish(self, writes: Iterable[bytes], ends_connection: bool) -> None:
        self._write(writes)
        if ends_connection:
            self._transport.close()

    def _keep_alive(self, keep_alive: bytes) -> None:
        if not self._transport.is_closing():  # the client has given up
            self._write([keep_alive])
            self._later(KEEP_ALIVE_EVERY, self._keep_alive, keep_alive)

    def _write(self, writes: Iterable[bytes]) -> None:
        for data in writes:
            if self._transport.is_closing():  # the client has read enough
                return
            self._transport.write(data)

    def _later(self, seconds: float, act: Callable[..., None], *arguments: Any) -> None:
        """Act after so many seconds; at once when they are none."""
        if seconds:
            asyncio.get_running_loop().call_later(seconds, act, *arguments)
        else:
            act(*arguments)


def _content_length(head: bytes) -> int:
    _, found, rest = head.lower().partition(b"\r\ncontent-length:")
    return int(rest.split(b"\r\n", 1)[0]) if found else 0


async def serve() -> None:
    """Serve on a free port of the loopback interface, print the port, and go on until standard input closes."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answering, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    over = asyncio.Event()
    loop.add_reader(sys.stdin, over.set)
    loop.call_later(LIFETIME, over.set)
    await over.wait()


if __name__ == "__main__":
    asyncio.run(serve())
