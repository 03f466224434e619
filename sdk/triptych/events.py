"""What a stream yields: a small, closed union of frozen events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from attrs import frozen

from triptych.content import ContentItem


@frozen
class TextDelta:
    """The next words of the answer.

    Args:
        text: The words.
        choice: Which choice they belong to, where several were asked for; counted from 0.
    """

    text: str
    choice: int = 0


@frozen
class ReasoningDelta:
    """The next words of a thought.

    Args:
        text: The words.
        choice: Which choice they belong to.
    """

    text: str
    choice: int = 0


@frozen
class RefusalDelta:
    """The next words of a refusal.

    Args:
        text: The words.
        choice: Which choice they belong to.
    """

    text: str
    choice: int = 0


@frozen
class ToolCallDelta:
    """The next piece of a tool call. The call itself, whole, comes as an `ItemDone`.

    Args:
        tool_call_id: The call's id, once the provider has sent it.
        name: The tool's name, as far as it has come.
        arguments: The next piece of the arguments' JSON text.
        index: Which of the answer's calls it is, counted from 0.
        choice: Which choice it belongs to.
    """

    tool_call_id: str | None
    name: str
    arguments: str
    index: int = 0
    choice: int = 0


@frozen
class ItemDone:
    """An item of the answer is whole.

    Args:
        item: The item, as it stands in `LlmResponse.content`.
    """

    item: ContentItem


@frozen
class ProviderEvent:
    """An event of the provider that has no meaning here, verbatim.

    Args:
        data: The event as it was received.
    """

    data: Mapping[str, Any]


StreamEvent: TypeAlias = TextDelta | ReasoningDelta | RefusalDelta | ToolCallDelta | ItemDone | ProviderEvent
