"""One retry layer: what is tried again, how often, and how long the wait is. The waiting is tenacity's."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from triptych.errors import LlmError

Answer = TypeVar("Answer")

FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0


def call(attempt: Callable[[], Answer], retries: int, deadline: float | None) -> Answer:
    """Return what `attempt` returns, trying again after an error that may pass.

    Args:
        attempt: Sends the request once; raises LlmError when that failed.
        retries: How often to try again.
        deadline: The moment (`time.monotonic`) at which the whole call is given up; None is never.

    Raises:
        LlmError: the last error, with the number of attempts. A wait that the provider asks for is never shortened:
            where it is too long (`LONGEST_WAIT`, or past the deadline) the error comes back at once.
    """
    try:
        return attempt()
    except LlmError as error:
        if retries < 1 or not error.retryable:
            raise error.evolve(attempts=1) from None
        return _again(attempt, error, retries, deadline)


def _again(attempt: Callable[[], Answer], first: LlmError, retries: int, deadline: float | None) -> Answer:
    import tenacity  # only after a failure: keeps it out of the happy path

    def enough(state: tenacity.RetryCallState) -> bool:
        wait = state.upcoming_sleep
        too_late = deadline is not None and time.monotonic() + wait >= deadline
        return state.attempt_number > retries or wait > LONGEST_WAIT or too_late

    attempts = 0

    def once() -> Answer:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise first  # sent already: tenacity waits after it as after any other
        return attempt()

    retrying = tenacity.Retrying(
        stop=enough,
        wait=_wait,
        retry=tenacity.retry_if_exception(lambda fault: isinstance(fault, LlmError) and fault.retryable),
        reraise=True,
        sleep=time.sleep,
    )
    try:
        return retrying(once)
    except LlmError as error:
        raise error.evolve(attempts=attempts) from None


def _wait(state: object) -> float:
    """Return the seconds to wait: what the provider asked for, else a random time in a window that doubles."""
    outcome = getattr(state, "outcome", None)
    error = outcome.exception() if outcome is not None else None
    if isinstance(error, LlmError) and error.retry_after is not None:
        return error.retry_after
    window = FIRST_WAIT * 2.0 ** (getattr(state, "attempt_number", 1) - 1)
    return random.uniform(0, min(LONGEST_WAIT, window))


def advised(error: LlmError, headers: Mapping[str, str]) -> LlmError:
    """Return `error` with what the answer's headers say about trying again.

    Args:
        error: The error of an HTTP answer.
        headers: Its headers, by name without regard to case: `retry-after-ms`, `retry-after` (seconds, or a date, which
            counts from the answer's own `date`, or from now), and `x-should-retry`.
    """
    seconds = _milliseconds(headers.get("retry-after-ms"))
    if seconds is None:
        seconds = _seconds(headers.get("retry-after"), headers.get("date"))
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
