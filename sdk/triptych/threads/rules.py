"""The rules of compression: what of a thread may go. Each function here makes a rule out of its settings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

from attrs import field, frozen

from triptych import jsontext
from triptych.content import ContentItem, Message, ToolCall
from triptych.parts import Text
from triptych.threads.filler import is_filler_text
from triptych.threads.timeline import Exchange, Place, Timeline


@frozen(eq=False)
class Cut:
    """Exchanges that go, and what is left in their place.

    Args:
        exchanges: Exchanges of the timeline that the rule was given.
        summary: What the model reads of them, as the assistant's words; None for nothing.
    """

    exchanges: Sequence[Exchange]
    summary: str | None = None


# Returns the places of assistant messages that go.
MessageRule: TypeAlias = Callable[[Timeline], Iterable[Place]]
# Returns the exchanges that go: an `Exchange`, or a `Cut` of several.
ExchangeRule: TypeAlias = Callable[[Timeline], Iterable[Exchange | Cut]]


def is_words(item: ContentItem) -> bool:
    """Return whether an item is an assistant's message of words alone."""
    if not isinstance(item, Message) or item.role != "assistant":
        return False
    return isinstance(item.content, str) or all(isinstance(part, Text) for part in item.content)


def _says(item: ContentItem) -> str:
    return item.text if isinstance(item, Message) else ""


def filler_text(*, filler: Callable[[str], bool] = is_filler_text, keep: int = 1) -> MessageRule:
    """Return a rule that takes out the assistant's messages of pure filler.

    Where filler is all that the assistant answered to a question ("Shall I?" "Sure."), it stays: there it says yes.

    Args:
        filler: Whether the whole text of a message is filler.
        keep: How many of the last user's turns are left alone, each with what followed it.
    """

    def filler_text(timeline: Timeline) -> Iterator[Place]:
        oldest = (timeline.tasks[-1] if timeline.tasks else 0) - keep
        asked = False
        for number, turn in enumerate(timeline.turns):
            if turn.role == "user":
                asked = any("?" in _says(item) for item in turn.original)
            if turn.role != "assistant" or timeline.tasks[number] > oldest:
                continue
            said = enumerate(turn.original)
            places = [(number, index) for index, item in said if is_words(item) and filler(_says(item))]
            if not (asked and len(places) == len(turn.original)):
                yield from places

    return filler_text


def superseded(
    *, tools: Collection[str] | None = None, needed: Callable[[Exchange, Exchange], bool] | None = None
) -> ExchangeRule:
    """Return a rule that takes out an exchange where the same call, later, succeeded.

    Calls are the same when their names and arguments are. For a tool whose every answer counts, such as one that
    throws dice or adds a line, name the others in `tools`.

    Args:
        tools: The names of the tools that it holds for; None for all.
        needed: Whether an exchange is still needed beside the later one; by default it never is.
    """

    def superseded(timeline: Timeline) -> Iterator[Exchange]:
        later: dict[tuple[str, object], Exchange] = {}
        for exchange in reversed(timeline.exchanges):
            if tools is not None and exchange.call.name not in tools:
                continue
            wish = _wish(exchange.call)
            if wish in later and not (needed and needed(exchange, later[wish])):
                yield exchange
            if exchange.succeeded:
                later[wish] = exchange

    return superseded


def _wish(call: ToolCall) -> tuple[str, object]:
    """Return what a call wants, equal for equal wishes."""
    if call.malformed:
        return call.name, call.raw_arguments
    # By way of JSON, since True == 1 in Python and not in a tool's arguments.
    return call.name, _sorted(jsontext.decode(jsontext.encode(call.arguments)))


def _sorted(value: object) -> object:
    if isinstance(value, dict):
        return ("object", *sorted((key, _sorted(one)) for key, one in value.items()))
    if isinstance(value, list):
        return ("array", *(_sorted(one) for one in value))
    return (type(value).__name__, value)


def finished(*, after: int = 3, filler: Callable[[str], bool] = is_filler_text) -> ExchangeRule:
    """Return a rule that takes out the exchanges of finished tasks.

    A task is what followed a user's turn; it is finished when the assistant ended it in words that are no filler.

    Args:
        after: How many user's turns must have come since.
        filler: Whether the whole text of a message is filler.
    """

    def finished(timeline: Timeline) -> Iterator[Exchange]:
        for exchanges in finished_tasks(timeline, after=after, filler=filler):
            yield from exchanges

    return finished


def finished_tasks(
    timeline: Timeline, *, after: int = 3, filler: Callable[[str], bool] = is_filler_text
) -> list[list[Exchange]]:
    """Return the exchanges of each finished task that has any; see `finished`.

    Args:
        timeline: The thread.
        after: How many user's turns must have come since.
        filler: Whether the whole text of a message is filler.
    """
    words: dict[int, Place] = {}
    for place, item in timeline.items():
        if is_words(item) and not filler(_says(item)):
            words[timeline.tasks[place[0]]] = place
    tasks: dict[int, list[Exchange]] = {}
    for exchange in timeline.exchanges:
        task = timeline.tasks[exchange.end[0]]
        if task in words and words[task] > exchange.end and timeline.tasks[-1] - task >= after:
            tasks.setdefault(task, []).append(exchange)
    return list(tasks.values())


def _message_rules(rules: Iterable[MessageRule]) -> tuple[MessageRule, ...]:
    return tuple(rules)


def _exchange_rules(rules: Iterable[ExchangeRule]) -> tuple[ExchangeRule, ...]:
    return tuple(rules)


@frozen
class Rules:
    """What compression takes out, by pass.

    Args:
        messages: The rules of the message pass.
        exchanges: The rules of the deletion pass, of which the first that names an exchange has it.
    """

    messages: tuple[MessageRule, ...] = field(factory=lambda: (filler_text(),), converter=_message_rules)
    exchanges: tuple[ExchangeRule, ...] = field(factory=lambda: (superseded(), finished()), converter=_exchange_rules)
