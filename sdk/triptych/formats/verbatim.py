"""What has no typed home: kept as received, sent back as kept.

A reader of a wire object is checked against its own builder: the fields that the built object does not say again are
kept in `provider_data`. So nothing is lost, and a request that was read is built back as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import evolve

from triptych.parts import Issuer, Provided

Wire = TypeVar("Wire", bound=Mapping[str, object])
Item = TypeVar("Item", bound=Provided)


def unsaid(wire: Mapping[str, Any], built: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of `wire` that `built` lacks or says otherwise; None where there are none."""
    rest = {key: value for key, value in wire.items() if key not in built or built[key] != value}
    return rest or None


def keeping(item: Item, wire: Mapping[str, Any], built: Mapping[str, Any], issuer: Issuer) -> Item:
    """Return `item`, read from `wire`, with the fields that it does not say by itself kept beside it."""
    rest = unsaid(wire, built)
    return item if rest is None else evolve(item, provider_data=rest, issuer=issuer)


def with_provider_data(wire: Wire, source: Provided, issuer: Issuer) -> Wire:
    """Return `wire` with what its issuer once sent beside it; data of another issuer stays at home."""
    if source.provider_data is None or source.issuer != issuer:
        return wire
    merged: Any = {**wire, **source.provider_data}  # fields that the schema does not know
    return merged  # type: ignore[no-any-return]  # the type of `wire`, with the issuer's own fields added
