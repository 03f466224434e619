"""A thread: a conversation that is kept, as turns that never change and the shrunk forms of them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from attrs import evolve, field, frozen

from triptych.checks import shown
from triptych.content import ContentItem, Deleted
from triptych.threads.turn import Tier, Turn, TurnRole, role_of


def _turns(value: object) -> object:
    return tuple(value) if isinstance(value, list | tuple) else value


def _check_turns(instance: object, attribute: object, value: object) -> None:
    if not isinstance(value, tuple):
        raise TypeError(f"Thread.turns: expected a list of Turn, got {shown(value)}")
    for index, turn in enumerate(value):
        if not isinstance(turn, Turn):
            raise TypeError(f"Thread.turns[{index}]: expected a Turn, got {shown(turn)}")


@frozen
class Thread:
    """A conversation in turns. `Thread.of(items)` makes one of a flat list of items.

    Args:
        turns: The turns in the order in which they were said.
    """

    turns: tuple[Turn, ...] = field(default=(), converter=_turns, validator=_check_turns)

    @classmethod
    def of(cls, items: Iterable[ContentItem]) -> Thread:
        """Return the thread of a flat list of items.

        Tombstones are left out: what they stood for is lost, and nothing of it was said to the model since.

        Args:
            items: The conversation, in order.
        """
        return cls(tuple(Turn(role, said) for role, said in _parted(items, None)))

    @property
    def contents(self) -> list[ContentItem]:
        """All items as they were said."""
        return self.view()

    def view(self, tier: Tier | None = None) -> list[ContentItem]:
        """Return the conversation as a flat list, for `LlmRequest.contents`.

        Args:
            tier: How much compression took out: "message", "deleted", or None for nothing. A turn without that tier
                is shown in the nearest one that takes out less.
        """
        return list(chain.from_iterable(turn.view(tier) for turn in self.turns))

    def extended(self, items: Iterable[ContentItem]) -> Thread:
        """Return the thread with more said at its end, in the last turn where its speaker goes on.

        Args:
            items: What was said, in order; tombstones are left out.
        """
        last = self.turns[-1] if self.turns else None
        turns = list(self.turns)
        for role, said in _parted(items, last.role if last else None):
            if turns and turns[-1].role == role:
                turns[-1] = turns[-1].extended(said)
            else:
                turns.append(Turn(role, said))
        return evolve(self, turns=turns)

    def without_variants(self) -> Thread:
        """Return the thread as it was said; `compress` makes the variants again."""
        return evolve(self, turns=[turn.with_variants({}) for turn in self.turns])


def _parted(items: Iterable[ContentItem], before: TurnRole | None) -> list[tuple[TurnRole, list[ContentItem]]]:
    """Return the items of each turn. What nobody said is on the turn that it came in, or on the next at the start."""
    turns: list[tuple[TurnRole, list[ContentItem]]] = []
    loose: list[ContentItem] = []  # before anybody spoke
    for item in items:
        if isinstance(item, Deleted):
            continue
        role = role_of(item) or (turns[-1][0] if turns else before)
        if role is None:
            loose.append(item)
        elif turns and turns[-1][0] == role:
            turns[-1][1].append(item)
        else:
            turns.append((role, [*loose, item]))
            loose.clear()
    return [*turns, ("assistant", loose)] if loose else turns
