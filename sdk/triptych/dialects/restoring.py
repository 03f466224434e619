"""The way back: from a value that follows an adapted schema to one that follows the original.

A restorer never fails: what does not look as the adapted schema says is returned as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from attrs import frozen

from triptych import jsontext

Restore: TypeAlias = Callable[[Any], Any]
Fits: TypeAlias = Callable[[Any, Any], bool]

# The names that adapted schemas give to what JSON Schema says in another way.
WRAPPED = "value"
ENTRY_KEY = "key"
ENTRY_VALUE = "value"
ITEM = "item_{}"
REST = "rest"
ENTRIES = "entries"


def same(value: Any) -> Any:
    """Return the value as it came."""
    return value


@frozen
class Piece:
    """A place of an adapted schema, and the way back of its values where they need one."""

    schema: dict[str, Any]
    restore: Restore | None = None


@frozen
class Branch:
    """One branch of a union: its adapted schema, its original one, and the way between them."""

    schema: Any
    original: Any
    restore: Restore | None


def union(branches: Sequence[Branch], narrow: Fits, wide: Fits, fits_original: Fits) -> Restore | None:
    """Return how a value of a union comes back: by the branch that it follows before and after.

    Args:
        branches: The branches in order.
        narrow: Whether a value follows an adapted schema and has no property that it does not name.
        wide: Whether a value follows an adapted schema.
        fits_original: Whether a value follows an original schema.
    """
    if all(branch.restore is None for branch in branches):
        return None

    def restore(value: Any) -> Any:
        fitting = [branch for branch in branches if narrow(value, branch.schema)]
        fitting = fitting or [branch for branch in branches if wide(value, branch.schema)]
        restored = [branch.restore(value) if branch.restore else value for branch in fitting]
        for branch, one in zip(fitting, restored, strict=True):
            if fits_original(one, branch.original):
                return one
        return restored[0] if restored else value

    return restore


def objects(
    properties: Mapping[str, Restore], absent: frozenset[str], fills: Mapping[str, Any], rest: Restore | None
) -> Restore:
    """Return how an object comes back.

    Args:
        properties: The way back of the properties that need one.
        absent: The properties whose null says that they are not there.
        fills: What a property is where the model left it out, read when a value comes.
        rest: The way back of further properties, where there are any.
    """

    def restore(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        restored: dict[str, Any] = {}
        for name, each in value.items():
            if each is None and name in absent:
                continue
            back = properties.get(name, rest)
            restored[name] = back(each) if back is not None else each
        return {**{name: deepcopy(empty) for name, empty in fills.items()}, **restored} if fills else restored

    return restore


def items(each: Restore) -> Restore:
    """Return how a list comes back, item by item."""
    return lambda value: [each(item) for item in value] if isinstance(value, list) else value


def positions(each: Sequence[Restore | None], rest: Restore | None) -> Restore:
    """Return how a list comes back whose first items are told apart by position."""

    def restore(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        ways = [*each[: len(value)], *[rest] * (len(value) - len(each))]
        return [way(item) if way is not None else item for way, item in zip(ways, value, strict=True)]

    return restore


def entries(value: Restore | None) -> Restore:
    """Return how a map comes back that was said as a list of entries; of a key that is there twice the last counts.

    Args:
        value: The way back of the values.
    """

    def restore(listed: Any) -> Any:
        if not isinstance(listed, list) or not all(_is_entry(entry) for entry in listed):
            return listed
        return {entry[ENTRY_KEY]: (value or same)(entry[ENTRY_VALUE]) for entry in listed}

    return restore


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get(ENTRY_KEY), str) and ENTRY_VALUE in entry


def positioned(names: Sequence[str], inner: Restore | None) -> Restore:
    """Return how a list comes back that was said as an object with a property for each position.

    Args:
        names: The properties in order; what is under `REST` follows them.
        inner: The way back of that object.
    """

    def restore(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        said = (inner or same)(value)
        listed: list[Any] = []
        for name in names:
            if name not in said:
                break
            listed.append(said[name])
        rest = said.get(REST)
        return listed + rest if isinstance(rest, list) else listed

    return restore


def from_text(value: Any) -> Any:
    """Return the value that a JSON text says; a str that is none is meant as it stands."""
    if not isinstance(value, str):
        return value
    try:
        return jsontext.decode(value)
    except ValueError:
        return value


def unwrapped(inner: Restore | None, name: str = WRAPPED) -> Restore:
    """Return how a value comes back that was wrapped into an object, under a name."""

    def restore(value: Any) -> Any:
        bare = value[name] if isinstance(value, dict) and name in value else value
        return (inner or same)(bare)

    return restore
