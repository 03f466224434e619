"""Tests of every framing on the recorded streams: every cutting gives what a plain reading of the whole gives."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable

from attrs import frozen

from tests.framing import plain
from tests.framing.cuts import SIZES, Decoder, decoded, halves, pieces
from tests.framing.recorded import Stream, each, streams
from triptych.framing.aws_event_stream import AwsEventStreamDecoder
from triptych.framing.json_array import JsonArrayDecoder
from triptych.framing.ndjson import NdjsonDecoder
from triptych.framing.sse import SseDecoder


@frozen
class _Framing:
    decoder: Callable[[], Decoder[object]]
    plain: Callable[[bytes], list[object]]


FRAMINGS = {
    "sse": _Framing(SseDecoder, lambda body: [*plain.read_sse(body)]),
    "ndjson": _Framing(NdjsonDecoder, lambda body: [*plain.read_ndjson(body)]),
    "json_array": _Framing(JsonArrayDecoder, lambda body: [*plain.read_json_array(body)]),
    "aws_eventstream": _Framing(AwsEventStreamDecoder, lambda body: [*plain.read_aws_event_stream(body)]),
}
# Cutting a stream in two at each of its places takes the square of its length; a longer one is cut at some of them.
_CUT_EVERYWHERE = 3000
_PLACES = 60


def test_every_framing_of_the_corpus_is_known() -> None:
    assert {stream.framing for stream in streams()} <= set(FRAMINGS)


@each(*FRAMINGS)
def test_a_recorded_stream_in_pieces_of_any_size_decodes_to_its_plain_reading(stream: Stream) -> None:
    framing = FRAMINGS[stream.framing]
    expected = framing.plain(stream.body)
    for size in (*SIZES, len(stream.body)):
        assert decoded(framing.decoder(), pieces(stream.body, size)) == expected, f"in pieces of {size} bytes"


@each(*FRAMINGS)
def test_a_recorded_stream_cut_in_two_at_any_place_decodes_to_its_plain_reading(stream: Stream) -> None:
    framing = FRAMINGS[stream.framing]
    expected = framing.plain(stream.body)
    body = stream.body
    if len(body) <= _CUT_EVERYWHERE:
        cuttings = list(halves(body))
    else:
        places = random.Random(stream.id).sample(range(len(body)), _PLACES)
        cuttings = [(body[:place], body[place:]) for place in places]
    for cutting in cuttings:
        assert decoded(framing.decoder(), cutting) == expected, f"cut at byte {len(cutting[0])}"


@each("sse")
def test_the_line_ends_of_a_recorded_stream_do_not_matter(stream: Stream) -> None:
    expected = plain.read_sse(stream.body)
    lines = stream.body.replace(b"\r\n", b"\n")
    for end in (b"\r", b"\r\n"):
        for size in (1, 61, 65536):
            assert decoded(SseDecoder(), pieces(lines.replace(b"\n", end), size)) == expected


@each("sse")
def test_the_data_of_a_recorded_stream_is_json_or_an_end_marker_unless_it_is_an_error_body(stream: Stream) -> None:
    events = decoded(SseDecoder(), [stream.body])
    if not events:
        assert set(json.loads(stream.body)) == {"error"}
    for event in events:
        assert event.strip() == b"[DONE]" or isinstance(json.loads(event), dict)


@each("ndjson")
def test_each_line_of_a_recorded_stream_is_an_object_and_the_last_says_done(stream: Stream) -> None:
    objects = [json.loads(line) for line in decoded(NdjsonDecoder(), [stream.body])]
    assert [thing["done"] for thing in objects] == [False] * (len(objects) - 1) + [True]


@each("json_array")
def test_the_elements_of_a_recorded_array_are_what_was_recorded(stream: Stream) -> None:
    assert [json.loads(element) for element in decoded(JsonArrayDecoder(), [stream.body])] == stream.recorded


@each("aws_eventstream")
def test_the_frames_of_a_recorded_stream_are_what_was_recorded(stream: Stream) -> None:
    frames = decoded(AwsEventStreamDecoder(), [stream.body])
    recorded = [json.loads(line) for line in stream.recorded.splitlines()]
    assert [{"headers": headers, "payload": _payload(payload)} for headers, payload in frames] == recorded


def _payload(payload: bytes) -> dict[str, object]:
    """Return a payload as the corpus shows it: what InvokeModel wraps in base64 is decoded."""
    shown: dict[str, object] = json.loads(payload)
    if "bytes" in shown:
        shown["bytes_decoded"] = json.loads(base64.b64decode(str(shown.pop("bytes"))))
    return shown
