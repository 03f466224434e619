"""The streams that the benchmark's server plays: an answer in many small events, each a write, as the hosts do it."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

CHUNKS = 500
"""Events that carry text in the fixed stream of each format."""

WORD = " chunk"
"""The text of each of them."""

PIECE = "twenty characters . "
"""The piece of a tool call's argument that one event carries: 20 bytes."""

TOOL = "write_file"
"""The name of the tool that is called."""

KEEP_ALIVES = {"openai_chat": b": keep-alive\n\n", "anthropic_messages": b'event: ping\ndata: {"type":"ping"}\n\n'}
"""What a host sends while it has nothing to say."""

_COMPLETION_USAGE = {
    "prompt_tokens": 24,
    "completion_tokens": CHUNKS,
    "total_tokens": 24 + CHUNKS,
    "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
}
_MESSAGE_USAGE = {
    "input_tokens": 24,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
    "output_tokens": 1,
    "service_tier": "standard",
}


def stream_head(framed: bool) -> bytes:
    """Return the head of a stream's HTTP response, of one that is chunked or one that ends with its connection."""
    framing = "Transfer-Encoding: chunked\r\nConnection: keep-alive" if framed else "Connection: close"
    head = (
        "HTTP/1.1 200 OK\r\nDate: Mon, 30 Nov 2026 00:00:00 GMT\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
        f"Cache-Control: no-cache\r\nx-request-id: req_benchmark\r\n{framing}\r\n\r\n"
    )
    return head.encode()


def framed_chunk(data: bytes) -> bytes:
    """Return data as one chunk of a chunked body; no data is the chunk that ends it."""
    return b"%x\r\n%s\r\n" % (len(data), data)


@cache
def stream_writes(mode: str, format_name: str) -> tuple[bytes, ...]:
    """Return what is written for a stream of this mode, one write an event; kept, so that it is made only once."""
    name, _, pieces = mode.removeprefix("late-").partition("-")
    events = tool_stream(format_name, int(pieces)) if name == "tool" else text_stream(format_name)
    if name == "unframed":
        return (stream_head(framed=False), *events)
    return (stream_head(framed=True), *map(framed_chunk, events), framed_chunk(b""))


def first_words(writes: Sequence[bytes]) -> int:
    """Return how many of a stream's writes there are up to its first words, these included."""
    return next(number for number, data in enumerate(writes, 1) if json.dumps(WORD).encode() in data)


def text_stream(format_name: str, chunks: int = CHUNKS) -> list[bytes]:
    """Return the events of an answer whose text comes in this many pieces.

    Args:
        format_name: The wire format.
        chunks: Pieces of text.
    """
    if format_name == "openai_chat":
        return _completion([{"content": WORD}] * chunks, "stop")
    return _message({"type": "text", "text": ""}, [{"type": "text_delta", "text": WORD}] * chunks, "end_turn")


def tool_stream(format_name: str, pieces: int) -> list[bytes]:
    """Return the events of an answer that calls a tool whose one argument comes in this many pieces.

    Args:
        format_name: The wire format.
        pieces: Pieces of the argument, each of 20 bytes.
    """
    texts = ['{"content": "', *[PIECE] * pieces, '"}']
    if format_name == "openai_chat":
        function = {"name": TOOL, "arguments": ""}
        head = {"tool_calls": [{"index": 0, "id": "call_benchmark", "type": "function", "function": function}]}
        rest = [{"tool_calls": [{"index": 0, "function": {"arguments": text}}]} for text in texts]
        return _completion([head, *rest], "tool_calls")
    block = {"type": "tool_use", "id": "toolu_benchmark", "name": TOOL, "input": {}}
    return _message(block, [{"type": "input_json_delta", "partial_json": text} for text in texts], "tool_use")


def argument_of(pieces: int) -> dict[str, str]:
    """Return the arguments of the call in a tool stream of this many pieces."""
    return {"content": PIECE * pieces}


def _completion(deltas: list[dict[str, Any]], reason: str) -> list[bytes]:
    """Return the events of a chat completion: role, deltas, finish reason, usage, end marker."""
    opening: dict[str, Any] = {"role": "assistant", "content": "", "refusal": None}
    chunks = [_completion_chunk(_choice(delta), None) for delta in (opening, *deltas)]
    chunks += [_completion_chunk(_choice({}, reason), None), _completion_chunk([], _COMPLETION_USAGE)]
    return [*map(_data, chunks), b"data: [DONE]\n\n"]


def _choice(delta: dict[str, Any], reason: str | None = None) -> list[dict[str, Any]]:
    return [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]


def _completion_chunk(choices: list[dict[str, Any]], usage: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-BenchmarkBenchmarkBenchmark",
        "object": "chat.completion.chunk",
        "created": 1764460800,
        "model": "gpt-4.1-mini-2025-04-14",
        "service_tier": "default",
        "system_fingerprint": "fp_benchmark",
        "choices": choices,
        "usage": usage,
        "obfuscation": "bEnChMaRk",
    }


def _message(block: dict[str, Any], deltas: list[dict[str, Any]], reason: str) -> list[bytes]:
    """Return the events of an Anthropic message with one content block."""
    message: dict[str, Any] = {
        "id": "msg_01BenchmarkBenchmarkBenchm",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _MESSAGE_USAGE,
    }
    return [_named(event) for event in _message_events(message, block, deltas, reason)]


def _message_events(
    message: dict[str, Any], block: dict[str, Any], deltas: list[dict[str, Any]], reason: str
) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "ping"}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    counted = {**_MESSAGE_USAGE, "output_tokens": len(deltas)}
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": counted}
    yield {"type": "message_stop"}


def _data(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"


def _named(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\n".encode() + _data(event)
