"""How long until a provider lifts a limit, as the headers of its limits say where it does not say so itself.

References: https://docs.claude.com/en/api/rate-limits#response-headers and
https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# The headers of one limit: when it is lifted, and what is left of it.
_LIMITS = (
    (re.compile(r"(?i)(anthropic-ratelimit-.+)-reset"), "{}-remaining"),
    (re.compile(r"(?i)x-ratelimit-reset-(.+)"), "x-ratelimit-remaining-{}"),
    (re.compile(r"(?i)x-ratelimit-reset()"), "x-ratelimit-remaining"),
)
_UNITS: Mapping[str, float] = {"d": 86_400, "h": 3600, "m": 60, "s": 1, "ms": 0.001, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|us|µs|ns|d|h|m|s))+")
_STEP = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|d|h|m|s)")
# Numbers above these are moments, in seconds and in milliseconds since 1970, and not durations.
_EPOCH_SECONDS, _EPOCH_MILLISECONDS = 1e9, 1e12


def seconds_to_reset(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until what is used up may be used again; None where no header says.

    Of several limits those count of which nothing is left, or all where that is not said, and of these the longest.

    Args:
        headers: The answer's headers, by name without regard to case; its `date` is the present, if it has one.
    """
    limits = list(_limits(headers))
    spent = [seconds for seconds, is_spent in limits if is_spent]
    return max(spent or [seconds for seconds, _ in limits], default=None)


def _limits(headers: Mapping[str, str]) -> Iterator[tuple[float, bool]]:
    """Yield, for each limit, the seconds until it is lifted, and whether nothing is left of it."""
    for name, value in headers.items():
        for pattern, remaining in _LIMITS:
            match = pattern.fullmatch(name)
            seconds = None if match is None else _seconds(value.strip(), lambda: _now(headers))
            if match is not None and seconds is not None:
                yield seconds, headers.get(remaining.format(match[1]), "").strip() == "0"
                break


def _seconds(value: str, now: Callable[[], datetime]) -> float | None:
    if _DURATION.fullmatch(value):
        return sum(float(number) * _UNITS[unit] for number, unit in _STEP.findall(value))
    try:
        number = float(value)
    except ValueError:
        return _until(value, now)
    if number > _EPOCH_SECONDS:
        moment = number / 1000 if number > _EPOCH_MILLISECONDS else number
        return max(0.0, moment - now().timestamp())
    return number if number >= 0 else None  # not a number is none either


def _until(value: str, now: Callable[[], datetime]) -> float | None:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now().timestamp())


def _now(headers: Mapping[str, str]) -> datetime:
    try:
        return parsedate_to_datetime(headers["date"])
    except (KeyError, ValueError, TypeError):
        return datetime.now(UTC)
