"""The JSON in an answer's text: alone, in a fence, amid chatter, or as much of it as has come."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from triptych import jsontext

_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n(.*?)```", re.S)
_OPENING = re.compile(r"[{\[]")
# A text with more places where JSON might begin is no answer that holds some.
_MOST_TRIES = 200
_scanner = json.JSONDecoder(strict=False)  # models break lines within strings


def json_candidates(text: str) -> Iterator[Any]:
    """Yield the JSON values that a text may mean, the likeliest first.

    That is the whole text; then what stands in fences; then each object and array amid the words, from the first on.
    A text that is JSON as a whole means nothing else.

    Args:
        text: What the model said.
    """
    try:
        yield jsontext.decode(text.strip().lstrip("\ufeff"))
        return
    except ValueError:
        pass
    for fence in _FENCE.finditer(text):
        yield from _embedded(fence[1], most=1)
    yield from _embedded(text, most=_MOST_TRIES)


def _embedded(text: str, most: int) -> Iterator[Any]:
    """Yield the objects and arrays that stand in a text side by side."""
    at = tries = found = 0
    while found < most and tries < _MOST_TRIES:
        opening = _OPENING.search(text, at)
        if opening is None:
            return
        tries += 1
        try:
            value, at = _scanner.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            at = opening.end()
        else:
            found += 1
            yield value


# A piece of JSON: a mark, a whole text, or a number or word.
_PIECE = re.compile(r'\s*(?:([{}\[\],:])|("(?:[^"\\]|\\.)*")|([^\s{}\[\],:"]+))', re.S)
# As much of a text that was cut as is whole: no half of an escape, nor of a pair of surrogates.
_CUT_TEXT = re.compile(
    r'"(?:[^"\\]|\\(?:["\\/bfnrt]|u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|u(?![dD][89abAB])[0-9a-fA-F]{4}))*'
)
_CLOSING = {"{": "}", "[": "]"}


def partial_json(text: str) -> Any:
    """Return the object or array that a text has begun, as far as it has come; None before it begins.

    A text in it ends where it was cut. A number, a word such as `true` and a key without its value are left out until
    they are whole: the rest may change what they mean. What stands before the first bracket is passed over.

    Args:
        text: The beginning of an answer.
    """
    opening = _OPENING.search(text)
    if opening is None:
        return None
    try:
        return jsontext.decode(_closed(text, opening.start()))
    except ValueError:
        return None  # it is no JSON, however it goes on


class _Depth:
    """Where in the nesting a text is: what closes it, and whether a key comes next."""

    def __init__(self) -> None:
        self.closers: list[str] = []
        self.key = False

    def open(self, bracket: str) -> None:
        self.closers.append(_CLOSING[bracket])
        self.key = bracket == "{"

    @property
    def closing(self) -> str:
        return "".join(reversed(self.closers))


def _closed(text: str, start: int) -> str:
    """Return the shortest whole JSON that says what `text` says from `start` on."""
    depth = _Depth()
    at, end, closing = start, start, ""  # what is kept ends at `end`, and `closing` closes it
    while piece := _PIECE.match(text, at):
        mark, string, word = piece.groups()
        at = piece.end()
        if word is not None and at == len(text):
            break  # it may go on
        if mark in ("{", "["):
            depth.open(mark)
        elif mark in ("}", "]"):
            if not depth.closers or depth.closers.pop() != mark:
                break
            depth.key = False
        elif mark is not None:
            depth.key = mark == "," and depth.closers[-1] == "}"
            continue  # nothing may end here
        elif string is not None and depth.key:
            continue  # a key needs its value
        end, closing = at, depth.closing
        if not depth.closers:
            break
    else:
        cut = _CUT_TEXT.match(text[at:].lstrip())
        if cut and depth.closers and not depth.key:
            return text[start:at] + cut[0] + '"' + depth.closing
    return text[start:end] + closing
