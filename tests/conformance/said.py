"""What an answer says, in a form that a package's reading of it and ours can both be put into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, fields, frozen

from triptych import jsontext
from triptych.response import LlmResponse


@frozen
class Said:
    """The neutral form.

    Args:
        text: The words of all messages, joined.
        calls: The name and the arguments of each call.
        finish: The provider's word for why it stopped.
        usage: Tokens in and out, as `Usage` counts them; None where the provider does not say.
    """

    text: str
    calls: list[tuple[str, Any]] = field(factory=list)
    finish: str | None = None
    usage: tuple[int, int] | None = None

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return what can differ."""
        return tuple(one.name for one in fields(cls))


def by_us(response: LlmResponse) -> Said:
    """Return what our reading of an answer says."""
    usage = response.usage
    return Said(
        response.text,
        [(call.name, call.arguments) for call in response.tool_calls],
        response.raw_finish_reason,
        None if usage is None else (usage.input_tokens, usage.output_tokens),
    )


def arguments(text: str | None) -> Mapping[str, Any]:
    """Return the arguments that a JSON text holds: none where it is no object."""
    try:
        decoded = jsontext.decode(text or "{}")
    except ValueError:
        return {}
    return decoded if isinstance(decoded, dict) else {}
