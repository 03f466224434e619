"""Tests of newline-delimited JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.framing.cuts import cut, decoded, every_way
from tests.framing.plain import read_ndjson
from triptych.framing.ndjson import NdjsonDecoder

_MORSELS = [
    b"{}",
    b'{"a": 1}',
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
    b"\t",
    b"\n\n",
    b"\xef\xbb\xbf",
    b"x",
    b"\0",
    b"\x0b",
    b"\x0c",
]
_MORSELS += ["é😀".encode(), b"\xc2\x85", b"\xe2\x80\xa8", b"\x85"]
bodies = st.lists(st.sampled_from(_MORSELS), max_size=30).map(b"".join)


def read(body: bytes) -> list[bytes]:
    """Return the lines of a body, which are the same however it is cut."""
    lines, fault = every_way(NdjsonDecoder, body)
    assert fault is None
    return lines


@given(cut(bodies))
def test_any_cutting_of_any_bytes_gives_what_a_plain_reading_gives(chunks: list[bytes]) -> None:
    assert decoded(NdjsonDecoder(), chunks) == read_ndjson(b"".join(chunks))


def test_a_line_in_three_chunks_and_two_lines_in_one_chunk() -> None:
    """B126."""
    decoder = NdjsonDecoder()
    chunks = [b'{"message": {"con', b'tent": "a"}, "do', b'ne": false}\n', b'{"done": false}\n{"done": true}\n']
    assert [decoder.feed(chunk) for chunk in chunks] == [
        [],
        [],
        [b'{"message": {"content": "a"}, "done": false}'],
        [b'{"done": false}', b'{"done": true}'],
    ]
    assert decoder.finish() == []


def test_the_last_line_needs_no_line_end() -> None:
    """B126."""
    assert read(b'{"done": false}\n{"done": true}') == [b'{"done": false}', b'{"done": true}']


def test_events_are_bytes_that_need_no_charset() -> None:
    """B115."""
    assert read('{"response": "日本"}\n'.encode()) == ['{"response": "日本"}'.encode()]


@pytest.mark.parametrize("body", [b"", b"\n", b"\r\n\r\n", b" \n\t\n", b"\xef\xbb\xbf\n"])
def test_a_body_without_lines_gives_none(body: bytes) -> None:
    """B115: the caller sees that nothing came."""
    assert read(body) == []


def test_blank_lines_and_crlf_are_white_space() -> None:
    assert read(b'\r\n{"a": 1}\r\n\r\n  \n {"b": 2} \r\n') == [b'{"a": 1}', b'{"b": 2}']


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\u2028b\x85c\u2029d"
    line = json.dumps({"response": text}, ensure_ascii=False).encode()
    assert read(line + b"\n" + b'{"a":\r1}\n') == [line, b'{"a":\r1}']


def test_a_byte_order_mark_is_taken_off_the_start_alone() -> None:
    assert read("\ufeff{}\n\ufeff{}\n".encode()) == [b"{}", "\ufeff{}".encode()]


def test_what_a_cut_leaves_is_given_at_the_end_to_be_looked_at() -> None:
    decoder = NdjsonDecoder()
    assert (decoder.feed(b'{}\n{"a'), decoder.finish(), decoder.finish()) == ([b"{}"], [b'{"a'], [])
