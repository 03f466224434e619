"""How long until a provider lifts a limit, as the headers of its limits say where it does not say so itself.

References: https://docs.claude.com/en/api/rate-limits#response-headers and
https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# The headers of one limit: when it is lifted; how much there is of it, and what is left of that, by a name for it.
_LIMITS = (
    (re.compile(r"(?i)(anthropic-ratelimit-.+)-reset"), "{}-limit", "{}-remaining"),
    (re.compile(r"(?i)x-ratelimit-reset-(.+)"), "x-ratelimit-limit-{}", "x-ratelimit-remaining-{}"),
    (re.compile(r"(?i)((?:x-)?ratelimit(?:bysize)?)-reset"), "{}-limit", "{}-remaining"),
)
_UNITS: Mapping[str, float] = {"d": 86_400, "h": 3600, "m": 60, "s": 1, "ms": 0.001, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_DURATION = re.compile(r"(?:\d{1,9}(?:\.\d{1,12})?(?:ms|us|µs|ns|d|h|m|s))+")
_STEP = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|d|h|m|s)")
# Numbers above these are moments, in seconds and in milliseconds since 1970, and not durations.
_EPOCH_SECONDS, _EPOCH_MILLISECONDS = 1e9, 1e12


def seconds_to_reset(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until what is used up may be used again; None where no header says.

    Of several limits those count of which nothing is left, else those of which that is not said, and of these the
    longest. Where of each there is something left, too little for the request, that counts of which the least is left.

    Args:
        headers: The answer's headers, by name without regard to case; its `date` is the present, if it has one.
    """
    limits = list(_limits(headers))
    for left in (0.0, None):
        reached = [seconds for seconds, each in limits if each == left]
        if reached:
            return max(reached)
    return min(limits, key=lambda limit: limit[1] or 0.0)[0] if limits else None


def _limits(headers: Mapping[str, str]) -> Iterator[tuple[float, float | None]]:
    """Yield, for each limit, the seconds until it is lifted, and the share of it that is left, where that is said."""
    for name, value in headers.items():
        for pattern, limit, remaining in _LIMITS:
            match = pattern.fullmatch(name)
            seconds = None if match is None else _seconds(value.strip(), lambda: _now(headers))
            if match is not None and seconds is not None:
                left, most = (_number(headers.get(each.format(match[1]), "")) for each in (remaining, limit))
                yield seconds, left if not left or not most else left / most
                break


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _seconds(value: str, now: Callable[[], datetime]) -> float | None:
    if _DURATION.fullmatch(value):
        return sum(float(number) * _UNITS[unit] for number, unit in _STEP.findall(value))
    number = _number(value)
    if number is None:
        return _until(value, now)
    if number > _EPOCH_SECONDS:
        moment = number / 1000 if number > _EPOCH_MILLISECONDS else number
        return max(0.0, moment - _timestamp(now()))
    return number


def _until(value: str, now: Callable[[], datetime]) -> float | None:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return max(0.0, _timestamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _timestamp(now()))


def _timestamp(moment: datetime) -> float:
    try:
        return moment.timestamp()
    except (ValueError, OverflowError):  # a year that there is not in UTC
        return 0.0


def _now(headers: Mapping[str, str]) -> datetime:
    try:
        date = parsedate_to_datetime(headers["date"])
        return date if date.tzinfo else date.replace(tzinfo=UTC)
    except (KeyError, ValueError, TypeError, OverflowError):  # the last: a year of twenty digits
        return datetime.now(UTC)
