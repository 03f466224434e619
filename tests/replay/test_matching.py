"""When a request counts as the recorded one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.replay.matching import request_key

URL = "https://api.example.com/v1/chat"

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def same_body(first: str | bytes, second: str | bytes) -> bool:
    """Tell whether two bodies match."""
    keys = [request_key("POST", URL, body.encode() if isinstance(body, str) else body) for body in (first, second)]
    return keys[0] == keys[1]


def same_url(first: str, second: str) -> bool:
    """Tell whether two URLs match."""
    return request_key("POST", first, b"{}") == request_key("POST", second, b"{}")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('{"a": 1, "b": [1, 2]}', '{ "b":[1,2],\n "a":1 }'),
        ('{"a": "é"}', '{"a": "\\u00e9"}'),
        ('{"a": "/"}', '{"a": "\\/"}'),
        ('{"a": "\\ud83d\\ude00"}', '{"a": "😀"}'),
        ('{"a": 1e2}', '{"a": 100.0}'),
    ],
)
def test_the_same_json_matches_however_it_is_written(first: str, second: str) -> None:
    """B201."""
    assert same_body(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('{"a": 1}', '{"a": 2}'),
        ('{"a": 1}', '{"a": 1.0}'),
        ('{"a": 1}', '{"a": true}'),
        ('{"a": 1}', '{"a": "1"}'),
        ('{"a": null}', "{}"),
        ('{"a": [1, 2]}', '{"a": [2, 1]}'),
        ("{}", "[]"),
        ("{}", ""),
        ("not json", "not  json"),
        (b"\xff\x00", b"\xff\x01"),
    ],
)
def test_a_changed_value_does_not_match(first: str, second: str) -> None:
    """B201."""
    assert not same_body(first, second)


@settings(deadline=None)
@given(JSON_VALUES)
def test_every_json_value_matches_itself_with_keys_reversed_and_escapes_changed(value: object) -> None:
    def reverse(part: object) -> object:
        if isinstance(part, dict):
            return {name: reverse(part[name]) for name in reversed(list(part))}
        return [reverse(item) for item in part] if isinstance(part, list) else part

    assert same_body(
        json.dumps(value), json.dumps(reverse(value), ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
    )


def test_a_body_nested_too_deeply_for_json_matches_byte_for_byte() -> None:
    deep = "[" * 100_000
    assert same_body(deep, deep)
    assert not same_body(deep, deep + " ")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://api.example.com/v1", "HTTPS://API.example.com:443/v1#part"),
        ("http://api.example.com", "http://api.example.com:80/"),
        ("https://h/p?a=1&b=2&a=0", "https://h/p?b=2&a=0&a=1"),
        ("https://h/p?key=one&v=2", "https://h/p?v=2"),
        ("https://h/p?api-version=1&API-KEY=x", "https://h/p?api-version=1&api-key=REDACTED"),
        ("https://user:pass@h/p", "https://h/p"),
        ("https://h/m/a%3ab", "https://h/m/a%3Ab"),
    ],
)
def test_urls_that_mean_the_same_match(first: str, second: str) -> None:
    # The case of percent escapes is the one spelling that requests itself leaves as it was.
    assert same_url(first.replace("%3a", "%3A"), second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://h/p", "http://h/p"),
        ("https://h/p", "https://g/p"),
        ("https://h/p", "https://h:8443/p"),
        ("https://h/p", "https://h/P"),
        ("https://h/p?a=1", "https://h/p?a=1&a=1"),
        ("https://h/p?a=", "https://h/p"),
    ],
)
def test_urls_that_differ_do_not_match(first: str, second: str) -> None:
    assert not same_url(first, second)


def test_the_method_counts_but_not_its_case() -> None:
    assert request_key("post", URL, b"") == request_key("POST", URL, b"")
    assert request_key("GET", URL, b"") != request_key("POST", URL, b"")
