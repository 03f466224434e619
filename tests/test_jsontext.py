"""Tests of JSON text: every value that Python can hold and JSON cannot, and every text that is not quite JSON."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import math
import uuid
from collections import ChainMap, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych import Text, jsontext

Point = namedtuple("Point", "x y")  # the plain form is one of the values to write


class Colour(enum.Enum):
    RED = "red"
    TWO = 2


class Level(enum.IntEnum):
    HIGH = 3


class Word(str):
    """A str of a library's own, as templating libraries have."""

    __slots__ = ()


class Share(float):
    """A float of a library's own, as numpy's are."""


class Count(int):
    """An int of a library's own."""


@dataclass
class Place:
    name: str


def nested(depth: int, leaf: object = 0) -> object:
    """Return lists and objects in one another."""
    for level in range(depth):
        leaf = [leaf] if level % 2 else {"a": leaf}
    return leaf


CIRCLE: list[object] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, 1.5, "é", None, True, {}]}, '{"a":[1,1.5,"é",null,true,{}]}'),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (float("nan"), "null"),
        ([float("inf"), float("-inf")], "[null,null]"),
        (1e400, "null"),
        (2**64, "18446744073709551616"),
        ({"n": -(10**40)}, '{"n":-' + "1" + "0" * 40 + "}"),
        ("hi \ud83c there", '"hi \ufffd there"'),
        ("\ud83d\ude00", '"😀"'),
        ("😀", '"😀"'),
        ({"\ud800": 1}, '{"\ufffd":1}'),
        ([{"a": [("\udc00", {"\udfff": ["\ud83d\ude00"]})]}], '[{"a":[["\ufffd",{"\ufffd":["😀"]}]]}]'),
        ({"\ud800"}, '["\ufffd"]'),
        (Place("\ud800"), '{"name":"\ufffd"}'),
        (["\ud800", 2**70, float("nan"), b"x", Colour.RED], '["\ufffd",1180591620717411303424,null,"eA==","red"]'),
        (datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC), '"2026-01-02T03:04:05Z"'),
        (datetime.date(2026, 1, 2), '"2026-01-02"'),
        (b"abc", '"YWJj"'),
        (bytearray(b"abc"), '"YWJj"'),
        (Colour.RED, '"red"'),
        (Colour.TWO, "2"),
        (Level.HIGH, "3"),
        (decimal.Decimal("1.50"), '"1.50"'),
        (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (Word("x"), '"x"'),
        ({"a": [Share(0.5), Count(7)]}, '{"a":[0.5,7]}'),
        (MappingProxyType({"a": 1}), '{"a":1}'),
        (ChainMap({"a": 1}), '{"a":1}'),
        (OrderedDict(a=1), '{"a":1}'),
        (defaultdict(int, a=1), '{"a":1}'),
        ((1, Point(2, 3)), "[1,[2,3]]"),
        ({1: "a", 2.5: "b"}, '{"1":"a","2.5":"b"}'),
        (Text("hi"), '{"text":"hi","issuer":null,"provider_data":null}'),
        (Text("\ud800"), '{"text":"\ufffd","issuer":null,"provider_data":null}'),
    ],
    ids=repr,
)
def test_a_value_is_written_as_strict_json(value: object, text: str) -> None:
    assert json.loads(jsontext.encode(value)) == json.loads(text)
    assert jsontext.encode_text(value) == jsontext.encode(value).decode()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (object(), "a value of type object has no JSON form"),
        ({"a": [1j]}, "a value of type complex has no JSON form"),
        ([int], "a value of type type has no JSON form"),
        (["\ud800", object()], "a value of type object has no JSON form"),
        ({None: 1}, "a key of type NoneType has no JSON form"),
        ({True: 1}, "a key of type bool has no JSON form"),
        ({(1, 2): 1}, "a value of type tuple has no JSON form"),
    ],
    ids=["object", "complex", "type", "inside", "none-as-key", "bool-as-key", "tuple-as-key"],
)
def test_a_value_without_a_json_form_is_a_type_error_that_says_so(value: object, words: str) -> None:
    with pytest.raises(TypeError) as caught:
        jsontext.encode(value)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    "value", [nested(100_000), CIRCLE, [nested(100_000), "\ud800"]], ids=["deep", "circle", "both"]
)
def test_what_is_nested_too_deeply_is_a_value_error(value: object) -> None:
    with pytest.raises(ValueError, match=r"^a value is nested too deeply for JSON, or holds itself$"):
        jsontext.encode(value)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
@pytest.mark.parametrize("kind", [str, bytes])
def test_text_nested_too_deeply_is_a_value_error(opening: str, kind: type) -> None:
    text = opening * 100_000
    with pytest.raises(ValueError, match=r"^JSON is nested too deeply$"):
        jsontext.decode(text if kind is str else text.encode())


def test_a_hundred_levels_come_back() -> None:
    assert jsontext.decode(jsontext.encode(nested(100))) == nested(100)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[Infinity,-Infinity,1e400]", [math.inf, -math.inf, math.inf]),
        ("18446744073709551616", 2**64),
        ("-9223372036854775809", -(2**63) - 1),
        ("1" + "0" * 40, 10**40),
        ('{"a": Infinity, "b": 1' + "0" * 25 + "}", {"a": math.inf, "b": 10**25}),
        (r'"\ud800"', "\ud800"),
        (r'{"\udc00": ["\ud83d\ude00"]}', {"\udc00": ["😀"]}),
        ('\ufeff{"a": 1}', {"a": 1}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        ('{"a": 1, "b": 2, "a": 3}', {"a": 3, "b": 2}),
        (r'"\u0000"', "\x00"),
        (" \r\n\t1 ", 1),
        ("1.0", 1.0),
    ],
)
def test_a_text_is_read(text: str | bytes, value: object) -> None:
    assert jsontext.decode(text) == value


def test_nan_is_read_and_never_written_again() -> None:
    read = jsontext.decode('{"x": NaN}')
    assert math.isnan(read["x"])
    assert jsontext.encode(read) == b'{"x":null}'


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", '{"a":', '{"a": 1}}', '{"a": 1,}', "{'a': 1}", "nul", "01", '"\x01"', '"open', b'"\xff"', b"\x00"],
)
def test_what_is_not_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        jsontext.decode(text)


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@settings(deadline=None)
@given(JSON)
def test_every_json_value_comes_back_from_its_text(value: Any) -> None:
    assert jsontext.decode(jsontext.encode(value)) == value
    assert jsontext.decode(json.dumps(value)) == value


@settings(deadline=None)
@given(st.recursive(ANY_TEXT, lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner), max_leaves=10))
def test_any_text_at_any_depth_is_written_as_valid_utf_8(value: Any) -> None:
    written = jsontext.encode(value).decode("utf-8")
    assert json.loads(written) == jsontext.without_surrogates(value)


@settings(deadline=None)
@given(ANY_TEXT)
def test_a_text_without_lone_surrogates_is_left_as_it_is(text: str) -> None:
    cleaned = jsontext.without_surrogates(text)
    assert isinstance(cleaned, str)
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert cleaned == text


def test_encode_does_not_change_its_input() -> None:
    value = {"\ud800": [{"a": "\udc00"}, float("nan")]}
    jsontext.encode(value)
    assert list(value) == ["\ud800"]
    assert value["\ud800"][0] == {"a": "\udc00"}
