"""Streams: an answer piece by piece, which ends whole or says why not."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

from attrs import evolve

from triptych.abort import Abort
from triptych.errors import LlmError, Notice, internal
from triptych.event_reader import EventReader
from triptych.events import ItemDone, ProviderEvent, StreamEvent, TextDelta
from triptych.framing.sse import SseDecoder
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych.structured import GrowingOutput


class Opening:
    """What one try to begin a stream came to.

    Args:
        reader: Reads on; None where no answer came.
        events: What has come already.
        response: The response, where it is there already.
    """

    def __init__(
        self,
        reader: EventReader | None = None,
        events: list[StreamEvent] | None = None,
        response: LlmResponse | None = None,
    ) -> None:
        self.reader = reader
        self.events = events or []
        self.response = response
        self.secrets: tuple[str, ...] = ()
        self.notices: tuple[Notice, ...] = ()

    @property
    def error(self) -> LlmError | None:
        """Why the try failed; only before the first output is that a reason to try again."""
        return None if self.response is None or has_output(self.events) else self.response.error

    @error.setter
    def error(self, error: LlmError | None) -> None:
        """Put the error, with the number of attempts, into the response."""
        if self.response is not None:
            self.response.error = error


def has_output(events: list[StreamEvent]) -> bool:
    """Return whether some of the answer is among the events."""
    return any(not isinstance(event, ProviderEvent) for event in events)


def event_payload(body: bytes) -> bytes:
    """Return the data of the first event of a refusal that came as an event, or any other body as it is."""
    decoder = SseDecoder()
    if body.lstrip().startswith(decoder.other):
        return body
    events = decoder.feed(body) + decoder.finish()
    return events[0] if events else body


def begin(reader: EventReader) -> Opening:
    """Return a stream read up to its first output."""
    events: list[StreamEvent] = []
    while reader.response is None and not has_output(events):
        events += reader.take(reader.read())
    return Opening(reader, events, reader.response)


class LlmStream:
    """An answer as it comes; iterate it for its events, once.

    It begins when it is first asked for something. Used as a context manager it frees its connection at the end of the
    block. One thread iterates; any thread may close.

    Args:
        open_stream: Sends the request, tries again where that may help, and returns the stream's beginning.
        provider: The provider that is asked.
        output: What makes the output of the answer, where one is wished.
    """

    def __init__(
        self, open_stream: Callable[[Abort], Opening], provider: str, output: GrowingOutput | None = None
    ) -> None:
        self._open_stream = open_stream
        self._provider = provider
        self._output = output
        self._abort = Abort()
        self._opening = Opening()
        self._reader: EventReader | None = None
        self._events: deque[StreamEvent] = deque()
        self._items = 0  # items that an event has told
        self._response: LlmResponse | None = None
        self._begun = False
        self._lock = threading.Lock()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> StreamEvent:
        while not self._events:
            if self._response is not None:
                self.release()
                raise StopIteration
            self.advance()
        return self._events.popleft()

    def advance(self) -> None:
        """Wait for the next piece of the answer and take what it makes; the events are then there to iterate."""
        try:
            if not self._begun:
                self._begun = True
                self._enter(self._open_stream(self._abort))
            elif self._reader is not None:
                self._go_on(self._reader, self._reader.read())
        except BaseException:  # the interrupt key: the library's own failures are in the response
            self.close()
            raise

    def _enter(self, opening: Opening) -> None:
        with self._lock:
            self._opening = opening
            if self._response is None:
                self._reader = opening.reader
                self._take(opening.events, opening.response)

    def _go_on(self, reader: EventReader, piece: bytes) -> None:
        with self._lock:
            if self._response is not None:
                return  # closed from another thread, as here it is about to be
            if self._abort.called:
                self._take([], reader.cancelled(self._abort.error()))
                return
            try:
                self._take(reader.take(piece), reader.response)
            except Exception as fault:
                self._abort()
                self._take([], LlmResponse(error=internal(fault)))

    def _take(self, events: list[StreamEvent], response: LlmResponse | None) -> None:
        self._events.extend(events)
        for event in events:
            self._items += type(event) is ItemDone
        if self._output is not None:
            self._output.take(events)
        if response is not None:
            if self._output is not None:
                self._output.finish(response)
            response.provider = self._provider
            response.notices = self._opening.notices
            if response.usage is not None:
                response.usage = evolve(response.usage, attempts=self._abort.tries)
            if response.error is not None:
                response.error = self._told(response.error)
                response.error_message = response.error.message
            self._response = response
            self._events.extend(ItemDone(item) for item in response.content[self._items :])

    def _told(self, error: LlmError) -> LlmError:
        """Return an error of the stream with the number of tries, and without the secrets that providers quote."""
        error = error.evolve(attempts=self._abort.tries)
        for secret in self._opening.secrets:
            error = error.without(secret)
        return error

    @property
    def response(self) -> LlmResponse:
        """The whole response; before the end of the stream the rest is read first."""
        while self._response is None:
            self.advance()
        self.release()
        return self._response

    def collect(self) -> LlmResponse:
        """Return the whole response, reading what is left of the stream."""
        return self.response

    @property
    def partial(self) -> Any:
        """What has come of the output that was asked for, as a JSON value; None before it begins.

        A text in it is as long as what has come of it; numbers are left out until they are whole.
        """
        return None if self._output is None else self._output.value

    @property
    def text(self) -> Iterator[str]:
        """The words alone, as they come."""
        return (event.text for event in self if isinstance(event, TextDelta))

    @property
    def ready(self) -> deque[StreamEvent]:
        """The events that are there already and have not been iterated."""
        return self._events

    @property
    def finished(self) -> bool:
        """Whether the response is there: then no more events come than those that are ready."""
        return self._response is not None

    def close(self) -> None:
        """End the stream here, from any thread: its connection is freed at once, what came stays in the response."""
        if self._response is not None:
            self.release()
            return
        self._abort()
        with self._lock:
            if self._response is None:
                self._begun = True
                error = self._abort.error()
                self._take([], LlmResponse(error=error) if self._reader is None else self._reader.cancelled(error))

    def release(self) -> None:
        """Let the connection of an answer that has ended go back to where the next call finds it."""
        if self._reader is not None:
            self._reader.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self._abort()  # one that is over already is left alone

    def __getstate__(self) -> Any:
        raise TypeError("a stream cannot be pickled; its response can")
