"""How to generate: the settings of a call, and how long to wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, fields, frozen

from triptych.checks import did_you_mean, is_a, list_of, shown
from triptych.jsontext import DEPTH


def _stop(value: object) -> object:
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, tuple) else value


def _check_stop(instance: object, attribute: Any, value: object) -> None:
    if value is not None:
        list_of(str)(instance, attribute, value)


def _optional(*types: type) -> Any:
    return field(default=None, validator=is_a(*types, optional=True))


@frozen(kw_only=True)
class Settings:
    """Settings of a call; one that is None is absent on the wire, and the provider's default holds.

    Args:
        temperature: Randomness, 0 upwards; the upper limit is the provider's.
        top_p: Share of probability mass to sample from, 0 to 1.
        top_k: Number of likeliest tokens to sample from.
        max_tokens: Most tokens to write.
        stop: Stop sequences; a str is taken as one.
        seed: For repeatable sampling, where the provider has it.
        frequency_penalty: -2 to 2: against words that are frequent already.
        presence_penalty: -2 to 2: against words that are present already.
        logprobs: Whether log probabilities of the tokens are wanted; they are in `response.raw`.
        top_logprobs: How many alternatives a token.
        parallel_tool_calls: Whether the model may call several tools at once.
        reasoning: How much to think: the name of an effort ("none", "low", "medium", "high", or what else the provider
            has), or a number of tokens.
        user: A stable id of the end user, for the provider's abuse checks.
        metadata: Labels to store with the call.
        service_tier: The provider's name of a price and speed class.
        extra_body: Fields of the provider's request that have no setting here, verbatim; they win over all others.

    Raises:
        TypeError: a value of a wrong type.
    """

    temperature: float | None = _optional(int, float)
    top_p: float | None = _optional(int, float)
    top_k: int | None = _optional(int)
    max_tokens: int | None = _optional(int)
    stop: list[str] | None = field(default=None, converter=_stop, validator=_check_stop)
    seed: int | None = _optional(int)
    frequency_penalty: float | None = _optional(int, float)
    presence_penalty: float | None = _optional(int, float)
    logprobs: bool | None = _optional(bool)
    top_logprobs: int | None = _optional(int)
    parallel_tool_calls: bool | None = _optional(bool)
    reasoning: str | int | None = _optional(str, int)
    user: str | None = _optional(str)
    metadata: Mapping[str, Any] | None = _optional(dict)
    service_tier: str | None = _optional(str)
    extra_body: Mapping[str, Any] | None = _optional(dict)

    @classmethod
    def named(cls, values: Mapping[str, Any], others: tuple[str, ...] = ()) -> Settings:
        """Return settings from names and values; see `check_names`.

        Raises:
            TypeError: a name that is no setting; the message has the nearest one.
        """
        check_names(values, others)
        return cls(**values)

    @classmethod
    def takes(cls, name: str, value: Any) -> bool:
        """Return whether a setting takes a value: a provider's request may hold one of a wrong type."""
        try:
            cls(**{name: value})
        except TypeError:
            return False
        return True

    def with_(self, values: Mapping[str, Any]) -> Settings:
        """Return these settings with some replaced.

        Raises:
            TypeError: a name that is no setting; the message has the nearest one.
        """
        check_names(values)
        return evolve(self, **values)


SETTING_NAMES = tuple(attribute.name for attribute in fields(Settings))


def check_names(values: Mapping[str, Any], others: tuple[str, ...] = ()) -> None:
    """Raise TypeError when a name in `values` is no setting.

    Args:
        values: Settings by name.
        others: Names that the caller knows besides, and that may have been meant.
    """
    for name, value in values.items():
        if name not in SETTING_NAMES:
            hint = did_you_mean(name, (*SETTING_NAMES, *others))
            raise TypeError(
                f"unknown setting {name!r} = {shown(value)}{hint}; known settings: {', '.join(SETTING_NAMES)}; "
                "what only one provider has goes into extra_body"
            )


def _check_seconds(instance: object, attribute: Any, value: object) -> None:
    is_a(int, float, optional=True)(instance, attribute, value)
    if isinstance(value, (int, float)) and not value > 0:
        where = f"{type(instance).__name__}.{attribute.name}"
        raise ValueError(f"{where}: expected more than 0 seconds, got {value!r}")


def _check_wait(instance: object, attribute: Any, value: object) -> None:
    is_a(int, float)(instance, attribute, value)
    if isinstance(value, (int, float)) and not value >= 0:
        where = f"{type(instance).__name__}.{attribute.name}"
        raise ValueError(f"{where}: expected seconds from 0, got {value!r}")


def _from(least: int, *, optional: bool = False) -> Any:
    """Return a validator for whole numbers from `least`."""

    def check(instance: object, attribute: Any, value: object) -> None:
        is_a(int, optional=optional)(instance, attribute, value)
        if isinstance(value, int) and value < least:
            where = f"{type(instance).__name__}.{attribute.name}"
            raise ValueError(f"{where}: expected a number from {least}, got {value!r}")

    return check


@frozen
class Timeout:
    """How long to wait, in seconds; None is for ever.

    Args:
        connect: For a connection to the host.
        first_event: From sending the request to the first of the answer.
        idle: Between one piece of the answer and the next.
        total: For the whole call, retries and the waits between them included.
    """

    connect: float | None = field(default=10.0, kw_only=True, validator=_check_seconds)
    first_event: float | None = field(default=600.0, kw_only=True, validator=_check_seconds)
    idle: float | None = field(default=120.0, kw_only=True, validator=_check_seconds)
    total: float | None = field(default=None, kw_only=True, validator=_check_seconds)

    @classmethod
    def of(cls, value: float | Timeout | None) -> Timeout:
        """Return a timeout from a number of seconds in total, from a Timeout, or the default from None."""
        if isinstance(value, Timeout):
            return value
        return cls() if value is None else cls(total=value)


@frozen
class Retries:
    """How often a call is tried again after an error that may pass, and how long is waited before.

    Where the provider says how long to wait, that is done; otherwise the wait is a random time in a window that doubles
    from try to try.

    Args:
        most: How often to try again.
        first_wait: Seconds of the first window.
        longest_wait: Seconds of the longest wait. Where the provider asks for a longer one, the error comes back at
            once, with its `retry_after`: a wait is never shortened.
    """

    most: int = field(default=2, validator=_from(0))
    first_wait: float = field(default=0.5, kw_only=True, validator=_check_wait)
    longest_wait: float = field(default=60.0, kw_only=True, validator=_check_wait)

    @classmethod
    def of(cls, value: int | Retries) -> Retries:
        """Return retries from how often to try again, or from Retries."""
        return value if isinstance(value, Retries) else cls(value)


@frozen(kw_only=True)
class Limits:
    """How much of an answer is taken: whoever answers may send without end. More is an error that names the limit.

    Args:
        response_bytes: Bytes of a whole answer, streamed or not, once decompressed; None is any number.
        event_bytes: Bytes of one event of a stream, and so of any line of one; None is any number.
        depth: Levels of JSON inside one another.
        items: Items in an answer's content.
    """

    response_bytes: int | None = field(default=256 << 20, validator=_from(1, optional=True))
    event_bytes: int | None = field(default=64 << 20, validator=_from(1, optional=True))
    depth: int = field(default=DEPTH, validator=_from(1))
    items: int = field(default=10_000, validator=_from(1))
