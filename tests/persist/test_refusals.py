"""B099, B100: what is of a wrong type is refused, with its path, what was expected and what was got."""

from __future__ import annotations

import json
from typing import Any

import pytest

from triptych.content import Message, ToolCall
from triptych.parts import Opaque, Text
from triptych.persist import FormError, loads, structure

TEXT = {"content_type": "text", "text": "a"}
USER = {"content_type": "message", "role": "user"}
WRONG: dict[str, tuple[Any, str]] = {
    "a list as a text": ({"content_type": "text", "text": [1, 2]}, "$.text: expected str, got [1, 2] (list)"),
    "a text as a number": (
        {"content_type": "usage", "input_tokens": "10"},
        "$.input_tokens: expected int, got '10' (str)",
    ),
    "a fraction as a count": (
        {"content_type": "usage", "input_tokens": 1.5},
        "$.input_tokens: expected int, got 1.5 (float)",
    ),
    "a number as a truth": (
        {"content_type": "reasoning", "redacted": 1},
        "$.redacted: expected bool, got 1 (int)",
    ),
    "a text as a list": (
        {"content_type": "reasoning", "summary": "abc"},
        "$.summary: expected a list, got 'abc' (str)",
    ),
    "a number in a list of texts": (
        {"content_type": "reasoning", "summary": ["a", 1]},
        "$.summary[1]: expected str, got 1 (int)",
    ),
    "an unknown role": (
        {"content_type": "message", "role": "asistant", "content": "a"},
        "$.role: expected one of 'system', 'developer', 'user', 'assistant', got 'asistant' (str)"
        " (did you mean 'assistant'?)",
    ),
    "a missing field": ({"content_type": "tool_call", "tool_call_id": "a"}, "$.name: the key 'name' is missing"),
    "a fault deep within": (
        [{"content_type": "llm_request", "contents": [{**USER, "content": [TEXT, {**TEXT, "text": 3}]}]}],
        "$[0].contents[0].content[1].text: expected str, got 3 (int)",
    ),
    "an item among parts": (
        {"content_type": "message", "role": "user", "content": [{"content_type": "tool_call"}]},
        "$.content[0]: expected a content_type of 'text', 'image', 'audio', 'video', 'document', 'opaque',"
        " got 'tool_call'",
    ),
    "a bare text among parts": (
        {"content_type": "message", "role": "user", "content": ["a"]},
        "$.content[0]: expected an object with a content_type, got 'a' (str)",
    ),
    "no type": ({"role": "user"}, "$: expected a content_type, a str, got None (NoneType)"),
    "a type that is no text": ({"content_type": 1}, "$: expected a content_type, a str, got 1 (int)"),
    "no object": ([3], "$[0]: expected an object with a content_type, got 3 (int)"),
    "a url of no known scheme": (
        {"content_type": "image", "source": "ftp://h/a"},
        "$: Image.source: expected a URL of scheme http, https, gs, s3 or data, got 'ftp://h/a'; for a file use"
        " Image.from_path",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("plain", "words"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_refused_with_its_path(plain: Any, words: str) -> None:
    with pytest.raises(FormError) as refused:
        structure(plain)
    assert str(refused.value) == words


def test_all_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(FormError) as refused:
        structure([{"content_type": "text", "text": 1}, TEXT, {"content_type": "refusal"}])
    assert str(refused.value) == "$[0].text: expected str, got 1 (int); $[2].refusal: the key 'refusal' is missing"


@pytest.mark.parametrize("text", ["", "{", "nonsense", b"\xff", '{"content_type":"text"'])
def test_what_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(FormError, match=r"^\$: expected JSON, got "):
        loads(text)


def test_a_union_is_told_apart_by_its_tag_with_a_place_for_what_is_new() -> None:
    parts = [TEXT, {"content_type": "image", "file_id": "a"}, {"content_type": "new", "text": "a"}]
    read = loads(json.dumps({"content_type": "message", "role": "user", "content": parts}))
    assert [type(part).__name__ for part in read.content] == ["Text", "Image", "Opaque"]
    assert loads(json.dumps([TEXT, {"content_type": "tool_call", "tool_call_id": "a", "name": "f"}])) == [
        Text("a"),
        ToolCall("a", "f"),
    ]


def test_nothing_is_shared_between_readings() -> None:
    text = '{"content_type":"opaque","data":{"a":[1]}}'
    first = loads(text)
    first.data["a"].append(2)
    assert loads(text) == Opaque({"a": [1]})
    assert isinstance(loads('{"content_type":"message","role":"user","content":"a"}'), Message)
