"""What the server does with one request: the answer, whole or in parts, and every way to fail."""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Any

from tests.soak import wire
from tests.soak.questions import Answer, dice

_PAUSE = 0.03  # seconds that a slow answer pauses in its middle
# SO_LINGER switched on with a time of zero: close() then sends RST where it would have sent FIN.
_LINGER_ZERO = struct.pack("ii", 1, 0)


class Turn:
    """One request and the connection that is to be answered on.

    Args:
        reader: What the peer sends.
        writer: What is sent to it.
        name: The name of the question.
        streamed: Whether a stream is asked for.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str, streamed: bool) -> None:
        self.reader = reader
        self.writer = writer
        self.streamed = streamed
        self.answer = Answer.to(name)
        self._size = 20 + int(dice("chunk", name) * 2000)

    def whole(self) -> bytes:
        """Return the answer as it should be."""
        if not self.streamed:
            return wire.whole(wire.completion(self.answer))
        words = wire.word_events(self.answer)
        events = [wire.first_event(self.answer), *words, *wire.last_events(self.answer)]
        return wire.stream_head() + self._framed(b"".join(events)) + wire.LAST_CHUNK

    def start(self) -> bytes:
        """Return the first part of the answer: of a body about a half, of a stream so many words as are spoken."""
        if not self.streamed:
            whole = self.whole()
            return whole[: len(whole) - len(self.answer.text) // 2]
        words = wire.word_events(self.answer)[: self.answer.spoken]
        return self.opening() + self._framed(b"".join(words))

    def opening(self) -> bytes:
        """Return what comes before the first word: of a body its head and one byte."""
        if not self.streamed:
            return self.whole().partition(b"\r\n\r\n")[0] + b"\r\n\r\n{"
        return wire.stream_head() + self._framed(wire.first_event(self.answer))

    def unreadable(self) -> bytes:
        """Return an answer that is well framed and whose JSON breaks off."""
        if not self.streamed:
            body = wire.completion(self.answer)
            return wire.whole(body[: len(body) // 2])
        return self.start() + self._framed(wire.event(b'{"id": "chatcmpl-')) + wire.LAST_CHUNK

    def short(self) -> bytes:
        """Return an answer that ends in its middle and as if it were whole."""
        return self.start() + wire.LAST_CHUNK if self.streamed else self.unreadable()

    def refused_inside(self) -> bytes:
        """Return an answer with status 200 that is an error."""
        body = wire.error("The server had an error", "server_error")
        if not self.streamed:
            return wire.whole(body)
        return self.opening() + self._framed(wire.event(body)) + wire.LAST_CHUNK

    def _framed(self, events: bytes) -> bytes:
        return b"".join(wire.chunks(events, self._size))

    async def break_off(self, sent: bytes = b"") -> None:
        """Send this and close."""
        self.writer.write(sent)
        self.writer.close()

    async def reset(self) -> None:
        """Close without an answer, and not in an orderly way."""
        self._socket().setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
        self.writer.transport.abort()

    async def hold(self, sent: bytes = b"") -> None:
        """Send this, then nothing until the peer gives up."""
        self.writer.write(sent)
        await self.reader.read()
        self.writer.close()

    async def pause(self) -> None:
        """Send the answer with a pause in its middle."""
        whole = self.whole()
        self.writer.write(whole[: len(whole) // 2])
        await asyncio.sleep(_PAUSE)
        self.writer.write(whole[len(whole) // 2 :])

    async def close_unsaid(self) -> None:
        """Send the answer and close, which no header has told; whoever uses the connection again finds it closed.

        The end travels in the same packet as the last bytes, so that it is there before the next request is sent.
        """
        self._socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        self.writer.write(self.whole())
        self.writer.write_eof()
        self.writer.close()

    async def say(self, sent: bytes) -> None:
        """Send this and go on to the next request."""
        self.writer.write(sent)

    def _socket(self) -> Any:
        return self.writer.get_extra_info("socket")


# By the name of a fate.
PLAYS: dict[str, Callable[[Turn], Awaitable[None]]] = {
    "answered": lambda turn: turn.say(turn.whole()),
    "reset": lambda turn: turn.reset(),
    "cut": lambda turn: turn.break_off(turn.start()),
    "cut_early": lambda turn: turn.break_off(turn.opening()),
    "short": lambda turn: turn.say(turn.short()),
    "busy": lambda turn: turn.say(
        wire.whole(wire.error("Slow down", "rate_limit_exceeded"), 429, **{"retry-after-ms": 1})
    ),
    "failed": lambda turn: turn.say(wire.whole(wire.error("The server had an error", "server_error"), 500)),
    "unavailable": lambda turn: turn.say(wire.whole(wire.error("Overloaded", "overloaded_error"), 503)),
    "silent": lambda turn: turn.hold(),
    "stalled": lambda turn: turn.hold(turn.start()),
    "slow": lambda turn: turn.pause(),
    "malformed": lambda turn: turn.say(turn.unreadable()),
    "error_inside": lambda turn: turn.say(turn.refused_inside()),
    "garbage": lambda turn: turn.break_off(wire.GARBAGE),
    "closed": lambda turn: turn.close_unsaid(),
}
