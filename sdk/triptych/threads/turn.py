"""A turn of a conversation: what one side said before the other spoke, and the shrunk forms of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from attrs import evolve, field, frozen

from triptych.checks import one_of, shown
from triptych.content import (
    ITEM_TYPES,
    ClientContext,
    CompressionFiller,
    ContentItem,
    Deleted,
    ErrorItem,
    Message,
)
from triptych.parts import Opaque

TurnRole = Literal["user", "assistant", "system"]
Tier = Literal["message", "deleted"]
# From the tier that takes out least to the one that takes out most; each is made of the one before it.
TIERS: tuple[Tier, ...] = get_args(Tier)
Items: TypeAlias = tuple[ContentItem, ...]

_ROLES: Mapping[object, TurnRole] = {"user": "user", "system": "system", "developer": "system"}


def role_of(item: ContentItem) -> TurnRole | None:
    """Return whose turn an item belongs to; None for what was said by nobody: an error, a tombstone.

    A tool's result is on the assistant's turn, beside its call. A provider's own block is the assistant's, unless it
    is a whole message and says otherwise.
    """
    if isinstance(item, Deleted | ErrorItem):
        return None
    if isinstance(item, ClientContext):
        return "user"
    if isinstance(item, Message | CompressionFiller):
        return _ROLES.get(item.role, "assistant")
    if isinstance(item, Opaque) and isinstance(item.data.get("role"), str):
        return _ROLES.get(item.data["role"], "assistant")
    return "assistant"


def _items(value: object) -> object:
    return tuple(value) if isinstance(value, list | tuple) else value


def _check_items(where: str, value: object) -> None:
    if not isinstance(value, tuple) or not value:
        raise TypeError(f"{where}: expected a list of one or more items, got {shown(value)}")
    for index, item in enumerate(value):
        if not isinstance(item, ITEM_TYPES):
            raise TypeError(f"{where}[{index}]: expected an item of a conversation, got {shown(item)}")


def _check_original(instance: object, attribute: object, value: Items) -> None:
    _check_items("Turn.original", value)
    for index, item in enumerate(value):
        if isinstance(item, Deleted):
            raise ValueError(
                f"Turn.original[{index}]: expected what was said, got a tombstone; it belongs in a variant"
            )


def _variants(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return MappingProxyType({tier: _items(items) for tier, items in value.items()})


def _check_variants(instance: object, attribute: object, value: object) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(f"Turn.variants: expected items by tier, got {shown(value)}")
    for tier, items in value.items():
        if tier not in TIERS:
            names = ", ".join(map(repr, TIERS))
            raise ValueError(f"Turn.variants: expected tiers of {names}, got {shown(tier)}")
        _check_items(f"Turn.variants[{tier!r}]", items)


@frozen
class Turn:
    """What one side said, and how it reads after compression.

    Args:
        role: Who spoke: "user", "assistant" or "system".
        original: The items as they were said, one or more; never a tombstone.
        variants: The items that stand for the original in a tier. A tier that changed nothing has no entry.
    """

    role: TurnRole = field(validator=one_of("user", "assistant", "system"))
    original: Items = field(converter=_items, validator=_check_original)
    variants: Mapping[Tier, Items] = field(factory=dict, converter=_variants, validator=_check_variants)

    def view(self, tier: Tier | None = None) -> Items:
        """Return the items of a tier, else of the nearest one that takes out less, else the original.

        Args:
            tier: "message", "deleted", or None for the original.
        """
        known = () if tier is None else TIERS[: TIERS.index(tier) + 1]
        return next((self.variants[name] for name in reversed(known) if name in self.variants), self.original)

    def with_variants(self, variants: Mapping[Tier, Items]) -> Turn:
        """Return the turn with these variants in place of those that it has."""
        return self if not variants and not self.variants else evolve(self, variants=variants)

    def extended(self, items: Iterable[ContentItem]) -> Turn:
        """Return the turn with more said in it; its variants show that as it is."""
        more = tuple(items)
        variants = {tier: (*shorter, *more) for tier, shorter in self.variants.items()}
        return Turn(self.role, (*self.original, *more), variants)

    def __reduce__(self) -> tuple[object, ...]:
        """Return how a copy is made: a read-only mapping neither pickles nor copies by itself."""
        return (Turn, (self.role, self.original, dict(self.variants)))
