"""Targets: cassettes, as text and as files."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.fuzz.documents import mutated
from tests.fuzz.draws import Draw
from tests.fuzz.target import Family, Target
from triptych.replay import CassetteError
from triptych.replay.cassette_file import Recording, read_recording
from triptych.replay.exchange import Exchange
from triptych.replay.layout import exchanges_from_text
from triptych.replay.vcr_text import exchange_text

_FOLDER = Path(__file__).parents[2] / "cassettes"
# Every file has a name of its own: one that was read is not read again.
_numbers = itertools.count()


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="triptych-fuzz-")


def _interaction(body: Any, answer: Any, **status: Any) -> dict[str, Any]:
    headers = {"content-type": ["application/json"], "x-request-id": "r", "set": ["a", "b"]}
    request = {"method": "POST", "uri": "https://h.example:8443/v1?a=b&key=REDACTED", "body": body, "headers": headers}
    return {"request": request, "response": {"status": status, "headers": headers, "body": answer}}


_DOCUMENTS: tuple[Any, ...] = (
    {
        "interactions": [
            _interaction('{"a": [1]}', {"string": "{}"}, code=200, message="OK"),
            _interaction(None, {"string": None}, code=429, message=None),
            _interaction({"a": 1}, "bare", code=500),
        ],
        "version": 1,
    },
    {"interactions": []},
    [{"request": {}, "response": {}}],
)
_SHARED = b"""interactions:
- request: &a {method: POST, uri: 'http://h/', body: &b {a: [1, 2]}, headers: &c {accept: [x, x]}}
  response: &d {status: {code: 200, message: OK}, headers: *c, body: {string: !!binary AAEC}}
- {request: *a, response: *d}
"""


def _text(draw: Draw) -> tuple[list[Exchange], int]:
    text = mutated(draw, draw.pick(_DOCUMENTS))
    return exchanges_from_text(text), len(text)


def _raw_text(draw: Draw) -> tuple[list[Exchange], int]:
    text = draw.rest().decode("utf-8", "replace")
    return exchanges_from_text(text), len(text)


def _check_text(came: tuple[list[Exchange], int]) -> None:
    exchanges, size = came
    for exchange in exchanges:
        assert isinstance(exchange.request_body, bytes)
        assert isinstance(exchange.response_body, bytes)
        assert isinstance(exchange.status, int)
        assert all(isinstance(part, str) for pair in exchange.response_headers for part in pair)
        again = exchanges_from_text(f"interactions:\n{exchange_text(exchange)}version: 1\n")
        assert [one.response_body for one in again] == [exchange.response_body]
    assert len(repr(exchanges)) <= 30 * size + 1000


def _file(draw: Draw) -> Recording:
    path = Path(_folder().name) / f"{next(_numbers)}.yaml"
    path.write_bytes(mutated(draw, draw.pick(_DOCUMENTS)).encode() if draw.number(2) else draw.rest())
    try:
        return read_recording(path)
    finally:
        path.unlink()


def _check_file(recording: Recording) -> None:
    assert len(recording.keys) == len(recording.exchanges)


def _recorded() -> Iterable[bytes]:
    """Return the shortest recordings of each folder, as they are."""
    texts = [_SHARED]
    for folder in sorted(_FOLDER.iterdir()):
        texts += sorted((path.read_bytes() for path in folder.rglob("*.yaml")), key=len)[:2]
    return texts


_REFUSED = (ValueError, yaml.YAMLError)

CASSETTES = Family(
    "cassettes",
    (
        Target("cassette-text", _text, _REFUSED, _check_text),
        Target("cassette-raw", _raw_text, _REFUSED, _check_text, seeds=_recorded),
        Target(
            "cassette-file", _file, (CassetteError,), _check_file, seeds=lambda: [b"\0" + one for one in _recorded()]
        ),
    ),
)
