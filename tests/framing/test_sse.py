"""Tests of server-sent events against the standard, and against what providers and gateways make of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.framing.cuts import cut, decoded, every_way, pieces
from tests.framing.plain import read_sse
from triptych.framing.sse import SseDecoder

# What event streams are made of, and what is taken for it by those who read them loosely.
_MORSELS = [b"data", b"data:", b"data: ", b"event: x", b"id: 1", b"retry: 9", b":", b": ping", b" ", b"\n", b"\r"]
_MORSELS += [b"\r\n", b"\n\n", b"\r\r", b"\xef\xbb\xbf", b'{"a": 1}', b"[DONE]", b"x", b"\0", b"\x0b", b"\x0c", b"\x1c"]
_MORSELS += ["é😀".encode(), b"\xf0\x9f", b"\xc2\x85", b"\xe2\x80\xa8", b"\x85"]
bodies = st.lists(st.sampled_from(_MORSELS), max_size=40).map(b"".join)


def read(body: bytes) -> list[bytes]:
    """Return the events of a body, which are the same however it is cut."""
    events, fault = every_way(SseDecoder, body)
    assert fault is None
    return events


@given(cut(bodies))
def test_any_cutting_of_any_bytes_gives_what_a_plain_reading_gives(chunks: list[bytes]) -> None:
    assert decoded(SseDecoder(), chunks) == read_sse(b"".join(chunks))


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"], ids=["LF", "CR", "CRLF"])
def test_each_line_end_ends_a_line(end: bytes) -> None:
    lines = [b"event: delta", b'data: {"a": 1}', b"", b": ping", b"", b"data: one", b"data: two", b"", b""]
    assert read(end.join(lines)) == [b'{"a": 1}', b"one\ntwo"]


def test_line_ends_may_be_mixed() -> None:
    assert read(b"data: 1\r\ndata: 2\rdata: 3\n\r\ndata: 4\r\rdata: 5\n\n") == [b"1\n2\n3", b"4", b"5"]


def test_a_crlf_that_is_cut_in_two_is_one_line_end() -> None:
    decoder = SseDecoder()
    assert [decoder.feed(b"data: 1\r"), decoder.feed(b"\ndata: 2\r"), decoder.feed(b"\n\r")] == [[], [], [b"1\n2"]]
    assert [decoder.feed(b""), decoder.feed(b"\n"), decoder.finish()] == [[], [], []]


def test_an_event_is_delivered_with_the_cr_that_ends_it_without_waiting_for_a_line_feed() -> None:
    assert SseDecoder().feed(b"data: 1\r\r") == [b"1"]


def test_an_event_is_delivered_in_the_chunk_that_completes_it() -> None:
    decoder = SseDecoder()
    chunks = [b"data: {", b"}\n", b"\ndata: 2\n\ndata", b": 3\n\n"]
    assert [decoder.feed(chunk) for chunk in chunks] == [[], [], [b"{}", b"2"], [b"3"]]


def test_a_byte_order_mark_is_taken_off_the_start_alone() -> None:
    """B112."""
    assert read(b'\xef\xbb\xbfdata: {"first": 1}\n\n') == [b'{"first": 1}']
    assert read("\ufeffdata: \ufeffkept\n\n".encode()) == ["\ufeffkept".encode()]
    assert read("\ufeff\ufeffdata: not a field\n\ndata: next\n\n".encode()) == [b"next"]
    assert read("data: 1\n\n\ufeffdata: not a field\n\n".encode()) == [b"1"]


def test_what_only_begins_like_a_byte_order_mark_is_kept() -> None:
    assert read(b"\xef\xbbdata: not a field\n\ndata: 1\n\n") == [b"1"]
    assert read(b"\xef\xbb") == []


@pytest.mark.parametrize(
    "comment", [b": OPENROUTER PROCESSING\n\n", b":\n", b":\n\n", b": ping - 2026-11-30 12:00:00\n\n", b"id: 7\n:\n\n"]
)
def test_comments_are_passed_over(comment: bytes) -> None:
    """B111."""
    assert read(comment + b"data: 1\n\n" + comment + b"data: 2\n" + comment.rstrip(b"\n") + b"\ndata: 3\n\n") == [
        b"1",
        b"2\n3",
    ]


@pytest.mark.parametrize(
    ("line", "data"),
    [
        (b'data:{"a":1}', b'{"a":1}'),
        (b'data:  {"a":1}', b' {"a":1}'),
        (b"data:[DONE]", b"[DONE]"),
        (b"data: [DONE] ", b"[DONE] "),
        (b"data:\t1", b"\t1"),
        (b"data: a: b: c", b"a: b: c"),
        (b"event:error\ndata:1", b"1"),
    ],
)
def test_one_space_after_the_colon_may_be_there_and_is_not_data(line: bytes, data: bytes) -> None:
    """B113."""
    assert read(line + b"\n\n") == [data]


def test_data_lines_are_joined_by_line_feeds() -> None:
    """B113."""
    assert read(b'data: {\r\ndata:   "a": 1\r\ndata\r\ndata: }\r\n\r\n') == [b'{\n  "a": 1\n\n}']


@pytest.mark.parametrize(
    "line",
    [b"database: 1", b" data: 1", b"Data: 1", b"dat: 1", b"error: {}", b"data\xc2\xa0: 1", b"<html>", b'{"a": 1}'],
)
def test_other_fields_are_passed_over(line: bytes) -> None:
    assert read(line + b"\ndata: 1\n\n") == [b"1"]


@pytest.mark.parametrize(
    "event", [b"event: ping", b"id: 7\nretry: 10", b"data:", b"data", b"data: ", b"data:  ", b"data\ndata"]
)
def test_an_event_without_data_is_passed_over(event: bytes) -> None:
    assert read(event + b"\n\ndata: 1\n\n\n\n" + event + b"\n\n") == [b"1"]


@pytest.mark.parametrize(
    "text",
    ["你好，世界", "👩‍👩‍👧 family", "line\u2028separator", "next\x85line", "a\x0bb\x0cc\x1cd\x1ee\x7f", "\u2029\ufeff"],
)
def test_characters_are_kept_wherever_the_bytes_are_cut(text: str) -> None:
    """B110: also those that Python's `str.splitlines` takes for line ends."""
    body = f"data: {text}\n\ndata: {json.dumps({'text': text}, ensure_ascii=False)}\n\n".encode()
    first, second = read(body)
    assert (first.decode(), json.loads(second)) == (text, {"text": text})


def test_bytes_that_are_no_text_are_left_to_the_reader_of_the_data() -> None:
    assert read(b"data: \xff\xfe\n\n") == [b"\xff\xfe"]


@pytest.mark.parametrize("end", [b"", b"\n", b"\r", b"\r\n"])
def test_the_last_event_needs_no_blank_line(end: bytes) -> None:
    assert read(b"data: 1\n\ndata: [DONE]" + end) == [b"1", b"[DONE]"]


def test_what_a_cut_leaves_is_given_at_the_end_to_be_looked_at() -> None:
    decoder = SseDecoder()
    assert (decoder.feed(b'data: 1\n\ndata: {"a'), decoder.finish(), decoder.finish()) == ([b"1"], [b'{"a'], [])


@pytest.mark.parametrize("body", [b"", b"\n\n", b": only\n\n", b"<!DOCTYPE html>\n<p>502</p>\n", b'{"error": {}}'])
def test_a_body_without_events_gives_none(body: bytes) -> None:
    assert read(body) == []


def test_a_long_event_in_many_chunks_is_whole() -> None:
    data = b"x" * 1_000_000
    assert decoded(SseDecoder(), pieces(b"data: " + data + b"\n\n", 100)) == [data]
