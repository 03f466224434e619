"""Server-sent events or an array: the first byte tells."""

from __future__ import annotations

import pytest

from triptych.framing.sse_or_array import SseOrArrayDecoder

EVENTS = b'data: {"a": 1}\r\n\r\ndata: {"b": 2}\r\n\r\n'
ARRAY = b'\xef\xbb\xbf [{"a": 1},\r\n{"b": 2}\n]\n'


@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize("body", [EVENTS, ARRAY, b"\n" + EVENTS, b": ping\n\n" + EVENTS])
def test_either_framing_gives_the_same_events_wherever_it_is_cut(body: bytes, size: int) -> None:
    decoder = SseOrArrayDecoder()
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    events = [event for piece in pieces for event in decoder.feed(piece)]
    assert [*events, *decoder.finish()] == [b'{"a": 1}', b'{"b": 2}']


def test_an_object_alone_is_one_event() -> None:
    decoder = SseOrArrayDecoder()
    assert [*decoder.feed(b' {"error": {}}\n'), *decoder.finish()] == [b'{"error": {}}']


def test_nothing_gives_nothing() -> None:
    decoder = SseOrArrayDecoder()
    assert [*decoder.feed(b" \r\n"), *decoder.finish()] == []


def test_an_array_that_is_not_closed_is_a_fault() -> None:
    decoder = SseOrArrayDecoder()
    assert decoder.feed(b'[{"a": 1}') == [b'{"a": 1}']
    with pytest.raises(ValueError, match="not closed"):
        decoder.finish()


def test_a_page_is_none_of_both() -> None:
    assert SseOrArrayDecoder().other == (b"<",)
