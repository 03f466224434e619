"""Compression: views of a thread that leave out what is no longer needed, while the thread keeps all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve, field, frozen

from triptych.checks import shown
from triptych.content import (
    CompressionFiller,
    ContentItem,
    Deleted,
    ErrorItem,
    Message,
    Reasoning,
    Refusal,
    ToolCall,
    ToolResult,
)
from triptych.parts import Opaque, Text
from triptych.threads.report import Estimate, Removal, Report, estimate_tokens
from triptych.threads.rules import Cut, ExchangeRule, MessageRule, Rules, is_words
from triptych.threads.steps import idle_reasoning, parted_steps
from triptych.threads.thread import Thread
from triptych.threads.timeline import Exchange, Place, Timeline
from triptych.threads.turn import TIERS, Items, Tier, Turn

_CONTENT_TYPES: Mapping[type, str] = {
    Message: "message",
    ToolCall: "tool_call",
    ToolResult: "tool_result",
    Reasoning: "reasoning",
}


def compress(
    thread: Thread, *, tier: Tier = "deleted", rules: Rules | None = None, estimate: Estimate = estimate_tokens
) -> tuple[Thread, Report]:
    """Return a thread with variants made anew, and what they leave out. The originals stay as they are.

    The message pass takes out assistant messages, the deletion pass whole tool exchanges; a tombstone stands in the
    place of each item. Users' turns and system text are never touched, and a call goes with its results only. A turn
    of which only tombstones are left becomes one `CompressionFiller`; one of which no words are left, but something
    that only one provider reads, gets one in the first tombstone's place.

    Args:
        thread: The conversation.
        tier: "message" for the message pass, "deleted" for the deletion pass after it. Variants of a tier that takes
            out more are dropped: they were made of an older one of this tier.
        rules: What may go; `Rules()` by default.
        estimate: Returns about how many tokens a model reads of an item, for the report.

    Raises:
        ValueError: an unknown tier, or a rule named what it must not take out.
    """
    if tier not in TIERS:
        raise ValueError(f"compress: expected a tier of {', '.join(map(repr, TIERS))}, got {shown(tier)}")
    rules = rules or Rules()
    edits = _Edits(Timeline.of(thread))
    variants: list[dict[Tier, Items]] = [{} for _ in thread.turns]
    for rule in rules.messages:
        edits.take_messages(rule)
    edits.show(variants, "message")
    if tier == "deleted":
        edits.take_exchanges(rules.exchanges)
        edits.show(variants, "deleted")
    turns = [turn.with_variants(made) for turn, made in zip(thread.turns, variants, strict=True)]
    return evolve(thread, turns=turns), edits.report(turns, tier, estimate)


@frozen(eq=False)
class _Edits:
    """What is taken out of a thread, as it grows.

    Args:
        timeline: The thread.
        removed: The name of the rule that took it out, by turn and index.
        summaries: What stands in the place of an item instead of a tombstone.
    """

    timeline: Timeline
    removed: dict[int, dict[int, str]] = field(factory=dict)
    summaries: dict[Place, Message] = field(factory=dict)

    def take_messages(self, rule: MessageRule) -> None:
        """Take out the messages that a rule names."""
        for place in rule(self.timeline):
            item = self.timeline.item(place)
            if not is_words(item):
                raise ValueError(
                    f"rule {_name(rule)}: expected the place of an assistant's words, got {place}: {shown(item)}"
                )
            self._take(place, _name(rule))

    def take_exchanges(self, rules: tuple[ExchangeRule, ...]) -> None:
        """Take out the exchanges that rules name, but for those whose step would be torn."""
        known = set(self.timeline.exchanges)
        chosen: dict[Exchange, tuple[str, Cut]] = {}
        for rule in rules:
            for named in rule(self.timeline):
                cut = named if isinstance(named, Cut) else Cut((named,))
                for exchange in cut.exchanges:
                    if exchange not in known:
                        raise ValueError(
                            f"rule {_name(rule)}: expected exchanges of the timeline, got {shown(exchange)}"
                        )
                    chosen.setdefault(exchange, (_name(rule), cut))
        for exchange in list(parted_steps(self.timeline, chosen)):
            del chosen[exchange]
        told: set[Cut] = set()
        for exchange in sorted(chosen, key=lambda one: one.places[0]):
            name, cut = chosen[exchange]
            for place in exchange.places:
                self._take(place, name)
            if cut.summary is not None and cut not in told:
                self.summaries[exchange.places[0]] = Message("assistant", cut.summary)
            told.add(cut)

    def _take(self, place: Place, name: str) -> None:
        self.removed.setdefault(place[0], {}).setdefault(place[1], name)

    def show(self, variants: list[dict[Tier, Items]], tier: Tier) -> None:
        """Add the view of each turn that this tier changed."""
        for number, removed in self.removed.items():
            turn = self.timeline.turns[number]
            for index in idle_reasoning(turn.original, removed):
                removed.setdefault(index, "reasoning")
            view = _filled(turn, tuple(self._shown(number, turn)))
            if view != variants[number].get("message"):
                variants[number][tier] = view

    def _shown(self, number: int, turn: Turn) -> Iterator[ContentItem]:
        for index, item in enumerate(turn.original):
            if index not in self.removed[number]:
                yield item
            else:
                yield self.summaries.get((number, index)) or Deleted(_CONTENT_TYPES[type(item)])

    def report(self, turns: list[Turn], tier: Tier, estimate: Estimate) -> Report:
        """Return what was done."""
        removals = [
            _removal((number, index), self.timeline.item((number, index)), removed[index], estimate)
            for number, removed in sorted(self.removed.items())
            for index in sorted(removed)
        ]
        fillers = [
            number
            for number in sorted(self.removed)
            if sum(map(_is_filler, turns[number].view(tier))) > sum(map(_is_filler, turns[number].original))
        ]
        before = [sum(map(estimate, turn.original)) for turn in turns]
        after = [
            sum(map(estimate, turn.view(tier))) if turn.variants else tokens
            for turn, tokens in zip(turns, before, strict=True)
        ]
        return Report(tuple(removals), tuple(fillers), sum(before), sum(after))


def _is_filler(item: ContentItem) -> bool:
    return isinstance(item, CompressionFiller)


def _name(rule: Any) -> str:
    return str(getattr(rule, "__name__", type(rule).__name__))


def _removal(place: Place, item: ContentItem, rule: str, estimate: Estimate) -> Removal:
    name = item.name if isinstance(item, ToolCall | ToolResult) else None
    return Removal(place, _CONTENT_TYPES[type(item)], rule, estimate(item), name)


def _filled(turn: Turn, view: Items) -> Items:
    """Return a view in which the turn can be heard: with a filler where nothing is left that every model reads."""
    if any(map(_is_heard, view)):
        return view
    filler = CompressionFiller(turn.role)
    if all(isinstance(item, Deleted | ErrorItem) for item in view):
        return (filler,)
    first = next(index for index, item in enumerate(view) if isinstance(item, Deleted))
    return (*view[:first], filler, *view[first + 1 :])


def _is_heard(item: ContentItem) -> bool:
    """Return whether every model reads something of an item."""
    if isinstance(item, Message):
        if isinstance(item.content, str):
            return bool(item.content.strip())
        return any(
            not isinstance(part, Opaque) and (not isinstance(part, Text) or part.text.strip()) for part in item.content
        )
    if isinstance(item, Refusal):
        return bool(item.refusal.strip())
    return isinstance(item, ToolCall | ToolResult | CompressionFiller)
