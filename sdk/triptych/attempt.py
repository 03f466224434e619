"""One try of a call, as a program that watches is told of it."""

from __future__ import annotations

from attrs import frozen

from triptych.errors import LlmError


@frozen
class Attempt:
    """One try of a call, as `LlmClient(on_attempt=…)` is told of it.

    Args:
        number: Which try it was, from 1.
        error: Why it failed; None where an answer, or the first of a stream's, came.
        seconds: How long it took.
        wait: Seconds until the next try; None where there is none.
    """

    number: int
    error: LlmError | None
    seconds: float
    wait: float | None
