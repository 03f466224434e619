"""A rule that asks a model: the tool exchanges of a finished task give way to a summary of them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from triptych.content import Message
from triptych.jsontext import encode_text
from triptych.request import LlmRequest
from triptych.threads.filler import is_filler_text
from triptych.threads.rules import Cut, ExchangeRule, finished_tasks
from triptych.threads.timeline import Exchange, Timeline

if TYPE_CHECKING:
    from triptych.client import LlmClient

_log = logging.getLogger("triptych")

_INSTRUCTIONS = (
    "Below are the tool calls of a task that is done, with their results. State in at most three sentences what was "
    "learnt and what was changed, for someone who may need it later. Keep names, numbers and file paths. Write nothing "
    "else."
)
_SUMMARY = "(Tool calls made here, in short: {})"


def summarised(
    client: LlmClient,
    *,
    after: int = 3,
    filler: Callable[[str], bool] = is_filler_text,
    instructions: str = _INSTRUCTIONS,
) -> ExchangeRule:
    """Return a rule that puts a model's summary in place of the exchanges of each finished task.

    It stands before `finished` or instead of it. A task is summarised once, for as long as the rule lives. When the
    model does not answer, the exchanges stay, and a warning is logged.

    Args:
        client: The model that is asked.
        after: How many user's turns must have come since.
        filler: Whether the whole text of a message is filler.
        instructions: What the model is told.
    """
    known: dict[str, str] = {}

    def summarised(timeline: Timeline) -> Iterator[Cut]:
        for exchanges in finished_tasks(timeline, after=after, filler=filler):
            told = _told(exchanges)
            if told not in known:
                text = _asked(client, instructions, told)
                if text is None:
                    continue
                known[told] = text
            yield Cut(exchanges, _SUMMARY.format(known[told]))

    return summarised


def _told(exchanges: Sequence[Exchange]) -> str:
    lines = []
    for exchange in exchanges:
        lines.append(
            f"call of {exchange.call.name}: {exchange.call.raw_arguments or encode_text(exchange.call.arguments)}"
        )
        lines += [f"{result.status}: {result.text}" for result in exchange.results]
    return "\n".join(lines)


def _asked(client: LlmClient, instructions: str, told: str) -> str | None:
    response = client.generate(LlmRequest(instructions=[instructions], contents=[Message("user", told)]))
    if response.error is None and response.text.strip():
        return response.text.strip()
    _log.warning("tool calls were not summarised: %s", response.error_message or "the answer is empty")
    return None
