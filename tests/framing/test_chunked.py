"""Chunked bodies: however the bytes are cut, the body is the same, and what is no chunk is a fault."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triptych.framing.chunked import ChunkedDecoder

PARTS = st.lists(st.tuples(st.binary(min_size=1, max_size=30), st.sampled_from([b"", b";a=b", b' ; x="y"'])))
TRAILERS = st.sampled_from([b"", b"X-Checked: 1\r\n", b"A: 1\r\nB: 2\r\n"])


def coded(parts: list[tuple[bytes, bytes]], trailer: bytes) -> bytes:
    """Return a body in chunked coding: each part is a chunk with its extension."""
    return b"".join(b"%x%b\r\n%b\r\n" % (len(data), more, data) for data, more in parts) + b"0\r\n" + trailer + b"\r\n"


@given(PARTS, TRAILERS, st.lists(st.integers(min_value=0, max_value=400)))
def test_any_cutting_gives_the_same_body(parts: list[tuple[bytes, bytes]], trailer: bytes, cuts: list[int]) -> None:
    wire, decoder = coded(parts, trailer), ChunkedDecoder()
    places = [0, *sorted(cut for cut in cuts if cut < len(wire)), len(wire)]

    body = b"".join(decoder.feed(wire[start:end]) for start, end in pairwise(places))

    assert (body, decoder.ended, decoder.fault) == (b"".join(data for data, _ in parts), True, None)


@given(PARTS, TRAILERS)
def test_no_part_of_it_is_the_end(parts: list[tuple[bytes, bytes]], trailer: bytes) -> None:
    wire, decoder = coded(parts, trailer), ChunkedDecoder()

    decoder.feed(wire[:-1])

    assert (decoder.ended, decoder.fault) == (False, None)


@pytest.mark.parametrize("line", [b"no size\r\n", b"-1\r\n", b"\r\n", b"0x5\r\n", b"1_0\r\n"])
def test_what_came_before_a_fault_is_kept(line: bytes) -> None:
    decoder = ChunkedDecoder()

    assert decoder.feed(b"5\r\nhello\r\n" + line + b"5\r\nnever\r\n") == b"hello"
    assert decoder.fault is not None
    assert not decoder.ended


def test_a_line_without_end_is_a_fault() -> None:
    decoder = ChunkedDecoder()

    assert decoder.feed(b"5;" + b"x" * 70_000) == b""
    assert decoder.fault == "a line between two chunks does not end"
