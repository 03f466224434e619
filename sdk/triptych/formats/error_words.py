"""The words of an error body, of any form and encoding.

Seen in the wild: an object in "error", a text in "error", a bare "message" or "detail", a list of any of these, null, a
number, an HTML page of a proxy, nothing at all.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from triptych import jsontext

_SNIPPET = 500
# Characters of a message, and of a code or an id, that are kept: a proxy may quote the whole request.
_LONGEST = 4000
_LONGEST_NAME = 200

_WORDS = (
    "message",
    "Message",
    "detail",
    "msg",
    "error_description",
    "error_message",
    "errorMessage",
    "error",
    "errors",
    "title",
)
_CODES = ("code", "error_code", "errorCode", "Code")
_TYPES = ("type", "error_type", "__type")
_IDS = ("request_id", "requestId", "RequestId")
# Where hosts put a code that is more exact: Anthropic, OpenRouter (twice).
_EXACT = (
    ("details", "error_code"),
    ("metadata", "error_type"),
    ("metadata", "limit_source"),
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHARSET = re.compile(r"charset=[\"']?((?:utf|iso|us-ascii|ascii|latin|windows|cp|gb|big5|shift|euc|koi8)[\w-]*)", re.I)
_TITLE = re.compile(r"<(title|h1)\b[^>]{0,200}>(.{1,300}?)</\1", re.I | re.S)
_A_NAME = re.compile(r"(?!error\Z|fail)[A-Za-z_]+")  # a status of Google's; others have a number there, or "error"
_TAG = re.compile(r"<[^<>]{0,500}>")


@frozen
class Said:
    """What an error body says.

    Args:
        message: Its words, for people.
        code: Its own code.
        type: Its own type of error.
        exact: Codes that say more than these two.
        request_id: The provider's id of the request.
        error: The error object itself, where there is one.
    """

    message: str | None = None
    code: str | None = None
    type: str | None = None
    exact: tuple[str, ...] = ()
    request_id: str | None = None
    error: Mapping[str, Any] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Its codes and its type, the most exact first."""
        return (*self.exact, *(name for name in (self.code, self.type) if name is not None))

    @property
    def name(self) -> str | None:
        """The one that says most: a code that is an HTTP status says nothing beside a type."""
        if self.exact:
            return self.exact[0]
        is_status = self.code is not None and self.code.isdigit() and len(self.code) == len("400")
        return (self.type or self.code) if is_status else (self.code or self.type)


def read_body(body: object) -> Said:
    """Return what a decoded error body says, of any form; empty where it says nothing."""
    if isinstance(body, list):
        return next((said for said in map(read_body, body[:10]) if said.message), Said())
    if isinstance(body, str):
        return Said(_words(body))
    if not isinstance(body, dict):
        return Said()
    inner = body.get("error") or next(iter(_objects(body.get("errors"))), None)
    error = inner if isinstance(inner, dict) else body
    beside = _first_words({**body, "error": None})
    message, code = _first_words(error) or beside, _named(error, _CODES)
    if isinstance(inner, str) and beside and " " not in inner.strip():
        code = code or _text(inner)  # a code beside the words: Spring's, Scaleway's
    elif isinstance(inner, str):
        message = _words(inner) or message
    upstream = _upstream(error.get("metadata"))
    if message and upstream and upstream not in message:
        message = _cut(f"{message}: {upstream}", _LONGEST)
    exact = (_text(error[outer].get(key)) for outer, key in _EXACT if isinstance(error.get(outer), dict))
    return Said(
        message,
        code,
        _type(error),
        tuple(name for name in exact if name),
        _named(body, _IDS) or _named(error, _IDS),
        error,
    )


def _objects(value: object) -> Iterator[dict[str, Any]]:
    return (each for each in value if isinstance(each, dict)) if isinstance(value, list) else iter(())


def _named(body: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((text for text in (_text(body.get(name)) for name in names) if text), None)


def _type(body: Mapping[str, Any]) -> str | None:
    name = _named(body, _TYPES)
    status = _text(body.get("status")) if name is None else None
    if status is not None and _A_NAME.fullmatch(status):
        return status
    return None if name is None else name.rpartition("#")[2] or None


def _text(value: object) -> str | None:
    """Return a code or an id as a text, or None where it is none: no flag, and no number that nobody could name."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15:
        return str(value)
    return value.strip()[:_LONGEST_NAME] or None if isinstance(value, str) else None


def _first_words(body: Mapping[str, Any]) -> str | None:
    return next((words for words in (_words(body.get(name)) for name in _WORDS) if words), None)


def _words(value: object, depth: int = 4) -> str | None:
    """Return the words in a value: a text, an object with words, a list of such; any other object is shown as JSON."""
    if isinstance(value, str):
        return _cut(value, _LONGEST) if value.strip() else None
    if not value or not isinstance(value, (dict, list)) or not depth:
        return None
    if isinstance(value, list):
        said = [words for words in (_words(each, depth - 1) for each in value[:10]) if words]
        return _cut("; ".join(said), _LONGEST) or None
    words = next((words for words in (_words(value.get(name), depth - 1) for name in _WORDS) if words), None)
    if words is None:
        return jsontext.encode_text(value)[:_SNIPPET]
    place = value.get("loc")  # a field that FastAPI or pydantic finds wrong
    where = ".".join(map(str, place[:20])) if isinstance(place, list) else ""
    return f"{where}: {words}" if where else words


def _upstream(metadata: object) -> str | None:
    """Return what the provider behind OpenRouter said, which is JSON in a text, or words."""
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str):
        try:
            raw = jsontext.decode(raw)
        except ValueError:
            return _words(raw)
    return read_body(raw).message if raw else None


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def decoded(body: bytes, content_type: str) -> tuple[object, str]:
    """Return the JSON value of an error body, None where it is none, and its text, however they are encoded."""
    try:
        return jsontext.decode(body), body.decode("utf-8", "replace")
    except ValueError:
        text = _text_of(body, content_type)
    # Where nothing but ASCII is left of what is no UTF-8, it never was UTF-8.
    is_latin = "\ufffd" in text and text.replace("\ufffd", "").isascii()
    for attempt in (body.decode("latin-1"), text) if is_latin else (text,):
        try:
            return jsontext.decode(attempt), attempt
        except ValueError:
            continue
    return None, text


def _text_of(body: bytes, content_type: str) -> str:
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace")
    if body[:2].count(0) == 1:  # one half of the first character of a JSON text in UTF-16
        return body.decode("utf-16-be" if body[0] == 0 else "utf-16-le", "replace")
    charset = _CHARSET.search(content_type)
    try:
        return body.decode(charset[1] if charset else "utf-8", "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


def page_title(text: str) -> str | None:
    """Return the title of an HTML page, or None where the text is no page or has none."""
    start = text[: 2 * _LONGEST]
    found = _TITLE.search(start) if "<" in start[:_SNIPPET] else None
    words = " ".join(html.unescape(_TAG.sub(" ", found[2])).split()) if found else ""
    return _cut(words, _LONGEST_NAME) or None


def snippet(text: str) -> str:
    """Return the start of a text, in one line."""
    return _cut(" ".join(text[: _SNIPPET * 4].split()), _SNIPPET)
