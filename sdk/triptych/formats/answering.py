"""What every format does around the reading of an answer: one that cannot be read becomes a response that says why."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from triptych.errors import LlmError
from triptych.foreign import pass_foreign
from triptych.formats.turns import DistinctIds
from triptych.formats.wrong_form import WRONG_FORM
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych.formats import Call
    from triptych.formats.error_kinds import ErrorTable

Parser = TypeVar("Parser")


def answer_ids(call: Call | None, seed: str | None = None) -> DistinctIds:
    """Return what gives the calls of an answer ids that no call of the conversation before it has.

    Args:
        call: What is answered; None where that is not known.
        seed: What tells this answer from others, such as its id; by default the length of the conversation.
    """
    contents = call.request.contents if call is not None else []
    return DistinctIds(seed or str(len(contents)), contents)


def text_of(value: object) -> str | None:
    """Return a value that should be a text, or None where it is none or empty: hosts null and mistype them."""
    return value if isinstance(value, str) and value else None


def answered(read: Callable[[], LlmResponse], name: str, provider: str | None, body: Any) -> LlmResponse:
    """Return what `read` makes of an answer, or the error of one that has a wrong form.

    Args:
        read: Reads the answer.
        name: The wire format.
        provider: Whose answer it is.
        body: The answer, decoded.
    """
    try:
        return read()
    except WRONG_FORM as fault:
        from triptych.formats.malformed import malformed  # only when something failed

        error = malformed(name, "Response", body, fault)
        return LlmResponse(error=error, provider=provider, raw=body if isinstance(body, dict) else None)


def put_together(
    finish: Callable[[Parser, LlmError | None], LlmResponse],
) -> Callable[[Parser, LlmError | None], LlmResponse]:
    """Make a stream parser's `finish` give a response even where what came cannot be put together to an answer."""

    @functools.wraps(finish)
    def finished(parser: Parser, error: LlmError | None) -> LlmResponse:
        try:
            return finish(parser, error)
        except WRONG_FORM as fault:
            pass_foreign(fault)
            words = "the events of the stream do not make an answer together"
            wrong = LlmError(words, "malformed_response", code="bad_event", cause=repr(fault))
            return LlmResponse(error=wrong if error is None else error)

    return finished


def refused(body: Mapping[str, Any], table: ErrorTable, provider: str | None) -> LlmResponse:
    """Return the response for an answer that holds an error, though its HTTP status says that all is well.

    Args:
        body: The answer.
        table: What the errors of the API mean.
        provider: Whose answer it is.
    """
    from triptych.formats.error_bodies import body_error  # only when something failed

    return LlmResponse(error=body_error(body, table, host=provider), provider=provider, raw=body)
