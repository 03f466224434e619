"""Tests of the AWS event stream: frames whose checksums hold, and what is said of those that are broken."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.framing.aws_frames import Value, frame, prelude, sealed
from tests.framing.cuts import cut, decoded, every_way, outcome, pieces
from tests.framing.plain import read_aws_event_stream
from triptych.framing.aws_event_stream import AwsEventStreamDecoder, Frame

EVENT = {":event-type": "contentBlockDelta", ":content-type": "application/json", ":message-type": "event"}
DELTA = json.dumps({"contentBlockIndex": 0, "delta": {"text": "四"}}, ensure_ascii=False).encode()
FIRST, SECOND = frame(EVENT, DELTA), frame(EVENT, b'{"stopReason": "end_turn"}')

_VALUES: st.SearchStrategy[Value] = (
    st.text(max_size=10) | st.binary(max_size=10) | st.booleans() | st.integers(-(2**63), 2**63 - 1)
)
_HEADERS = st.dictionaries(st.text(st.sampled_from("abé:-"), min_size=1, max_size=10), _VALUES, max_size=4)
bodies = st.lists(st.builds(frame, _HEADERS, st.binary(max_size=60)), max_size=4).map(b"".join)
# One byte of a good stream is another, or some bytes are gone.
_DAMAGED = st.tuples(st.integers(0, len(FIRST + SECOND) - 1), st.integers(0, 3), st.binary(max_size=2)).map(
    lambda damage: (FIRST + SECOND)[: damage[0]] + damage[2] + (FIRST + SECOND)[damage[0] + damage[1] :]
)


def read(body: bytes) -> tuple[list[Frame], str | None]:
    """Return the frames of a body and what is wrong with it, which are the same however it is cut."""
    return every_way(AwsEventStreamDecoder, body)


@given(cut(bodies))
def test_any_cutting_of_any_frames_gives_what_a_plain_reading_gives(chunks: list[bytes]) -> None:
    assert decoded(AwsEventStreamDecoder(), chunks) == read_aws_event_stream(b"".join(chunks))


@given(cut(_DAMAGED))
def test_no_cutting_changes_what_is_made_of_damaged_bytes(chunks: list[bytes]) -> None:
    assert outcome(AwsEventStreamDecoder(), chunks) == outcome(AwsEventStreamDecoder(), [b"".join(chunks)])


def test_a_frame_has_headers_and_payload_by_name_and_by_place() -> None:
    frames, fault = read(FIRST)
    headers, payload = frames[0]
    assert (frames, fault, headers, payload) == ([Frame(headers=EVENT, payload=DELTA)], None, EVENT, DELTA)


def test_a_frame_is_delivered_with_its_last_byte() -> None:
    decoder = AwsEventStreamDecoder()
    chunks = [FIRST[:5], FIRST[5:-1], FIRST[-1:] + SECOND + FIRST[:30], FIRST[30:]]
    delta, stop = Frame(EVENT, DELTA), Frame(EVENT, b'{"stopReason": "end_turn"}')
    assert [decoder.feed(chunk) for chunk in chunks] == [[], [], [delta, stop], [delta]]
    assert decoder.finish() == []


def test_a_stream_without_frames_gives_none() -> None:
    assert read(b"") == ([], None)


@pytest.mark.parametrize(
    ("headers", "payload"),
    [
        ({":message-type": "exception", ":exception-type": "throttlingException"}, b'{"message": "Too many requests"}'),
        ({":message-type": "exception", ":exception-type": "modelStreamErrorException"}, b'{"message": "It broke"}'),
        ({":message-type": "exception", ":exception-type": "validationException"}, b""),
        ({":message-type": "error", ":error-code": "InternalServerException", ":error-message": "Sorry"}, b""),
    ],
)
def test_an_exception_after_text_is_delivered_with_what_it_says(headers: Mapping[str, str], payload: bytes) -> None:
    """B129."""
    frames, fault = read(FIRST + frame(headers, payload))
    assert (frames, fault) == ([Frame(EVENT, DELTA), Frame(dict(headers), payload)], None)


def test_headers_of_every_kind_are_read() -> None:
    block = b"\1a\0" + b"\1b\1" + b"\1c\2\xff" + b"\1d\3\xff\xfe" + b"\1e\4\0\0\1\0" + b"\1f\5" + b"\0" * 7 + b"\5"
    block += b"\1g\6\0\2\0\1" + b"\1h\7\0\2\xc3\xa9" + b"\1i\x08" + b"\0" * 6 + b"\1\0" + b"\1j\x09" + bytes(range(16))
    headers: dict[str, Value] = {"a": True, "b": False, "c": -1, "d": -2, "e": 256, "f": 5}
    headers |= {"g": b"\0\1", "h": "é", "i": 256, "j": bytes(range(16))}
    assert read(sealed(block, b"x")) == ([Frame(headers, b"x")], None)


def test_a_damaged_byte_anywhere_in_a_frame_is_found_and_the_frame_before_it_kept() -> None:
    """B129."""
    for place in range(len(FIRST)):
        damaged = bytearray(SECOND + FIRST)
        damaged[len(SECOND) + place] ^= 1
        frames, fault = outcome(AwsEventStreamDecoder(), [bytes(damaged)])
        said = f"the event stream is broken in the frame at byte {len(SECOND)}: "
        assert (frames, str(fault)[: len(said)]) == ([Frame(EVENT, b'{"stopReason": "end_turn"}')], said)


def test_a_damaged_length_is_found_before_so_many_bytes_are_waited_for() -> None:
    with pytest.raises(ValueError, match=r"^the event stream is broken in the frame at byte 0: "):
        AwsEventStreamDecoder().feed(b"\x7f" + FIRST[1:12])


@pytest.mark.parametrize(
    ("start", "fault"),
    [
        (b"<html><body>502 Bad Gateway</body></html>", ""),
        (prelude(0, 0), ""),
        (prelude(12, 0), "a length of 12 bytes, and headers of 0"),
        (prelude(15, 0), "a length of 15 bytes, and headers of 0"),
        (prelude(40, 25), "a length of 40 bytes, and headers of 25"),
        (prelude(2**31, 0), "Payload length of 2147483632 exceeded the maximum of "),
        (prelude(2**31, 2**30), "Header length of 1073741824 exceeded the maximum of "),
        (sealed(b"\1a\x0a"), "a header of the unknown type 10"),
        (sealed(b"\1a\0\1a\0"), 'Duplicate header present: "a"'),
        (sealed(b"\1a\7\0\1\xff"), "'utf-8' codec can't decode byte 0xff in position 0"),
        (sealed(b"\1a\4\0"), "unpack requires a buffer of 4 bytes"),
    ],
)
def test_what_is_no_frame_says_what_is_wrong_and_where(start: bytes, fault: str) -> None:
    frames, found = read(FIRST + start)
    assert frames == [Frame(EVENT, DELTA)]
    assert str(found).startswith(f"the event stream is broken in the frame at byte {len(FIRST)}: {fault}")


@pytest.mark.parametrize(
    ("have", "said"),
    [(1, "1 bytes"), (11, "11 bytes"), (12, f"12 bytes of {len(SECOND)}"), (60, f"60 bytes of {len(SECOND)}")],
)
def test_an_end_inside_a_frame_is_found(have: int, said: str) -> None:
    assert read(FIRST + SECOND[:have]) == (
        [Frame(EVENT, DELTA)],
        f"the event stream ends inside the frame at byte {len(FIRST)}, after {said}",
    )


def test_a_fault_is_reported_by_the_call_after_the_frames_before_it_and_by_every_later_one() -> None:
    decoder = AwsEventStreamDecoder()
    assert decoder.feed(FIRST + prelude(15, 0) + FIRST) == [Frame(EVENT, DELTA)]
    said = rf"^the event stream is broken in the frame at byte {len(FIRST)}: a length of 15 bytes, and headers of 0$"
    for _ in range(2):
        with pytest.raises(ValueError, match=said):
            decoder.feed(FIRST)
    with pytest.raises(ValueError, match=said):
        decoder.finish()


@pytest.mark.parametrize("size", [100, 65536])
def test_a_long_frame_in_many_chunks_and_many_frames_in_one_chunk_are_whole(size: int) -> None:
    body = frame(EVENT, b"x" * 1_000_000) + FIRST * 1000
    frames = [Frame(EVENT, b"x" * 1_000_000)] + [Frame(EVENT, DELTA)] * 1000
    assert decoded(AwsEventStreamDecoder(), pieces(body, size)) == frames


def test_without_botocore_the_error_names_the_extra() -> None:
    # Like an environment without botocore: nothing finds a module of that name.
    script = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'botocore': raise ModuleNotFoundError('No module named botocore', name='botocore')\n"
        "sys.meta_path.insert(0, Absent())\n"
        "from triptych.framing import json_array, ndjson, sse\n"
        "from triptych import LlmError\n"
        "try: from triptych.framing import aws_event_stream\n"
        "except LlmError as error: print(error.code, error.message)\n"
    )
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == (
        "missing_extra a stream of Bedrock needs botocore, which is not installed: pip install 'triptych[bedrock]'\n"
    )
