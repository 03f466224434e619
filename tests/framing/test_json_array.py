"""Tests of the JSON array whose elements arrive in pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.framing.cuts import cut, decoded, every_way, outcome, pieces
from tests.framing.plain import read_json_array
from triptych.framing.json_array import JsonArrayDecoder

_TEXTS = st.text(st.sampled_from('ab"\\{}[],: \n\té😀\u2028\x85'), max_size=12)
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS
_VALUES: SearchStrategy[Any] = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4), max_leaves=12
)
_MORSELS = [b"[", b"]", b"{", b"}", b'"', b"\\", b",", b":", b" ", b"\n", b"\r", b"1", b"a", b"\xef\xbb\xbf", b"{}"]
_MORSELS += [b'{"a": "b"}', b'"\\""', "é".encode()]
anything = st.lists(st.sampled_from(_MORSELS), max_size=25).map(b"".join)


@st.composite
def arrays(draw: st.DrawFn) -> bytes:
    """Draw the text of an array, written densely or over many lines, with what may stand between elements."""
    values = draw(st.lists(_VALUES, max_size=5))
    indent, escaped = draw(st.sampled_from([None, 0, 2])), draw(st.booleans())
    texts = [json.dumps(value, indent=indent, ensure_ascii=escaped) for value in values]
    between = draw(st.sampled_from([",", "\n,\r\n", " ,\t"]))
    space = draw(st.sampled_from(["", "\n", " \r\n"]))
    return f"{space}[{space}{between.join(texts)}{space}]{space}".encode()


def read(body: bytes) -> tuple[list[bytes], str | None]:
    """Return the elements of a body and what is wrong with it, which are the same however it is cut."""
    return every_way(JsonArrayDecoder, body)


@given(cut(arrays()))
def test_any_cutting_of_any_array_gives_the_text_of_each_element(chunks: list[bytes]) -> None:
    assert decoded(JsonArrayDecoder(), chunks) == read_json_array(b"".join(chunks))


@given(cut(anything))
def test_no_cutting_changes_what_is_made_of_bytes_that_are_no_array(chunks: list[bytes]) -> None:
    assert outcome(JsonArrayDecoder(), chunks) == outcome(JsonArrayDecoder(), [b"".join(chunks)])


def test_an_element_is_delivered_with_its_last_byte() -> None:
    decoder = JsonArrayDecoder()
    chunks = [b"[{\n", b'  "a": "}', b'"\n}', b"\n", b",\r\n{}", b"\n,\r\n{", b"}", b"\n]"]
    assert [decoder.feed(chunk) for chunk in chunks] == [[], [], [b'{\n  "a": "}"\n}'], [], [b"{}"], [], [b"{}"], []]
    assert decoder.finish() == []


@pytest.mark.parametrize(
    "element",
    [
        b'{"a": "{[}]"}',
        b'{"a": "\\"}"}',
        b'{"a": "\\\\"}',
        b'{"a": "\\\\\\"}"}',
        b'{"no JSON": "\\\n}"}',
        b'{"\\u007b": {"}": [{"]": "["}]}}',
        b'[[], [[1, 2], {"a": []}], "]"]',
        b"{}",
        b"[]",
        b'"a, b] \\" c"',
        b'""',
        b"-1.5e-3",
        b"null",
        '{"text": "\u2028 \x85 é😀"}'.encode(),
    ],
)
def test_an_element_of_any_kind_is_given_as_it_was_written(element: bytes) -> None:
    assert read(b"[" + element + b"]") == ([element], None)
    assert read(b"[" + element + b"\n,\r\n" + element + b"\n]\n") == ([element, element], None)


@pytest.mark.parametrize("body", [b"", b" \n", b"[]", b"[\n]\n", b"\xef\xbb\xbf[]"])
def test_a_body_without_elements_gives_none(body: bytes) -> None:
    assert read(body) == ([], None)


def test_a_byte_order_mark_before_the_array_is_passed_over() -> None:
    assert read(b"\xef\xbb\xbf[{}]") == ([b"{}"], None)


def test_an_object_instead_of_an_array_is_given_as_the_only_element() -> None:
    error = b'{\n  "error": {"code": 400, "message": "API key not valid [1]", "status": "INVALID_ARGUMENT"}\n}'
    assert read(error + b"\n") == ([error], None)


@pytest.mark.parametrize(
    ("body", "elements", "fault"),
    [
        (b"<html>", [], "a JSON array was expected, and at byte 0 there is b'<'"),
        (b'\n "text"', [], "a JSON array was expected, and at byte 2 there is b'\"'"),
        (b"[{}] {}", [b"{}"], "nothing was expected after the JSON array, and at byte 5 there is b'{'"),
        (b"{}\n{}", [b"{}"], "nothing was expected after the JSON array, and at byte 3 there is b'{'"),
        (b"[", [], "the JSON array is not closed: it ends between two elements, after 1 bytes"),
        (b"[{},\r\n", [b"{}"], "the JSON array is not closed: it ends between two elements, after 6 bytes"),
        (b'[{}, {"a": "b', [b"{}"], "the JSON array is not closed: it ends inside an element, after 13 bytes"),
        (b'["a\\', [], "the JSON array is not closed: it ends inside an element, after 4 bytes"),
        (b"[12", [], "the JSON array is not closed: it ends inside an element, after 3 bytes"),
        (b'{"error": {', [], "the JSON array is not closed: it ends inside an element, after 11 bytes"),
    ],
)
def test_a_broken_array_gives_what_was_whole_and_then_says_where_it_broke(
    body: bytes, elements: list[bytes], fault: str
) -> None:
    assert read(body) == (elements, fault)


def test_a_fault_is_reported_by_the_call_after_the_elements_before_it_and_by_every_later_one() -> None:
    decoder = JsonArrayDecoder()
    said = r"^nothing was expected after the JSON array, and at byte 5 there is b'x'$"
    assert decoder.feed(b"[{}] x [{}]") == [b"{}"]
    for _ in range(2):
        with pytest.raises(ValueError, match=said):
            decoder.feed(b"[{}]")
    with pytest.raises(ValueError, match=said):
        decoder.finish()


@pytest.mark.parametrize("junk", [b"oops", b"}", b"{}}", b'{"a": }'])
def test_junk_between_elements_is_given_to_the_reader_of_the_json(junk: bytes) -> None:
    elements, fault = read(b'[{"a": 1},' + junk + b',{"b": 2}]')
    assert (elements[0], b"".join(elements[1:-1]), elements[-1], fault) == (b'{"a": 1}', junk, b'{"b": 2}', None)


@pytest.mark.parametrize("text", ["x", "\n", '"{', "\\", "😀"])
def test_a_long_element_in_many_chunks_is_whole(text: str) -> None:
    element = json.dumps({"a": text * 100_000}, ensure_ascii=False).encode()
    for size in (100, 65536):
        assert decoded(JsonArrayDecoder(), pieces(b"[" + element + b"]", size)) == [element]


def test_deep_nesting_needs_no_stack() -> None:
    element = b'{"a":[' * 100_000 + b"]}" * 100_000
    assert decoded(JsonArrayDecoder(), pieces(b"[" + element + b"]", 4096)) == [element]
