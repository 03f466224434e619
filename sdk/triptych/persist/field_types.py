"""What the type of a field means for its JSON form: its members, and those that are told apart by their tag."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any

from attrs import AttrsInstance, fields, resolve_types

from triptych.persist.registry import TAGS

SCALARS = (str, int, float, bool)
# Fields that hold what is no data: code, and a type of the program's.
LEFT_OUT = frozenset({"call", "type"})
# Fields whose values say what they are by their tag, though their type does not tell.
TAGGED_FIELDS = frozenset({"partial"})


def types_of(kind: type[AttrsInstance]) -> Mapping[str, Any]:
    """Return the fields of a class that have a JSON form, with their types."""
    resolved = resolve_types(kind)
    return {one.name: one.type for one in fields(resolved) if one.name not in LEFT_OUT}


def members(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union without None, or the type alone where it is no union."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return tuple(one for one in typing.get_args(kind) if one is not type(None))
    return (kind,)


def optional(kind: Any) -> bool:
    """Return whether None is among the members of a type."""
    return type(None) in typing.get_args(kind)


def is_tagged(kind: Any) -> bool:
    """Return whether values of a type are told apart by their tag: a union of registered classes."""
    inner = members(kind)
    return len(inner) > 1 and all(one in TAGS for one in inner)


def element(kind: Any) -> Any:
    """Return the type of a list's or tuple's elements, or None for another type."""
    return typing.get_args(kind)[0] if typing.get_origin(kind) in (list, tuple) else None


def is_object(kind: Any) -> bool:
    """Return whether a type is a JSON object of any content."""
    return typing.get_origin(kind) in (dict, Mapping)
