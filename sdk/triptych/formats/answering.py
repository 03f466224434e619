"""What every format does around the reading of an answer: one that cannot be read becomes a response that says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych.errors import Kind
from triptych.formats.turns import DistinctIds
from triptych.response import LlmResponse

if TYPE_CHECKING:
    from triptych.formats import Call


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
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        from triptych.formats.malformed import malformed  # only when something failed

        error = malformed(name, "Response", body, fault)
        return LlmResponse(error=error, provider=provider, raw=body if isinstance(body, dict) else None)


def refused(body: Mapping[str, Any], kinds: Mapping[str, Kind], provider: str | None) -> LlmResponse:
    """Return the response for an answer that holds an error, though its HTTP status says that all is well.

    Args:
        body: The answer.
        kinds: Kinds by the provider's own code or type.
        provider: Whose answer it is.
    """
    from triptych.formats.error_bodies import body_error  # only when something failed

    return LlmResponse(error=body_error(body, kinds), provider=provider, raw=body)
