"""Fields that were read and that no class here has: kept beside the value that they came with, and written again.

They belong to the very object that was read. A copy of it, by `evolve` or a pickle, is a new value without them.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import Any

from attrs import frozen


@frozen
class _Kept:
    """What was read of one object.

    Args:
        owner: The object.
        fields: The fields that its class does not have.
        order: All names in the order in which they came.
    """

    owner: weakref.ref[Any]
    fields: Mapping[str, Any]
    order: tuple[str, ...]


# By id, for not every value has a hash; an entry goes when its object does.
_kept: dict[int, _Kept] = {}


def keep(value: object, read: Mapping[str, Any], known: Set[str]) -> None:
    """Keep the fields of a value that its class does not have.

    Args:
        value: The value that was made.
        read: The JSON object that it was made of.
        known: The names that its class has.
    """
    key = id(value)
    fields = {name: one for name, one in read.items() if name not in known}
    _kept[key] = _Kept(weakref.ref(value, lambda _: _forget(key)), fields, tuple(read))


def _forget(key: int) -> None:
    _kept.pop(key, None)


def unknown_fields(value: object) -> Mapping[str, Any]:
    """Return the fields that were read with a value and that its class does not have; empty where there are none.

    Args:
        value: What `loads` or `structure` gave.
    """
    kept = _kept_of(value)
    return MappingProxyType({} if kept is None else dict(kept.fields))


def _kept_of(value: object) -> _Kept | None:
    kept = _kept.get(id(value))
    return kept if kept is not None and kept.owner() is value else None


def joined(value: object, written: dict[str, Any]) -> dict[str, Any]:
    """Return what is written of a value, with the fields that were kept of it where they stood.

    Args:
        value: The value.
        written: Its JSON object, of the fields that its class has.
    """
    kept = _kept_of(value) if _kept else None
    if kept is None:
        return written
    every = {**kept.fields, **written}
    return {**{name: every[name] for name in kept.order if name in every}, **every}
