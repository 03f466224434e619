"""The steps of an assistant's turn: what came in one answer of the model, and so hangs together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from triptych.content import ContentItem, ErrorItem, Reasoning, ToolCall, ToolResult
from triptych.threads.timeline import Exchange, Timeline


def parted_steps(timeline: Timeline, chosen: Iterable[Exchange]) -> Iterator[Exchange]:
    """Yield the exchanges that must stay because others of their step do.

    A provider's own data on one of several parallel calls may speak for all of them: Gemini signs the first only. And
    Anthropic takes an answer's reasoning back whole or not at all. A call with such data, or one with reasoning between
    it and the others, goes when all calls of its step go.

    Args:
        timeline: The thread.
        chosen: The exchanges that are to go.
    """
    going = {exchange.places[0]: exchange for exchange in chosen}
    for number in {place[0] for place in going}:
        for step in _steps(timeline.turns[number].original):
            calls = [(number, index) for index, item in step if isinstance(item, ToolCall)]
            if all(place in going for place in calls):
                continue
            mixed = _thinks_between(step)
            yield from (going[one] for one in calls if one in going and (mixed or going[one].call.provider_data))


def _thinks_between(step: Sequence[tuple[int, ContentItem]]) -> bool:
    """Return whether the model went on to reason after the first call of a step."""
    called = False
    for _, item in step:
        called = called or isinstance(item, ToolCall)
        if called and isinstance(item, Reasoning):
            return True
    return False


def idle_reasoning(items: Sequence[ContentItem], removed: Collection[int]) -> list[int]:
    """Return the indexes of the reasoning in a turn that led to nothing but what was removed.

    OpenAI's Responses refuses reasoning without the item that followed it, and a call without its reasoning.

    Args:
        items: The turn's original.
        removed: The indexes of what was removed.
    """
    idle: list[int] = []
    for step in _steps(items):
        thought: list[int] = []
        led_to: list[int] = []
        for index, item in [*step, (len(items), Reasoning())]:
            if isinstance(item, Reasoning):
                if led_to:
                    idle += thought if all(one in removed for one in led_to) else []
                    thought, led_to = [], []
                thought.append(index)
            elif not isinstance(item, ErrorItem):
                led_to.append(index)
    return idle


def _steps(items: Sequence[ContentItem]) -> Iterator[list[tuple[int, ContentItem]]]:
    """Yield what stands between tool results, with its indexes."""
    step: list[tuple[int, ContentItem]] = []
    for index, item in enumerate(items):
        if not isinstance(item, ToolResult):
            step.append((index, item))
        elif step:
            yield step
            step = []
    if step:
        yield step
