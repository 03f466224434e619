"""JSON documents that were right once: changed in a few places that bytes choose, into what hosts should not send."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tests.fuzz.draws import Draw

# JSON text of values that stand where others are expected. The text alone can say some of them: Python's parser keeps
# one of two equal keys, and makes infinity of a number that is too large.
ODD: tuple[str, ...] = (
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "7",
    "1000000000",
    "-1000000000",
    "18446744073709551616",
    "1.5",
    "1e3",
    "1e400",
    "-1e400",
    "NaN",
    "-0.0",
    "9" * 4000,
    "9" * 5000,
    '""',
    '" "',
    '"\\ud83c"',
    '"\\udf0d\\ud83c"',
    '"\\u0000"',
    '"null"',
    '"[1]"',
    '"{\\"a\\": 1}"',
    '"2024-01-01T00:00:00Z"',
    '"data:image/png;base64,AAAA"',
    '"data:,"',
    '"====="',
    "[]",
    "[null]",
    "[[]]",
    "[1, [2]]",
    '["a", {"b": null}]',
    "{}",
    '{"": ""}',
    '{"a": 1, "a": {"a": 2}}',
    '{"type": "text", "text": 5}',
    '{"type": "text", "text": "a"}',
    '{"content_type": "text"}',
    '{"message": "m", "code": 7}',
    '{"index": 1000000000}',
)
_DEPTHS = (2, 40, 150, 300, 500, 700, 900, 980, 1500, 20_000)
_MARK = re.compile(r'"\\u0001(\d+)\\u0001"')


class Place(NamedTuple):
    """Where in a document a value is.

    Args:
        container: The list or object that holds it.
        key: Its index or name there.
    """

    container: Any
    key: Any

    @property
    def value(self) -> Any:
        """The value."""
        return self.container[self.key]


def places(document: Any) -> list[Place]:
    """Return where the values of a document are, the whole left out, each before what is in it."""
    found: list[Place] = []
    waiting = [document]
    while waiting:
        container = waiting.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append(Place(container, key))
            if isinstance(container[key], (dict, list)):
                waiting.append(container[key])
    return found


class _Mutation:
    """A document that is being changed, and the texts that stand for what JSON values cannot say."""

    def __init__(self, draw: Draw, document: Any) -> None:
        self.draw = draw
        self.document = [copy.deepcopy(document)]
        self.raw: list[str] = []

    def place(self) -> Place:
        """Return one of the places."""
        return self.draw.pick(places(self.document))

    def mark(self, text: str) -> str:
        """Return what stands for a JSON text until the document is written."""
        self.raw.append(text)
        return f"\u0001{len(self.raw) - 1}\u0001"

    def text(self) -> str:
        """Return the document as JSON text."""
        return _MARK.sub(lambda found: self._marked(int(found[1])), json.dumps(self.document[0]))

    def _marked(self, number: int) -> str:
        return self.raw[number] if number < len(self.raw) else "null"  # a text that happens to look like a mark


def _replace(mutation: _Mutation) -> None:
    container, key = mutation.place()
    container[key] = mutation.mark(mutation.draw.pick(ODD))


def _delete(mutation: _Mutation) -> None:
    container, key = mutation.place()
    if container is not mutation.document:
        del container[key]


def _repeat(mutation: _Mutation) -> None:
    place = mutation.place()
    if isinstance(place.container, list) and place.container is not mutation.document:
        place.container.insert(mutation.draw.number(len(place.container) + 1), copy.deepcopy(place.value))
    elif isinstance(place.container, dict):
        name, value = json.dumps(place.key), json.dumps(place.value)
        place.container[place.key] = mutation.mark(f"{mutation.draw.pick(ODD)}, {name}: {value}")


def _swap(mutation: _Mutation) -> None:
    one, other = mutation.place(), mutation.place()
    value = copy.deepcopy(other.value)
    other.container[other.key] = copy.deepcopy(one.value)
    if _is_in(mutation.document, one):
        one.container[one.key] = value


def _is_in(document: Any, place: Place) -> bool:
    return any(one.container is place.container and one.key == place.key for one in places(document))


def _add(mutation: _Mutation) -> None:
    """Put a value under a name that is used elsewhere in the document, or under one of the bytes' own."""
    objects = [place.value for place in places(mutation.document) if isinstance(place.value, dict)]
    if not objects:
        return
    names = [place.key for place in places(mutation.document) if isinstance(place.key, str)]
    name = mutation.draw.pick(names) if names and mutation.draw.number(4) else mutation.draw.text()
    mutation.draw.pick(objects)[name] = mutation.mark(mutation.draw.pick(ODD))


def _words(mutation: _Mutation) -> None:
    texts = [place for place in places(mutation.document) if isinstance(place.value, str)]
    if not texts:
        return
    place = mutation.draw.pick(texts)
    at = mutation.draw.number(len(place.value) + 1)
    place.container[place.key] = place.value[:at] + mutation.draw.text() + place.value[at + mutation.draw.number(3) :]


def _number(mutation: _Mutation) -> None:
    numbers = [place for place in places(mutation.document) if isinstance(place.value, int)]
    place = mutation.draw.pick(numbers) if numbers else mutation.place()
    place.container[place.key] = mutation.draw.number(1 << 16) - 4


def _wrap(mutation: _Mutation) -> None:
    container, key = mutation.place()
    container[key] = [container[key]] if mutation.draw.number(2) else {mutation.draw.text(): container[key]}


def _bury(mutation: _Mutation) -> None:
    container, key = mutation.place()
    depth = mutation.draw.pick(_DEPTHS)
    opening, closing = mutation.draw.pick((("[", "]"), ('{"a":', "}"), ('{"content":[', "]}"), ('[{"type":', "}]")))
    container[key] = mutation.mark(opening * depth + json.dumps(container[key]) + closing * depth)


_MUTATIONS: Sequence[Callable[[_Mutation], None]] = (
    _replace,
    _delete,
    _repeat,
    _swap,
    _add,
    _words,
    _number,
    _wrap,
    _bury,
)


def mutated(draw: Draw, document: Any, most: int = 4) -> str:
    """Return a document as JSON text, perhaps changed in some places.

    Args:
        draw: What chooses.
        document: JSON values; they are not changed.
        most: How many changes there may be.
    """
    mutation = _Mutation(draw, document)
    for _ in range(draw.number(most + 1)):
        draw.pick(_MUTATIONS)(mutation)
    return mutation.text()
