"""What a part says beside the item that it is read as: kept one level deep, since a part's data is an object in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import evolve

from triptych.formats.verbatim import unsaid
from triptych.parts import Issuer, Provided

Item = TypeVar("Item", bound=Provided)


def keeping_fields(item: Item, wire: Mapping[str, Any], built: Mapping[str, Any], issuer: Issuer) -> Item:
    """Return `item`, read from `wire`, with the fields that `built` does not say kept beside it.

    Args:
        item: The item or part.
        wire: What it was read from.
        built: What it says by itself.
        issuer: Whose it is.
    """
    rest: dict[str, Any] = {}
    for name, value in (unsaid(wire, built) or {}).items():
        said = built.get(name)
        kept = unsaid(value, said) if isinstance(value, dict) and isinstance(said, dict) else value
        if kept is not None:
            rest[name] = kept
    return evolve(item, provider_data=rest, issuer=issuer) if rest else item


def with_own_fields(wire: Mapping[str, Any], source: Provided, issuer: Issuer) -> Any:
    """Return `wire` with what its issuer once sent beside it and in it; data of another issuer stays at home."""
    if source.provider_data is None or source.issuer != issuer:
        return wire
    merged = dict(wire)
    for name, value in source.provider_data.items():
        had = merged.get(name)
        merged[name] = {**had, **value} if isinstance(had, dict) and isinstance(value, dict) else value
    return merged
