"""The events of Bedrock's streams: frames to JSON, exceptions too."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.framing.aws_frames import frame
from tests.framing.plain import read_aws_event_stream
from tests.framing.recorded import Stream, each
from triptych.framing import Framing
from triptych.framing.aws_json import AwsChunkEvents, AwsNamedEvents


def event(name: str, payload: bytes) -> bytes:
    return frame({":event-type": name, ":content-type": "application/json", ":message-type": "event"}, payload)


def exception(name: str, payload: bytes) -> bytes:
    return frame({":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}, payload)


FAULT = frame({":message-type": "error", ":error-code": "Internal", ":error-message": 'it\'s "broken"'})


def read(framing: Framing, body: bytes, size: int = 1 << 20) -> list[Any]:
    data = [one for start in range(0, len(body), size) for one in framing.feed(body[start : start + size])]
    return [json.loads(one) for one in [*data, *framing.finish()]]


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_a_named_event_is_an_object_with_its_name_as_the_only_key(size: int) -> None:
    """B129."""
    body = (
        event("contentBlockDelta", b'{"delta": {"text": "a"}}')
        + event("messageStop", b"")
        + exception("throttlingException", b'{"message": "slow down"}')
        + FAULT
    )
    assert read(AwsNamedEvents(), body, size) == [
        {"contentBlockDelta": {"delta": {"text": "a"}}},
        {"messageStop": {}},
        {"throttlingException": {"message": "slow down"}},
        {"error": {"code": "Internal", "message": 'it\'s "broken"'}},
    ]


def test_a_payload_is_passed_on_byte_by_byte() -> None:
    """What is in it is for the reader of the event to judge, and numbers keep their spelling."""
    assert AwsNamedEvents().feed(event("e", b'{"n": 1.0e2 }')) == [b'{"e":{"n": 1.0e2 }}']


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_a_chunk_is_the_models_own_event(size: int) -> None:
    own = b'{"type":"message_stop"}'
    body = (
        event("chunk", json.dumps({"bytes": base64.b64encode(own).decode(), "p": "abc"}).encode())
        + exception("throttlingException", b'{"message": "slow down"}')
        + exception("modelStreamErrorException", b"not json")
        + FAULT
    )
    assert read(AwsChunkEvents(), body, size) == [
        {"type": "message_stop"},
        {"type": "error", "error": {"type": "throttlingException", "message": "slow down", "status_code": 429}},
        {"type": "error", "error": {"type": "modelStreamErrorException", "message": "not json"}},
        {"type": "error", "error": {"code": "Internal", "message": 'it\'s "broken"'}},
    ]


@pytest.mark.parametrize(
    ("payload", "data"),
    [(b'{"a": 1}', b'{"a": 1}'), (b'{"bytes": "a"}', b"a"), (b"rubbish", b"rubbish"), (b"", b"{}")],
)
def test_a_chunk_whose_data_are_none_or_broken_is_passed_on_as_it_is(payload: bytes, data: bytes) -> None:
    """The frame is whole, and so are those before it: that its data cannot be read is for their reader to say."""
    assert AwsChunkEvents().feed(event("e", b"{}") + event("chunk", payload)) == [b"{}", data]


@pytest.mark.parametrize("kind", [AwsNamedEvents, AwsChunkEvents])
def test_broken_frames_and_a_cut_frame_are_faults_that_say_where(kind: type[AwsNamedEvents | AwsChunkEvents]) -> None:
    whole = event("e", b"{}")
    with pytest.raises(ValueError, match="broken in the frame at byte 0"):
        kind().feed(whole[:-1] + b"?")
    framing = kind()
    framing.feed(whole[:-1])
    with pytest.raises(ValueError, match="ends inside the frame at byte 0"):
        framing.finish()


@pytest.mark.parametrize("kind", [AwsNamedEvents, AwsChunkEvents])
def test_what_is_no_stream_of_frames_shows_in_its_first_byte(kind: type[AwsNamedEvents | AwsChunkEvents]) -> None:
    assert b'{"message": "no"}'.startswith(kind().other)
    assert not event("e", b"{}").startswith(kind().other)


@each("aws_eventstream")
def test_recorded_streams_are_read_as_a_plain_reading_reads_their_frames(stream: Stream) -> None:
    frames = [(headers[":event-type"], json.loads(payload)) for headers, payload in read_aws_event_stream(stream.body)]
    if frames[0][0] == "chunk":
        own = [json.loads(base64.b64decode(said["bytes"])) for _, said in frames]
        assert read(AwsChunkEvents(), stream.body, 97) == own
    else:
        assert read(AwsNamedEvents(), stream.body, 97) == [{name: said} for name, said in frames]
