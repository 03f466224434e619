"""Where two requests differ: the path of each field, the recorded value and the new one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from triptych.replay.matching import address, json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["body_differences", "request_differences"]

_ABSENT = object()
# How much of a value a message shows, and how much of it before the first difference.
_SHOWN = 120
_BEFORE = 30

_ADDRESS_PARTS = ("scheme", "host", "port", "path", "query")


def request_differences(recorded: tuple[str, str, bytes], now: tuple[str, str, bytes]) -> Iterator[str]:
    """Yield how a request differs from a recorded one, one field a line.

    Args:
        recorded: Method, URL and body of the recorded request.
        now: Method, URL and body of the request that was made, secrets replaced.

    Returns:
        Lines such as `body.messages[1].content: recorded "2 + 2?", now "3 + 3?"`: method and URL first, then the
        body in the order of the recording. None when the two count as equal.
    """
    yield from _differences(recorded[0].upper(), now[0].upper(), "method")
    for name, old, new in zip(_ADDRESS_PARTS, address(recorded[1]), address(now[1]), strict=True):
        # Sorted lists of pairs: a dict would merge repeated parameters.
        yield from _differences(_listed(old), _listed(new), f"url.{name}")
    yield from body_differences(recorded[2], now[2])


def body_differences(recorded: bytes, now: bytes) -> Iterator[str]:
    """Yield how two bodies differ, one field a line.

    Args:
        recorded: The recorded body.
        now: The body of the request that was made.

    Returns:
        A line for each JSON field that differs; one line for bodies that are not JSON.
    """
    try:
        old, new = json_value(recorded), json_value(now)
    except ValueError:
        if recorded != now:
            yield _line("body", _data(recorded), _data(now))
        return
    yield from _differences(old, new, "body")


def _differences(old: object, new: object, path: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        # Recorded fields in their order, then those that only the new request has.
        for name in {**old, **new}:
            yield from _differences(old.get(name, _ABSENT), new.get(name, _ABSENT), _member(path, name))
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            yield from _differences(_item(old, index), _item(new, index), f"{path}[{index}]")
    elif type(old) is not type(new) or json.dumps(old) != json.dumps(new):
        yield _line(path, *_excerpts(old, new))


def _listed(part: object) -> object:
    return [list(pair) for pair in part] if isinstance(part, list) else part


def _item(items: list[object], index: int) -> object:
    return items[index] if index < len(items) else _ABSENT


def _member(path: str, name: str) -> str:
    return f"{path}.{name}" if name.isidentifier() else f"{path}[{json.dumps(name, ensure_ascii=False)}]"


def _line(path: str, old: str, new: str) -> str:
    return f"{path}: recorded {old}, now {new}"


def _excerpts(old: object, new: object) -> tuple[str, str]:
    """Cut both values to what a reader needs: for long texts, the surroundings of the first difference."""
    start = 0
    if isinstance(old, str) and isinstance(new, str):
        pairs = enumerate(zip(old, new, strict=False))
        same = next((index for index, (a, b) in pairs if a != b), min(len(old), len(new)))
        start = same - _BEFORE if same > _BEFORE * 2 else 0
    return _excerpt(old, start), _excerpt(new, start)


def _excerpt(value: object, start: int) -> str:
    if value is _ABSENT:
        return "nothing"
    if isinstance(value, str) and start:
        value = "…" + value[start:]
    if isinstance(value, str) and len(value) > _SHOWN:
        value = value[:_SHOWN] + "…"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN * 2 else text[: _SHOWN * 2] + "…"


def _data(body: bytes) -> str:
    if not body:
        return "no body"
    return f"{len(body)} bytes {body[:_BEFORE]!r}{'…' if len(body) > _BEFORE else ''}"
