"""The places of a cassette in which something could stand: each with its line and its text, decoded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml
from attrs import frozen

from triptych.replay.coding import decoded
from triptych.replay.document import Path, dotted, read_document
from triptych.replay.layout import exchanges_of
from triptych.replay.readings import readings_of_body, readings_of_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triptych.replay.exchange import Exchange
    from triptych.replay.readings import Reading

__all__ = ["Place", "places"]

_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$", re.MULTILINE)
# interactions[n].request.body and what may be inside of it where it is a body and not its JSON.
_BODIES = {("request", "body"), ("response", "body"), ("response", "content")}
_BODY_MEMBERS = frozenset({"string", "base64_string", "encoding"})


@frozen
class Place:
    """A text of a cassette, in one of its readings.

    Args:
        where: The part of the cassette.
        line: The line of the file where it begins, counted from 1.
        text: The text.
        has_lines: Whether a line of it is a line of the file.
        header: The name of the header whose value it is; empty when it is none.
    """

    where: str
    line: int
    text: str
    has_lines: bool = False
    header: str = ""


def places(text: str) -> Iterator[Place]:
    """Yield every place of a cassette.

    Args:
        text: The whole file.

    Raises:
        Misfit: It is not a cassette.
    """
    document = read_document(text)
    exchanges = exchanges_of(document)
    leaves = list(_leaves(document.root, (), set()))
    yield from _comments(text, [node for _, node, _ in leaves])
    for path, node, is_name in leaves:
        line = int(node.start_mark.line) + 1
        if is_name:
            yield Place(dotted(path), line, node.value)
        elif _is_body(path):
            yield from _in_body(path, node, exchanges)
        elif len(path) > 4 and path[3] == "headers":
            name = str(path[4]).lower()
            where = dotted((*path[:4], name))
            for number, reading in enumerate(readings_of_text(node.value)):
                yield Place(where, line, reading.text, header="" if number else name)
        else:
            # With its name: a field called api_key says what a value without any mark is.
            name = path[-1] if path and isinstance(path[-1], str) else ""
            for reading in readings_of_text(node.value):
                yield Place(dotted(path), line, reading.text)
            yield Place(dotted(path), line, f'"{name}": "{node.value}"')


def _leaves(
    node: yaml.Node | None, path: Path, seen: set[int], is_name: bool = False
) -> Iterator[tuple[Path, yaml.ScalarNode, bool]]:
    """Yield the scalars of a tree, each once however many aliases it has, and whether it is the name of a member."""
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        yield path, node, is_name
    elif isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield from _leaves(name, path, seen, is_name=True)
            yield from _leaves(value, (*path, str(name.value)), seen)
    else:
        for index, item in enumerate(node.value):
            yield from _leaves(item, (*path, index), seen)


def _comments(text: str, scalars: list[yaml.ScalarNode]) -> Iterator[Place]:
    """Yield the comments: what stands after a # that is in no scalar."""
    pieces: list[str] = []
    place = 0
    for node in sorted(scalars, key=lambda node: node.start_mark.index):
        start, end = node.start_mark.index, node.end_mark.index
        pieces += [text[place:start], re.sub(r"[^\n]", ".", text[start:end])]
        place = end
    rest = "".join([*pieces, text[place:]])
    for match in _COMMENT.finditer(rest):
        line = rest.count("\n", 0, match.start()) + 1
        for reading in readings_of_text(match[0]):
            yield Place("a comment", line, reading.text)


def _is_body(path: Path) -> bool:
    if len(path) < 4 or path[0] != "interactions" or path[2:4] not in _BODIES:
        return False
    return len(path) == 4 or (len(path) == 5 and path[4] in _BODY_MEMBERS)


def _in_body(path: Path, node: yaml.ScalarNode, exchanges: list[Exchange]) -> Iterator[Place]:
    number = path[1]
    assert isinstance(number, int)
    exchange = exchanges[number]
    body = exchange.request_body
    if path[2] == "response":
        _, body = decoded(exchange.response_headers, exchange.response_body)
    # Of a literal block each line is a line of the file, the first one below the key.
    literal = node.style == "|" and node.value.encode("utf-8", "replace") == body
    line = int(node.start_mark.line) + (2 if literal else 1)
    for reading in readings_of_body(body):
        yield _place(reading, dotted(path[:4]), line, literal)


def _place(reading: Reading, where: str, line: int, literal: bool) -> Place:
    first = line + (reading.line if literal else 0)
    return Place(where + reading.part, first, reading.text, literal and reading.has_lines)
