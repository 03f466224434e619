"""One retry layer: what is tried again, how often, and how long the wait is. The waiting is tenacity's."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from triptych.errors import LlmError
from triptych.settings import Retries

if TYPE_CHECKING:
    import tenacity

    from triptych.attempt import Attempt


class Outcome(Protocol):
    """What one try came to."""

    error: LlmError | None


Answer = TypeVar("Answer", bound=Outcome)


class Policy(NamedTuple):
    """How one call is tried again.

    Args:
        retries: How often, and after which waits.
        deadline: The moment (`time.monotonic`) at which the whole call is given up; None is never.
        replayed: Whether the answers come from a recording: then nobody is waited for, and where the recording has no
            further try the last error stands.
        sleep: Waits so many seconds; None is `time.sleep`.
        on_attempt: Is told of each try once it is over; what it raises ends the call, and is raised to the caller.
    """

    retries: Retries
    deadline: float | None = None
    replayed: bool = False
    sleep: Callable[[float], None] | None = None
    on_attempt: Callable[[Attempt], None] | None = None


def call(attempt: Callable[[], Answer], policy: Policy) -> tuple[Answer, int]:
    """Return what `attempt` came to at last, trying again after an error that may pass, and how often it was called.

    The error, if there is one, has that number too. A wait that the provider asks for is never shortened: where it is
    too long (`Retries.longest_wait`, or past the deadline) the error comes back at once.

    Args:
        attempt: Sends the request once.
        policy: How it is tried again.
    """
    begun = time.monotonic()
    answer, attempts = attempt(), 1
    if answer.error is not None:
        if answer.error.retryable and policy.retries.most > 0:
            answer, attempts = _Tries(attempt, policy).after(answer, begun)
        else:
            _tell(policy, answer.error, 1, begun)
        if answer.error is not None:
            answer.error = answer.error.evolve(attempts=attempts)
    elif policy.on_attempt is not None:
        _tell(policy, None, 1, begun)
    return answer, attempts


def _tell(policy: Policy, error: LlmError | None, number: int, begun: float, wait: float | None = None) -> None:
    if policy.on_attempt is None:
        return
    from triptych.attempt import Attempt  # only for those who want to be told
    from triptych.foreign import HookFailure

    told = None if error is None else error.evolve(attempts=number)
    try:
        policy.on_attempt(Attempt(number, told, time.monotonic() - begun, wait))
    except Exception as fault:
        raise HookFailure(fault) from fault


class _Tries(Generic[Answer]):
    """The tries of one call after its first. The waiting and counting is tenacity's."""

    def __init__(self, attempt: Callable[[], Answer], policy: Policy) -> None:
        self._attempt = attempt
        self._policy = policy
        self._begun = 0.0
        self._made: list[Answer] = []
        self._told = 0

    def after(self, first: Answer, begun: float) -> tuple[Answer, int]:
        """Return what the last try came to, and how many there were.

        Args:
            first: What the first came to: it was sent already, and tenacity waits after it as after any other.
            begun: The moment at which it began.
        """
        import tenacity  # only after a failure: keeps it out of the happy path

        policy, queue = self._policy, iter([first])
        self._begun = begun
        self._made = [first]
        sleep = (lambda _: None) if policy.replayed else policy.sleep or time.sleep
        retrying = tenacity.Retrying(
            stop=self._is_enough,
            wait=self._wait,
            retry=tenacity.retry_if_result(lambda answer: answer.error is not None and answer.error.retryable),
            retry_error_callback=lambda _: self._made[-1],
            before_sleep=lambda state: self._tell(state.upcoming_sleep),
            sleep=sleep,
        )
        answer: Answer = retrying(lambda: next(queue, None) or self._again())
        self._tell(None)
        return answer, len(self._made)

    def _again(self) -> Answer:
        begun = time.monotonic()
        answer = self._attempt()
        if self._policy.replayed and answer.error is not None and answer.error.kind == "replay_miss":
            return self._made[-1]
        self._begun = begun
        self._made.append(answer)
        return answer

    def _tell(self, wait: float | None) -> None:
        if self._told < len(self._made):
            self._told = len(self._made)
            _tell(self._policy, self._made[-1].error, self._told, self._begun, wait)

    def _is_enough(self, state: tenacity.RetryCallState) -> bool:
        retries, deadline, wait = self._policy.retries, self._policy.deadline, state.upcoming_sleep
        too_late = deadline is not None and time.monotonic() + wait >= deadline
        return state.attempt_number > retries.most or wait > retries.longest_wait or too_late

    def _wait(self, state: tenacity.RetryCallState) -> float:
        """Return the seconds to wait: what the provider asked for, else a random time in a window that doubles."""
        error, retries = self._made[-1].error, self._policy.retries
        if error is not None and error.retry_after is not None:
            return float(error.retry_after)
        window = retries.first_wait * 2.0 ** min(state.attempt_number - 1, 64)
        return random.uniform(0, min(retries.longest_wait, window))


def advised(error: LlmError, headers: Mapping[str, str]) -> LlmError:
    """Return `error` with what the answer's headers say about trying again.

    Args:
        error: The error of an HTTP answer.
        headers: Its headers, by name without regard to case: `retry-after-ms`, `x-amz-retry-after` (milliseconds),
            `retry-after` (seconds, or a date, which counts from the answer's own `date`, or from now); what the body
            says counts next; then, of a limit that is reached, when it is lifted; and `x-should-retry`.
    """
    seconds = _milliseconds(headers.get("retry-after-ms") or headers.get("x-amz-retry-after"))
    if seconds is None:
        seconds = _seconds(headers.get("retry-after"), headers.get("date"))
    if seconds is None:
        seconds = error.retry_after
    if seconds is None and error.kind == "rate_limit":
        from triptych.reset_times import seconds_to_reset  # only after such an error

        seconds = seconds_to_reset(headers)
    should = {"true": True, "false": False}.get(headers.get("x-should-retry", "").lower(), error.retryable)
    if seconds == error.retry_after and should is error.retryable:
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
    except (ValueError, TypeError, OverflowError):
        return None


def _number(value: str | None) -> float | None:
    try:
        seconds = float(value) if value is not None else -1.0
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
