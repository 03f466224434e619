"""Bodies that are no text, in a cassette: frames of AWS event streams, and text that was cut inside a character."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest
import requests
import vcr  # type: ignore[import-untyped]  # vcrpy has no types
from hypothesis import given
from hypothesis import strategies as st

from tests.framing.aws_frames import Value, frame
from tests.replay.loopback import Answer, Loopback, prepared, send
from triptych.framing.aws_event_stream import AwsEventStreamDecoder, Frame
from triptych.replay import Exchange, Tape
from triptych.replay.aws_frames import joined, split
from triptych.replay.layout import exchanges_from_text
from triptych.replay.readable import readable_lines
from triptych.replay.scrub import Scrubber
from triptych.replay.vcr_text import exchange_text

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-planted-0123456789abcdef"
EVENT_STREAM = (("Content-Type", "application/vnd.amazon.eventstream"),)

VALUES: st.SearchStrategy[Value] = st.text() | st.binary() | st.booleans() | st.integers(-(2**63), 2**63 - 1)
HEADERS = st.dictionaries(st.text(max_size=40), VALUES, max_size=4)
FRAMES = st.lists(st.builds(frame, HEADERS, st.binary()), min_size=1, max_size=4).map(b"".join)


def event(kind: str, payload: object, **headers: str) -> bytes:
    """Make a frame as Bedrock sends it."""
    named = {f":{name.replace('_', '-')}": value for name, value in headers.items()}
    return frame({":event-type": kind, ":message-type": "event", **named}, json.dumps(payload).encode())


def decoded(body: bytes) -> list[Frame]:
    """Read frames as a client does, checksums and all."""
    decoder = AwsEventStreamDecoder()
    return decoder.feed(body) + decoder.finish()


def record(server: Loopback, path: Path, body: bytes, headers: tuple[tuple[str, str], ...] = EVENT_STREAM) -> str:
    """Record one answer and return the text of the file."""
    server.answer = lambda seen: Answer(body, headers=headers)
    tape = Tape(path, "once")
    send(tape, server.url, "{}", (KEY,))
    tape.close()
    return path.read_text()


@given(st.binary() | st.builds(lambda frames, more: frames + more, FRAMES, st.binary(max_size=20)))
def test_a_body_that_is_taken_apart_and_joined_again_is_the_same(body: bytes) -> None:
    frames, rest = split(body)
    assert joined(frames, rest) == body


@given(FRAMES)
def test_every_frame_whose_checksums_hold_is_found_with_its_payload(body: bytes) -> None:
    frames, rest = split(body)
    assert ([each.payload for each in frames], rest) == ([each.payload for each in decoded(body)], b"")


@given(FRAMES, st.data())
def test_a_frame_with_a_changed_bit_is_left_as_it_is(body: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(body) - 1))
    damaged = bytearray(body)
    damaged[place] ^= 1 << data.draw(st.integers(0, 7))
    frames, rest = split(bytes(damaged))
    assert joined(frames, rest) == bytes(damaged)
    assert len(rest) >= len(body) - place


def test_frames_are_recorded_byte_for_byte_and_can_be_read_and_searched_in_the_file(
    server: Loopback, path: Path
) -> None:
    """B205."""
    body = (
        event("messageStart", {"role": "assistant"})
        + event("contentBlockDelta", {"delta": {"text": "vier 😀\n"}})
        + event("chunk", {"bytes": base64.b64encode(b'{"type":"message_stop"}').decode()})
        + frame({":exception-type": "throttlingException", ":message-type": "exception"}, b'{"message":"slow"}')
        + frame({":error-code": "500", ":error-message": "no\nluck", ":message-type": "error"})
    )
    text = record(server, path, body)
    assert text[text.index("  response:") : text.index("      string:")] == (
        "  response:\n"
        "    body:\n"
        '      # messageStart {"role": "assistant"}\n'
        '      # contentBlockDelta {"delta": {"text": "vier \\ud83d\\ude00\\n"}}\n'
        '      # chunk {"type":"message_stop"}\n'
        '      # throttlingException {"message":"slow"}\n'
        "      # 500 no\\nluck\n"
    )
    assert send(Tape(path), server.url, "{}").content == body


@given(FRAMES, st.binary(max_size=9))
def test_comments_above_a_body_change_nothing_of_it(body: bytes, more: bytes) -> None:
    exchange = Exchange("POST", "http://h/", (), body + more, 200, "OK", (), body)
    text = "interactions:\n" + exchange_text(exchange) * 2
    assert exchanges_from_text(text) == [exchange, exchange]


def test_plain_vcrpy_plays_frames_with_comments_above_them(server: Loopback, path: Path) -> None:
    """B205."""
    body = event("messageStart", {"role": "assistant"})
    record(server, path, body)
    with vcr.use_cassette(str(path), record_mode="none"), requests.Session() as session:
        assert session.send(prepared(server.url, "{}")).content == body


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (
            'data: {"text": "caf\u00e9"}\n\ndata: {"te'.encode() + b"\xc3",
            ['data: {"text": "café"}', "", 'data: {"te\\xc3'],
        ),
        (b"caf\xf0\x9f\x98", ["caf\\xf0\\x9f\\x98"]),
        (event("a", 1) + event("b", 2)[:9], ["a 1", "and 9 bytes of a frame that was cut short"]),
        (frame({}, b"\xff\x00"), ["\\xff\\x00"]),
        (bytes(range(256)), []),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", []),
    ],
)
def test_what_is_text_in_a_binary_body_is_shown(body: bytes, lines: list[str]) -> None:
    assert list(readable_lines(body)) == lines


def test_text_that_was_cut_inside_a_character_comes_back_byte_for_byte_and_can_be_read(
    server: Loopback, path: Path
) -> None:
    """B205."""
    body = b'data: {"text": "2 + 2 = 4"}\n\ndata: {"text": "caf' + b"\xc3"
    text = record(server, path, body, (("Content-Type", "text/event-stream"),))
    assert (
        '      # data: {"text": "2 + 2 = 4"}\n      # \n      # data: {"text": "caf\\xc3\n      string: !!bin' in text
    )
    assert send(Tape(path), server.url, "{}").content == body


def test_a_request_body_that_is_no_text_is_shown_as_well(server: Loopback, path: Path) -> None:
    server.answer = lambda seen: Answer(b"    body: !!binary |\n  response:\n")
    tape = Tape(path, "once")
    send(tape, server.url, b"  response:\n    body:\n      string: !!binary |\ncaf\xc3")
    tape.close()
    assert path.read_text().count("      # caf\\xc3\n") == 0
    assert path.read_text().count("    # caf\\xc3\n") == 1
    assert send(Tape(path), server.url, b"  response:\n    body:\n      string: !!binary |\ncaf\xc3").content


@pytest.mark.parametrize(
    "leak",
    [
        event("error", {"message": f"wrong key {KEY}"}),
        event("error", {}, error_message=f"wrong key {KEY}"),
        event("chunk", {"bytes": base64.b64encode(json.dumps({"message": f"wrong key {KEY}"}).encode()).decode()}),
        event("chunk", {"bytes": base64.b64encode(KEY.encode()).decode(), "note": KEY, "p": "abc"}),
    ],
    ids=["payload", "header", "payload in base64", "both"],
)
def test_a_secret_in_a_frame_is_replaced_and_the_checksums_are_right_again(
    server: Loopback, path: Path, leak: bytes
) -> None:
    """B202, B205."""
    before, after = event("messageStart", {"role": "assistant"}), event("messageStop", {"stopReason": "end_turn"})
    text = record(server, path, before + leak + after)
    assert KEY not in text
    played = decoded(send(Tape(path), server.url, "{}").content)
    assert [played[0], played[2]] == decoded(before + after)
    shown = json.dumps([dict(played[1].headers), played[1].payload.decode()])
    if "bytes" in shown:
        shown += base64.b64decode(json.loads(played[1].payload)["bytes"]).decode()
    assert "REDACTED" in shown
    assert base64.b64encode(KEY.encode())[:20].decode() not in shown


@given(st.lists(st.tuples(HEADERS, st.binary()), min_size=1, max_size=3), st.integers(0, 2))
def test_only_the_secret_changes_in_scrubbed_frames(parts: list[tuple[dict[str, Value], bytes]], place: int) -> None:
    headers, payload = parts[place % len(parts)]
    leaking = list(parts)
    leaking[place % len(parts)] = ({**headers, "h": f"<{KEY}>"}, payload + b"<" + KEY.encode() + b">")
    clean = list(parts)
    clean[place % len(parts)] = ({**headers, "h": "<REDACTED>"}, payload + b"<REDACTED>")
    scrubbed = Scrubber.of([KEY]).body(b"".join(frame(*part) for part in leaking))
    assert scrubbed == b"".join(frame(*part) for part in clean)


def test_a_stream_that_was_cut_keeps_its_whole_frames_whole(server: Loopback, path: Path) -> None:
    cut = event("messageStop", {"key": KEY})[:-3]
    record(server, path, event("messageStart", {"key": KEY}) + cut)
    frames, rest = split(send(Tape(path), server.url, "{}").content)
    assert [each.payload for each in frames] == [b'{"key": "REDACTED"}']
    assert b"REDACTED" in rest
    assert KEY.encode() not in rest
