"""The events of Amazon Bedrock's streams: frames of the AWS event stream to the JSON of each event.

Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html and
API_runtime_InvokeModelWithResponseStream.html
"""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from triptych import jsontext
from triptych.framing.aws_event_stream import AwsEventStreamDecoder, Frame

# HTTP statuses of the exceptions that may end a stream; the model's own failure has none that would say more.
_STATUSES = {
    "throttlingException": 429,
    "validationException": 400,
    "modelTimeoutException": 408,
    "internalServerException": 500,
    "serviceUnavailableException": 503,
}


class _AwsEvents(ABC):
    """Turns bytes into the JSON of events; how a frame says one is the subclass's."""

    __slots__ = ("_frames", "other")

    def __init__(self) -> None:
        self.other: tuple[bytes, ...] = (b"{", b"[", b"<")  # a frame begins with its length, which is never so large
        self._frames = AwsEventStreamDecoder()

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of the events that end in `chunk`.

        Args:
            chunk: The next bytes, cut anywhere.

        Raises:
            ValueError: the framing is broken; the message says where.
        """
        return [self._data(frame) for frame in self._frames.feed(chunk)]

    @property
    def held(self) -> int:
        """How many bytes are kept of what has not ended yet."""
        return self._frames.held

    def finish(self) -> list[bytes]:
        """Return nothing: every frame has an end of its own.

        Raises:
            ValueError: the bytes end inside a frame.
        """
        return [self._data(frame) for frame in self._frames.finish()]

    def _data(self, frame: Frame) -> bytes:
        kind = frame.headers.get(":message-type")
        if kind == "error":
            code, words = frame.headers.get(":error-code"), frame.headers.get(":error-message")
            return self._failure({"code": str(code), "message": str(words)})
        if kind == "exception":
            return self._exception(str(frame.headers.get(":exception-type")), frame.payload)
        return self._event(str(frame.headers.get(":event-type")), frame.payload)

    @abstractmethod
    def _event(self, name: str, payload: bytes) -> bytes:
        """Return the data of an event."""

    @abstractmethod
    def _exception(self, name: str, payload: bytes) -> bytes:
        """Return the data of the exception that ends a stream."""

    @abstractmethod
    def _failure(self, error: Mapping[str, str]) -> bytes:
        """Return the data of an error that has no type in the API: its code and its words."""


class AwsNamedEvents(_AwsEvents):
    """Reads streams whose frames are named: each event is an object with the name as its only key.

    So ConverseStream's: `{"contentBlockDelta": {…}}`, and `{"throttlingException": {"message": …}}`. The payload is
    not decoded here. An error that has no type is `{"error": {"code": …, "message": …}}`.
    """

    __slots__ = ()

    def _event(self, name: str, payload: bytes) -> bytes:
        return b"{%b:%b}" % (jsontext.encode(name), payload or b"{}")

    _exception = _event

    def _failure(self, error: Mapping[str, str]) -> bytes:
        return jsontext.encode({"error": error})


class AwsChunkEvents(_AwsEvents):
    """Reads streams that carry a model's own events, each as base64 in a frame: so InvokeModel's.

    An exception becomes an event of type "error" in the form that models' own APIs have.
    """

    __slots__ = ()

    def _event(self, name: str, payload: bytes) -> bytes:
        try:
            said = jsontext.decode(payload)
        except ValueError:
            return payload or b"{}"  # the frame is whole: that its data cannot be read is for its reader to say
        data = said.get("bytes") if isinstance(said, dict) else None
        if not isinstance(data, str):
            return payload
        try:
            return base64.b64decode(data, validate=True) or b"{}"
        except ValueError:
            return data.encode()

    def _exception(self, name: str, payload: bytes) -> bytes:
        error: dict[str, Any] = {"type": name, "message": _message(payload)}
        if name in _STATUSES:
            error["status_code"] = _STATUSES[name]
        return self._failure(error)

    def _failure(self, error: Mapping[str, Any]) -> bytes:
        return jsontext.encode({"type": "error", "error": error})


def _message(payload: bytes) -> str:
    try:
        said = jsontext.decode(payload)
    except ValueError:
        return payload.decode("utf-8", "replace")
    message = said.get("message") or said.get("Message") if isinstance(said, Mapping) else None
    return str(message or "the stream was ended by an exception without words")
