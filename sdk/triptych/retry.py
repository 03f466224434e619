"""One retry layer: what is tried again, how often, and how long the wait is. The waiting is tenacity's."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

from triptych.errors import LlmError

if TYPE_CHECKING:
    import tenacity

FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0


class Outcome(Protocol):
    """What one try came to."""

    error: LlmError | None


Answer = TypeVar("Answer", bound=Outcome)


def call(attempt: Callable[[], Answer], retries: int, deadline: float | None, *, replayed: bool = False) -> Answer:
    """Return what `attempt` came to at last, trying again after an error that may pass.

    The error, if there is one, has the number of attempts. A wait that the provider asks for is never shortened: where
    it is too long (`LONGEST_WAIT`, or past the deadline) the error comes back at once.

    Args:
        attempt: Sends the request once.
        retries: How often to try again.
        deadline: The moment (`time.monotonic`) at which the whole call is given up; None is never.
        replayed: Whether the answers come from a recording: then nobody is waited for, and where the recording has no
            further try the last error stands.
    """
    answer, attempts = attempt(), 1
    if answer.error is not None and answer.error.retryable and retries > 0:
        answer, attempts = _again(attempt, answer, retries, deadline, replayed)
    if answer.error is not None:
        answer.error = answer.error.evolve(attempts=attempts)
    return answer


def _again(
    attempt: Callable[[], Answer], first: Answer, retries: int, deadline: float | None, replayed: bool
) -> tuple[Answer, int]:
    import tenacity  # only after a failure: keeps it out of the happy path

    tries = [first]  # the first was sent already: tenacity waits after it as after any other

    def again() -> Answer:
        answer = attempt()
        if replayed and answer.error is not None and answer.error.kind == "replay_miss":
            return tries[-1]
        tries.append(answer)
        return answer

    def enough(state: tenacity.RetryCallState) -> bool:
        wait = state.upcoming_sleep
        too_late = deadline is not None and time.monotonic() + wait >= deadline
        return state.attempt_number > retries or wait > LONGEST_WAIT or too_late

    queue = iter([first])
    retrying = tenacity.Retrying(
        stop=enough,
        wait=_wait,
        retry=tenacity.retry_if_result(lambda answer: answer.error is not None and answer.error.retryable),
        retry_error_callback=lambda _: tries[-1],
        sleep=(lambda _: None) if replayed else time.sleep,
    )
    answer: Answer = retrying(lambda: next(queue, None) or again())
    return answer, len(tries)


def _wait(state: tenacity.RetryCallState) -> float:
    """Return the seconds to wait: what the provider asked for, else a random time in a window that doubles."""
    error = state.outcome.result().error if state.outcome is not None else None
    if error is not None and error.retry_after is not None:
        return float(error.retry_after)
    window = FIRST_WAIT * 2.0 ** (state.attempt_number - 1)
    return random.uniform(0, min(LONGEST_WAIT, window))


def advised(error: LlmError, headers: Mapping[str, str]) -> LlmError:
    """Return `error` with what the answer's headers say about trying again.

    Args:
        error: The error of an HTTP answer.
        headers: Its headers, by name without regard to case: `retry-after-ms`, `retry-after` (seconds, or a date, which
            counts from the answer's own `date`, or from now), of a limit that is reached when it is lifted, and
            `x-should-retry`.
    """
    seconds = _milliseconds(headers.get("retry-after-ms"))
    if seconds is None:
        seconds = _seconds(headers.get("retry-after"), headers.get("date"))
    if seconds is None and error.kind == "rate_limit":
        from triptych.reset_times import seconds_to_reset  # only after such an error

        seconds = seconds_to_reset(headers)
    should = {"true": True, "false": False}.get(headers.get("x-should-retry", "").lower(), error.retryable)
    if seconds is None and should is error.retryable:
        return error
    return error.evolve(retry_after=seconds, retryable=should)


def _milliseconds(value: str | None) -> float | None:
    seconds = _number(value)
    return None if seconds is None else seconds / 1000


def _seconds(value: str | None, now: str | None) -> float | None:
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    try:
        start = datetime.now(UTC) if now is None else parsedate_to_datetime(now)
        return max(0.0, (parsedate_to_datetime(value) - start).total_seconds())
    except (ValueError, TypeError):
        return None


def _number(value: str | None) -> float | None:
    try:
        seconds = float(value) if value is not None else -1.0
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
