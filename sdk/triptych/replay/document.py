"""The YAML of a cassette as plain data, read strictly: what is wrong with it is told with its line."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from attrs import frozen

from triptych.replay.errors import missing_vcrpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

try:
    import yaml
except ModuleNotFoundError as missing:
    raise missing_vcrpy(missing) from missing

__all__ = ["Document", "Misfit", "Path", "dotted", "read_document"]

# Where a value stands: the names and numbers that lead to it.
Path = tuple[str | int, ...]

# Aliases make a few lines stand for any number of values; no cassette that somebody recorded comes near this.
_MOST_VALUES = 5_000_000
_DEEPEST = 100
_TOO_DEEP = "it is nested too deeply"


class Misfit(ValueError):
    """What keeps a text from being a cassette.

    Args:
        reason: What is wrong.
        line: Where, counted from 1; None when the whole text is meant.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


@frozen
class Document:
    """A parsed text.

    Args:
        data: Its mappings, lists, texts and numbers.
        root: The same as YAML nodes, which know their lines; None when the text is empty.
        text: The text.
    """

    data: Any
    root: yaml.Node | None
    text: str

    def misfit(self, path: Path, reason: str) -> Misfit:
        """Return the fault of a value.

        Args:
            path: Where the value stands, or should.
            reason: What is wrong with it.
        """
        node, line = self.root, 1 if self.root is None else _line(self.root)
        for step in path:
            node = next((value for name, value in _members(node) if name == step), None)
            if node is None:
                break
            line = _line(node)
        return Misfit(f"{dotted(path)}: {reason}" if path else reason, line)


def dotted(path: Path) -> str:
    """Write a path as its reader would: `interactions[3].response.body`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def read_document(text: str) -> Document:
    """Parse YAML.

    Args:
        text: The whole text.

    Returns:
        Its data. Of the tags that stand for Python objects only those that vcrpy writes are known: text, tuples, and
        request bodies that were files or iterators, which become bytes.

    Raises:
        Misfit: It is not YAML, or stands for too many values, or repeats a name, or has an unknown tag.
    """
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is None:
            return Document(None, None, text)
        _size(root, {}, 0)
        return Document(loader.construct_document(root), root, text)
    except yaml.MarkedYAMLError as error:
        # Where the text ends too early, libyaml tells the line after its last.
        line = min(error.problem_mark.line + 1, len(text.splitlines())) if error.problem_mark else None
        raise Misfit(f"it is not valid YAML: {error.problem or error.context}", line) from error
    except yaml.reader.ReaderError as error:
        raise Misfit("it is not valid YAML: it holds a control character", _line_of(text, error.character)) from error
    except RecursionError as error:
        raise Misfit(_TOO_DEEP) from error


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _line_of(text: str, character: object) -> int | None:
    place = text.find(chr(character)) if isinstance(character, int) else -1
    return None if place < 0 else text.count("\n", 0, place) + 1


def _members(node: yaml.Node | None) -> Iterator[tuple[object, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        yield from ((name.value, value) for name, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        yield from enumerate(node.value)


def _size(node: yaml.Node, known: dict[int, int], depth: int) -> int:
    """Count the values that a node stands for, each alias counted as what it repeats."""
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) in known:
        if not known[id(node)]:
            raise Misfit("an alias stands inside of what it repeats", _line(node))
        return known[id(node)]
    if depth > _DEEPEST:
        raise Misfit(_TOO_DEEP, _line(node))
    known[id(node)] = 0
    parts = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
    size = 1 + sum(_size(part, known, depth + 1) for part in parts)
    if size > _MOST_VALUES:
        raise Misfit("its aliases stand for more values than a cassette can have", _line(node))
    known[id(node)] = size
    return size


# --- from nodes to data ----------------------------------------------------------------------------------------------


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the base depends on the build
    """Makes nothing but plain data, and says of each fault where it is."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Make the value of a node; whatever a scalar may be wrong in becomes an error with its line."""
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError, AttributeError, TypeError, OverflowError) as error:
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(
                None, None, f"a value of the type {kind} that it cannot have", node.start_mark
            ) from error

    def construct_mapping(self, node: yaml.Node, deep: bool = False) -> Any:
        """Make a mapping; a name that is there twice would hide what stood under it first."""
        seen: set[str] = set()
        for name, _ in node.value:
            if isinstance(name, yaml.ScalarNode):
                if name.value in seen:
                    words = f"the name {name.value!r} is there twice"
                    raise yaml.constructor.ConstructorError(None, None, words, name.start_mark)
                seen.add(name.value)
        return super().construct_mapping(node, deep=deep)


def _binary(loader: Any, node: yaml.Node) -> bytes:
    # PyYAML skips what is not of the alphabet: a damaged body would come out shorter, and nobody would know.
    letters = "".join(loader.construct_scalar(node).split())
    try:
        return base64.b64decode(letters, validate=True)
    except ValueError as error:
        raise yaml.constructor.ConstructorError(None, None, f"bad base64: {error}", node.start_mark) from error


def _text(loader: Any, node: yaml.Node) -> Any:
    return loader.construct_scalar(node)


def _tuple(loader: Any, node: yaml.Node) -> Any:
    return tuple(loader.construct_sequence(node, deep=True))


def _file(loader: Any, node: yaml.Node) -> bytes:
    """Read a request body that was an open file: its state is a tuple that begins with what the file held."""
    return _joined([loader.construct_mapping(node, deep=True)["state"][0]])


def _iterator(loader: Any, node: yaml.Node) -> bytes:
    """Read a request body that was an iterator: its one argument lists the pieces."""
    pieces = loader.construct_mapping(node, deep=True)["args"][0]
    return _joined([pieces] if isinstance(pieces, (str, bytes)) else pieces)


def _joined(pieces: list[Any]) -> bytes:
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces)


_CONSTRUCTORS: dict[str, Callable[[Any, yaml.Node], Any]] = {
    "binary": _binary,
    "python/str": _text,
    "python/unicode": _text,
    "python/tuple": _tuple,
    "python/object/new:_io.BytesIO": _file,
    "python/object/apply:builtins.iter": _iterator,
}
for _tag, _constructor in _CONSTRUCTORS.items():
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _constructor)
