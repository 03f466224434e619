"""The events of one answer: bytes from the network through the framing and the format's parser, one piece at a time."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from itertools import takewhile

from triptych import jsontext
from triptych.answer_reader import limit_items
from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall
from triptych.errors import LlmError
from triptych.events import ItemDone, ProviderEvent, ReasoningDelta, RefusalDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.foreign import pass_foreign
from triptych.formats import StreamParser
from triptych.formats.wrong_form import WRONG_FORM
from triptych.framing import Framing
from triptych.incoming import Incoming
from triptych.request_ids import request_id
from triptych.response import LlmResponse
from triptych.settings import Limits, Timeout

_END_MARKER = b"[DONE]"
_BRACKET = _END_MARKER[0]
# After its end marker a host closes the body at once, if it does: to see that keeps the connection for the next call.
_LAST_BYTES = 0.2
_SNIPPET = 500
_MOST_BEFORE = 1 << 16  # bytes of white space before the first event, until which an object may still follow
# Faults that come too late to matter, once the answer is whole.
_CUT_OFF = ("connection", "timeout", "stream_interrupted")


class Clock:
    """When a stream is given up: at `until`, a moment of `time.monotonic`, or never where that is None.

    Args:
        timeout: The limits.
        deadline: The moment at which the whole call is given up; None is never.
    """

    def __init__(self, timeout: Timeout, deadline: float | None) -> None:
        self._idle = timeout.idle
        self._deadline = deadline
        self._begun = False
        self.until: float | None
        self._wait(timeout.first_event)

    def tick(self) -> None:
        """Note that an event came: the next may take as long as the idle limit says."""
        self._begun = True
        if self._deadline is None and self._idle is not None:
            self.until = time.monotonic() + self._idle
        else:
            self._wait(self._idle)

    def _wait(self, seconds: float | None) -> None:
        """Set the moment to give up at if no event comes."""
        if seconds is None:
            self.until = self._deadline
        else:
            self.until = time.monotonic() + seconds
            if self._deadline is not None and self._deadline < self.until:
                self.until = self._deadline

    def named(self, error: LlmError) -> LlmError:
        """Return a timeout as what it is: the first event's, an idle stream's or the whole call's."""
        if error.kind != "timeout":
            return error
        if self._deadline is not None and time.monotonic() >= self._deadline:
            return error.evolve(message="the time for the whole call is over", code="total_timeout")
        if not self._begun:
            return error
        return error.evolve(message="the stream came to a standstill", code="idle_timeout")


class EventReader:
    """Reads the events of one answer.

    Args:
        incoming: The answer, its body unread.
        framing: What its events are framed by.
        parser: The wire format's parser.
        whole: Reads a body that turns out to be no stream.
        clock: When to give up.
        limits: How much is taken.
    """

    def __init__(
        self,
        incoming: Incoming,
        framing: Framing,
        parser: StreamParser,
        whole: Callable[[bytes], LlmResponse],
        *,
        clock: Clock,
        limits: Limits,
    ) -> None:
        self._incoming = incoming
        self._parser = parser
        self._whole = whole
        self._clock = clock
        self._framing = framing
        self._limits = limits
        self._event_bytes = math.inf if limits.event_bytes is None else limits.event_bytes
        self._coming = 0  # bytes since the last event, about
        self._items = 0
        self._head = b""
        self._is_stream: bool | None = None
        self._fault: LlmError | None = None
        self._released = False
        self.response: LlmResponse | None = None

    def read(self) -> bytes:
        """Return the next piece of the body, or nothing at its end or where it broke off; see `take`."""
        try:
            return self._incoming.read(self._clock.until)
        except LlmError as error:
            self._fault = self._clock.named(error)
            return b""

    def take(self, piece: bytes) -> list[StreamEvent]:
        """Return the events that a piece of the body makes; at the end of the answer `response` is set."""
        if not self._is_stream:
            self._look(piece)
            if self._is_stream is False:
                return self._take_whole()
            if self._is_stream is None:
                return []
            piece, self._head = self._head if piece else b"", self._incoming.cleaned(self._head)[:_SNIPPET]
        events: list[StreamEvent] = []
        framed = taken = self._framed(piece)
        self._coming += len(piece)
        may_be_large = self._coming > self._event_bytes
        if may_be_large:
            taken = list(takewhile(lambda data: len(data) <= self._event_bytes, framed))
        for data in taken:
            if self._event(data, events, last=not piece):
                self._settle()
                return events
        if may_be_large and (len(taken) < len(framed) or self._framing.held > self._event_bytes):
            self._fault = self._too_large()
        if framed:
            self._coming = 0
        if not piece or self._fault is not None:
            self._settle()
        return events

    def _framed(self, piece: bytes) -> list[bytes]:
        """Return the data of the events that end in a piece of the body, or at its end; broken bytes are a fault."""
        try:
            return self._framing.feed(piece) if piece else self._framing.finish()
        except ValueError as fault:
            if self._fault is None:  # what cut the bytes off says more than where they are cut
                words = f"the bytes of the stream are broken: {fault}"
                self._fault = LlmError(words, "stream_interrupted", code="bad_framing", retryable=True)
            return []

    def _too_large(self) -> LlmError:
        most = self._limits.event_bytes
        words = f"an event of the stream is larger than {most:,} bytes, and no more are taken: Limits.event_bytes"
        return LlmError(words, "malformed_response", code="event_too_large")

    def _look(self, piece: bytes) -> None:
        """Find out from its first bytes whether the body is a row of events, whatever its content type says."""
        self._head += piece
        start = self._head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if start or not piece or len(self._head) > _MOST_BEFORE:
            self._is_stream = not start.startswith(self._framing.other)

    def _take_whole(self) -> list[StreamEvent]:
        """Read the rest of a body that is no stream, and return the events of the answer in it."""
        self._released = True  # there is nothing after a body that was read to its end
        pieces = [self._head]
        while self._fault is None and (piece := self.read()):
            pieces.append(piece)
        if self._fault is not None:
            self.response = LlmResponse(error=self._fault)
            return []
        self.response = self._whole(b"".join(pieces))
        return deltas(self.response.content)

    def _event(self, data: bytes, events: list[StreamEvent], *, last: bool) -> bool:
        """Take one event's data; return whether nothing more is to be read after it."""
        parser = self._parser
        if data[0] == _BRACKET and data.strip() == _END_MARKER:
            parser.end_marker()
            return parser.closed
        try:
            event = jsontext.decode(data, self._limits.depth)
        except ValueError as fault:
            if not last:  # the last one may have been cut
                self._fault = _unreadable(self._incoming.cleaned(data), fault)
            return not last
        if not isinstance(event, dict):
            events.append(ProviderEvent({"data": event}))
            return False
        if event.get("type") != "ping":
            self._clock.tick()
        try:
            made = parser.feed(event)
        except WRONG_FORM as fault:
            pass_foreign(fault)
            self._fault = _unreadable(self._incoming.cleaned(data), fault)
            return True
        events += made
        if made and type(made[-1]) is ItemDone:
            self._items += sum(type(one) is ItemDone for one in made)
            if self._items > self._limits.items:
                return True  # `_settle` says so
        return parser.closed or parser.error is not None

    def _settle(self) -> None:
        """Make the response of what has come, and let the connection go."""
        error = self._parser.error or self._fault
        if self._parser.ended and self._fault is not None and self._fault.kind in _CUT_OFF:
            error = self._parser.error  # the answer was whole already
        if error is None and not self._parser.ended:
            error = _cut(self._head)
        if error is not None and error.request_id is None:
            error = error.evolve(request_id=request_id(self._incoming.headers))
        self.response = self._parser.finish(_interrupted(error))
        error = limit_items(self.response, self._limits.items) or error
        if error is not None or self._fault is not None:
            self._incoming.close()
            self._released = True

    def release(self) -> None:
        """Read to the end of the body, where an answer that is whole has one soon, so that the connection is kept."""
        if not self._released:
            self._released = True
            until = time.monotonic() + _LAST_BYTES
            with contextlib.suppress(LlmError):
                while self._incoming.read(until):
                    pass

    def cancelled(self, error: LlmError) -> LlmResponse:
        """Return the response of a stream that was closed before its end."""
        return self._parser.finish(error)


def _interrupted(error: LlmError | None) -> LlmError | None:
    """Return a connection that broke in the middle of an answer as what that is to the caller."""
    if error is None or error.kind != "connection":
        return error
    return error.evolve(kind="stream_interrupted", retryable=True)


def _cut(head: bytes) -> LlmError:
    start = head[:_SNIPPET].decode("utf-8", "replace")
    return LlmError("the stream ended before the answer did", "stream_interrupted", retryable=True, body=start or None)


def _unreadable(data: bytes, fault: Exception) -> LlmError:
    start = data[:_SNIPPET].decode("utf-8", "replace")
    words = f"an event of the stream cannot be read: {start[:80]!r}"
    return LlmError(words, "malformed_response", code="bad_event", cause=repr(fault), body=start)


def deltas(items: list[ContentItem]) -> list[StreamEvent]:
    """Return the events of an answer that came whole: a delta for the words of each item."""
    events: list[StreamEvent] = []
    calls = 0
    for item in items:
        if isinstance(item, Message) and item.text:
            events.append(TextDelta(item.text))
        elif isinstance(item, Reasoning) and item.text:
            events.append(ReasoningDelta(item.text))
        elif isinstance(item, Refusal):
            events.append(RefusalDelta(item.refusal))
        elif isinstance(item, ToolCall):
            text = item.raw_arguments or jsontext.encode_text(item.arguments)
            events.append(ToolCallDelta(item.tool_call_id, item.name, text, calls))
            calls += 1
    return events
