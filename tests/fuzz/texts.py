"""Targets: JSON and what was kept as JSON, headers, data URLs, a model's arguments and the JSON in its words."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Literal

import attrs

from tests.fuzz import materials
from tests.fuzz.checks import check_error
from tests.fuzz.documents import ODD, mutated
from tests.fuzz.draws import Draw
from tests.fuzz.target import Family, Target, Unusable
from tests.fuzz.wire_formats import headers
from triptych import dumps, formats, jsontext, loads, retry
from triptych.content import ToolCall, read_arguments
from triptych.errors import LlmError
from triptych.function_tool import tool
from triptych.json_answers import json_candidates, partial_json
from triptych.parts import Audio, Document, Image, Media, Video
from triptych.persist import FormError
from triptych.tools import ArgumentError, BaseTool


def _json(draw: Draw) -> None:
    value = jsontext.decode(draw.rest())
    assert repr(jsontext.decode(jsontext.encode(value))).count("{") == repr(value).count("{")


@cache
def _kept() -> list[Any]:
    """Return what `dumps` writes of a request and of an answer of every format."""
    values: list[Any] = []
    for name in formats.names():
        wire = materials.wire(name)
        values += [wire.read_request(body).request for body in materials.requests(name)]
        values += [wire.parse_response(body) for body in materials.answers(name)]
    return [jsontext.decode(dumps(value)) for value in values]


def _load(draw: Draw) -> Any:
    return loads(mutated(draw, draw.pick(_kept())))


def _load_raw(draw: Draw) -> Any:
    return loads(draw.rest())


def _kept_again(value: Any) -> None:
    text = dumps(value)
    # As JSON says it: which letters are escaped depends on what else is in the value.
    assert jsontext.decode(dumps(loads(text)), None) == jsontext.decode(text, None)


def _advised(draw: Draw) -> LlmError:
    return retry.advised(LlmError("m", draw.pick(("rate_limit", "server"))), headers(draw))


_MEDIA: tuple[type[Media], ...] = (Image, Audio, Video, Document)


def _media(draw: Draw) -> tuple[Media, int]:
    kind, label = draw.pick(_MEDIA), draw.pick((None, "", "image/png", "a;b"))
    source: bytes | str = draw.rest()
    if draw.number(8):
        source = source.decode("utf-8", "surrogateescape") if isinstance(source, bytes) else source
    part = kind(source, media_type=label)
    return part, len(source)


def _check_media(came: tuple[Media, int]) -> None:
    part, size = came
    assert isinstance(part.mime_type, str | None)
    assert len(repr(part)) <= 10 * size + 1000


def _media_data(draw: Draw) -> None:
    part = Image("data:" + draw.rest().decode("utf-8", "surrogateescape"))
    assert part.data is None or isinstance(part.data, bytes)


def _arguments(draw: Draw) -> None:
    text = draw.rest().decode("utf-8", "surrogateescape")
    call = ToolCall("c", "f", raw_arguments=text)
    assert call.arguments == (read_arguments(text) or {}) or "nan" in repr(call.arguments)
    assert call.malformed is (read_arguments(text) is None)


def _candidates(draw: Draw) -> None:
    text = draw.rest().decode("utf-8", "surrogateescape")
    found = list(json_candidates(text))
    assert len(repr(found)) <= 40 * len(text) + 1000


def _partial(draw: Draw) -> None:
    at, rest = draw.number(256), draw.rest().decode("utf-8", "surrogateescape")
    for end in (at, len(rest)):
        assert isinstance(partial_json(rest[:end]), dict | list | None)


class _Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@attrs.frozen
class _Point:
    x: int
    y: float = 0.0
    inner: _Point | None = None


@tool
def _everything(
    *,
    number: int,
    ratio: float = 0.5,
    word: str = "",
    flag: bool = False,
    when: datetime.datetime | None = None,
    day: datetime.date | None = None,
    span: datetime.timedelta | None = None,
    points: list[_Point] | None = None,
    names: dict[str, int | str] | None = None,
    one: Literal["a", 2] = "a",
    colour: _Colour = _Colour.RED,
    data: bytes = b"",
    pair: tuple[int, str] = (0, ""),
    some: set[int] | None = None,
    **rest: float,
) -> int:
    """Take one of each."""
    assert isinstance(number, int)
    assert isinstance(points, list | None)
    return len(rest)


_DEFINED = BaseTool("g", None, {**(_everything.parameters or {})}, call=lambda **given: len(given))
_GIVEN: dict[str, Any] = {
    "number": 1,
    "ratio": 1.5,
    "word": "w",
    "flag": True,
    "when": "2026-11-30T00:00:00Z",
    "day": "2026-11-30",
    "span": "PT1S",
    "points": [{"x": 1, "y": 2.5, "inner": {"x": 1}}],
    "names": {"a": 1, "b": "c"},
    "one": 2,
    "colour": "red",
    "data": "AAAA",
    "pair": [1, "a"],
    "some": [1, 2],
    "other": 1.5,
}


def _tool(called: BaseTool) -> Callable[[Draw], Any]:
    def read(draw: Draw) -> Any:
        try:
            arguments = jsontext.decode(mutated(draw, _GIVEN))
        except ValueError as fault:
            raise Unusable from fault
        if not isinstance(arguments, dict):
            raise Unusable
        return called.invoke(arguments)

    return read


def _texts(*texts: str) -> Callable[[], Iterable[bytes]]:
    return lambda: [text.encode("utf-8", "surrogatepass") for text in (*texts, *ODD)]


_JSON = _texts('{"a": [1, 2.5e3, "\\u00e9"], "b": {}}', "[" * 400 + "]" * 400, "[" * 5000, '{"a":' * 990)
_URLS = _texts("data:image/png;base64,iVBORw0KGgo=", "data:;a=b,x%20y", "https://h.example/a", "s3://b/k", "file:a")
_ANSWERS = _texts('```json\n{"a": 1}\n```', 'so: {"a": [1, "b\\u00', "[" * 300, '{"a"' * 300, "```" * 50)

TEXTS = Family(
    "texts",
    (
        Target("json", _json, (ValueError,), seeds=_JSON),
        Target("loads", _load, (FormError,), _kept_again),
        Target("loads-raw", _load_raw, (FormError,), _kept_again, seeds=lambda: map(jsontext.encode, _kept())),
        Target("headers", _advised, check=check_error),
        Target("media", _media, (ValueError,), _check_media, seeds=_URLS),
        Target("media-data", _media_data, (ValueError,), seeds=_URLS),
        Target("arguments", _arguments, seeds=_JSON),
        Target("json-candidates", _candidates, seeds=_ANSWERS),
        Target("partial-json", _partial, seeds=_ANSWERS),
        Target("function-tool", _tool(_everything), (ArgumentError,)),
        Target("defined-tool", _tool(_DEFINED), (ArgumentError,)),
    ),
)
