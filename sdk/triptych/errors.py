"""A failed call as a value: one type, a closed set of kinds.

authentication  permission  billing  not_found         the caller's account or name
invalid_request  context_length  content_filter        the request itself
unsupported                                            what this API cannot do, mostly found before sending
rate_limit  overloaded  server  timeout  connection    the provider or the network: may be tried again
malformed_response  stream_interrupted                 an answer that is not whole
refusal  truncated  invalid_output                     an answer that is not the wished output
cancelled  replay_miss                                 the caller's own doing
internal                                               a fault of this library
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Literal, get_args

from attrs import astuple, define, evolve, field

from triptych.checks import is_a, one_of

Kind = Literal[
    "authentication",
    "permission",
    "billing",
    "not_found",
    "invalid_request",
    "context_length",
    "content_filter",
    "rate_limit",
    "overloaded",
    "server",
    "timeout",
    "connection",
    "malformed_response",
    "stream_interrupted",
    "refusal",
    "truncated",
    "invalid_output",
    "unsupported",
    "cancelled",
    "replay_miss",
    "internal",
]

_RETRYABLE: frozenset[str] = frozenset({"rate_limit", "overloaded", "server", "timeout", "connection"})


def _compared(error: LlmError) -> tuple[Any, ...]:
    return astuple(error, recurse=False, filter=lambda attribute, _: bool(attribute.eq))


def _tuple(value: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(value)


@define(frozen=True, str=False)
class LlmError(Exception):
    """Why a call failed: a value in `LlmResponse.error`, and an exception for `LlmResponse.raise_for_error`.

    Args:
        message: What went wrong, in the provider's words where it said any.
        kind: One of the kinds listed above.
        status: The HTTP status, where an answer came.
        code: The provider's own code or type of the error.
        request_id: The provider's id of the request, to quote to its support.
        retry_after: Seconds that the provider asked to wait.
        retryable: Whether the same call may succeed later; by default what the kind says.
        attempts: How many times the request was sent.
        cause: The type and words of the underlying fault, where there was one.
        body: The start of the provider's answer, where it was no usable error object.
        partial: What had come of an answer that broke off and is not whole: items of the conversation's kinds.
        hint: What the user can do about it, where that is known: this library's advice, no words of the provider's, and
            so not compared.
    """

    message: str = field(validator=is_a(str))
    kind: Kind = field(default="internal", validator=one_of(*get_args(Kind)))
    status: int | None = field(default=None, validator=is_a(int, optional=True))
    code: str | None = field(default=None, validator=is_a(str, optional=True))
    request_id: str | None = field(default=None, validator=is_a(str, optional=True))
    retry_after: float | None = field(default=None, validator=is_a(int, float, optional=True))
    retryable: bool = field(default=None, validator=is_a(bool, optional=True))
    attempts: int = field(default=0, validator=is_a(int))
    cause: str | None = field(default=None, validator=is_a(str, optional=True))
    body: str | None = field(default=None, repr=False, validator=is_a(str, optional=True))
    partial: tuple[Any, ...] = field(default=(), repr=False, converter=_tuple)
    hint: str | None = field(default=None, eq=False, validator=is_a(str, optional=True))

    def __attrs_post_init__(self) -> None:
        if self.retryable is None:
            object.__setattr__(self, "retryable", self.kind in _RETRYABLE)

    # attrs leaves exceptions to be compared by identity, whatever it is told; this one is a value.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, LlmError) and _compared(self) == _compared(other)

    def __hash__(self) -> int:
        return hash((self.message, self.kind, self.status, self.code, self.request_id))

    def __str__(self) -> str:
        status = f" ({self.status})" if self.status is not None else ""
        hint = f" (hint: {self.hint})" if self.hint is not None else ""
        return f"{self.kind}{status}: {self.message}{hint}"

    def evolve(self, **changes: Any) -> LlmError:
        """Return a copy with some fields changed; a new kind brings its own `retryable`, and no hint of the old one."""
        of_the_kind: dict[str, Any] = {"retryable": None, "hint": None} if "kind" in changes else {}
        return evolve(self, **{**of_the_kind, **changes})

    def without(self, secret: str) -> LlmError:
        """Return a copy in which no text holds `secret`: providers quote the key that they refuse."""
        if not secret:
            return self
        texts = {name: getattr(self, name) for name in ("message", "code", "request_id", "cause", "body", "hint")}
        cleaned = {name: text.replace(secret, "***") for name, text in texts.items() if text and secret in text}
        return evolve(self, **cleaned) if cleaned else self


def internal(fault: Exception) -> LlmError:
    """Return the error for a fault of this library, which is logged with its traceback and never hidden.

    Args:
        fault: The exception that is being handled.

    Raises:
        Exception: the fault is none of this library, but came from outside: see `triptych.foreign`.
    """
    from triptych.foreign import pass_foreign  # only when something failed

    pass_foreign(fault)
    logging.getLogger("triptych").exception("a call failed by a fault of the library")
    return LlmError(f"a fault of the library: {fault!r}", "internal", cause=repr(fault))


@define(frozen=True)
class Notice:
    """Something that the target API cannot express, and what was done about it.

    Args:
        path: Where in the request, such as "contents[3].content[0]".
        what: What was left out or changed.
        why: The reason.
    """

    path: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}: {self.why}"
