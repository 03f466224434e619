"""References within a schema: what a `$ref` names, and the names of definitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from triptych.errors import LlmError

Schema: TypeAlias = dict[str, Any]

PREFIX = "#/$defs/"
_NAME = re.compile(r"[^a-zA-Z0-9_-]+")
_MANY = ("properties", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)


def refused(message: str) -> LlmError:
    """Return the error for a schema that cannot be sent as it is."""
    return LlmError(message, "unsupported")


def escaped(token: str) -> str:
    """Return a token of a JSON pointer: "/" and "~" have a meaning there."""
    return token.replace("~", "~0").replace("/", "~1")


def resolve(root: Mapping[str, Any], ref: str) -> Any:
    """Return the schema that a reference names.

    Args:
        root: The whole schema.
        ref: "#", a JSON pointer behind "#", or "#" and an anchor.

    Raises:
        LlmError: kind "unsupported": another document, or nothing is there.
    """
    if ref == "#":
        return {name: value for name, value in root.items() if name not in ("$defs", "definitions")}
    if not ref.startswith("#"):
        raise refused(f"the schema refers to another document, {ref!r}: put what is there into its $defs")
    if not ref.startswith("#/"):
        return _anchored(root, ref)
    found: Any = root
    for token in ref[2:].split("/"):
        step = unquote(token).replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and step in found:
            found = found[step]
        elif isinstance(found, list) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
        else:
            raise refused(f"the schema refers to {ref!r}, which it does not hold")
    return found


def _anchored(root: Mapping[str, Any], ref: str) -> Any:
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            if node.get("$anchor") == ref[1:]:
                return {name: value for name, value in node.items() if name != "$anchor"}
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    raise refused(f"the schema refers to {ref!r}, an anchor that it does not hold")


def definition_name(ref: str, taken: Iterable[str]) -> str:
    """Return a name for the definition of what a reference names: its last word, told apart from those taken."""
    wanted = _NAME.sub("_", unquote(ref.rpartition("/")[2]).lstrip("#")).strip("_") or "Root"
    names = set(taken)
    number, name = 1, wanted
    while name in names:
        number += 1
        name = f"{wanted}_{number}"
    return name


def children(schema: Schema) -> Iterator[tuple[str, Any]]:
    """Yield the schemas that a schema holds, each with the JSON pointer from it; definitions are not among them."""
    for keyword in _MANY:
        held = schema.get(keyword)
        if isinstance(held, dict):
            for name, each in held.items():
                yield f"/{keyword}/{escaped(name)}", each
    for keyword in _LISTS:
        held = schema.get(keyword)
        if isinstance(held, list):
            for index, each in enumerate(held):
                yield f"/{keyword}/{index}", each
    for keyword in _SINGLE:
        if isinstance(schema.get(keyword), dict):
            yield f"/{keyword}", schema[keyword]


def mapped(schema: Schema, change: Callable[[Any], Any]) -> Schema:
    """Return a schema with each schema that it holds changed; definitions are left alone."""
    new = dict(schema)
    for keyword in _MANY:
        if isinstance(new.get(keyword), dict):
            new[keyword] = {name: change(each) for name, each in new[keyword].items()}
    for keyword in _LISTS:
        if isinstance(new.get(keyword), list):
            new[keyword] = [change(each) for each in new[keyword]]
    for keyword in _SINGLE:
        if isinstance(new.get(keyword), dict):
            new[keyword] = change(new[keyword])
    return new


def walk(schema: Any) -> Iterator[Schema]:
    """Yield a schema and every schema within it, in the order of the text; definitions are not among them."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting += reversed([each for _, each in children(node)])


def target(schema: Any) -> str | None:
    """Return the name of the definition that a schema of ours refers to, where it is a reference."""
    ref = schema.get("$ref") if isinstance(schema, dict) else None
    return ref[len(PREFIX) :] if isinstance(ref, str) and ref.startswith(PREFIX) else None


def reachable(schema: Any, definitions: Mapping[str, Any]) -> list[str]:
    """Return the names of the definitions that a schema needs, directly or through others, as they are met."""
    names: dict[str, None] = {}
    waiting = [schema]
    while waiting:
        for node in walk(waiting.pop()):
            name = target(node)
            if name is not None and name not in names:
                names[name] = None
                waiting.append(definitions[name])
    return list(names)
