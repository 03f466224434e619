"""What compression took out of a thread, and how many tokens that saves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from attrs import frozen

from triptych import jsontext
from triptych.content import (
    ClientContext,
    CompressionFiller,
    ContentItem,
    Message,
    Reasoning,
    Refusal,
    ToolCall,
    ToolResult,
)
from triptych.parts import Media, Opaque, Text
from triptych.threads.timeline import Place

# Returns about how many tokens a model reads of an item.
Estimate: TypeAlias = Callable[[ContentItem], int]

CHARACTERS_PER_TOKEN: Final = 4
# Providers count a picture by its size; this is about one of ordinary size.
MEDIA_TOKENS: Final = 1000


@frozen
class Removal:
    """One item that compression took out.

    Args:
        place: The index of its turn in the thread, and of the item in the turn's original.
        content_type: What it was: "message", "tool_call", "tool_result", "reasoning".
        rule: The name of the rule that took it out; "reasoning" for what led to nothing that is left.
        tokens: About how many tokens the model read of it.
        name: The tool's name, of a call or a result.
    """

    place: Place
    content_type: str
    rule: str
    tokens: int
    name: str | None = None


@frozen
class Report:
    """What `compress` did to a thread.

    Args:
        removals: The items that were taken out, in order.
        fillers: The indexes of the turns that a `CompressionFiller` stands in.
        tokens_before: About how many tokens the model reads of the thread as it was said.
        tokens_after: The same of the compressed view. A turn of one word is shorter than the filler that replaces it.
    """

    removals: tuple[Removal, ...]
    fillers: tuple[int, ...]
    tokens_before: int
    tokens_after: int

    @property
    def tokens_saved(self) -> int:
        """About how many tokens the model does not have to read any more."""
        return self.tokens_before - self.tokens_after


def estimate_tokens(item: ContentItem) -> int:
    """Return about how many tokens a model reads of an item: a quarter of its characters, and a sum for each medium.

    A tokenizer that counts exactly may be given to `compress` instead.
    """
    read = _READ.get(type(item))
    return 0 if read is None else read(item)


def _of_text(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _of_value(value: Any) -> int:
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, Text):
        return _of_text(value.text)
    if isinstance(value, Media):
        return MEDIA_TOKENS
    return _of_text(jsontext.encode_text(value.data if isinstance(value, Opaque) else value))


def _of_values(values: Any) -> int:
    return _of_value(values) if isinstance(values, str) else sum(map(_of_value, values))


# Tombstones and errors are not sent: they have no entry.
_READ: Mapping[type, Callable[[Any], int]] = {
    Message: lambda item: _of_values(item.content),
    ToolCall: lambda item: _of_text(item.name) + _of_value(item.raw_arguments or item.arguments),
    ToolResult: lambda item: _of_values(item.content),
    Reasoning: lambda item: _of_text(item.text or "".join(item.summary) or item.encrypted or ""),
    Refusal: lambda item: _of_text(item.refusal),
    CompressionFiller: lambda item: _of_text(CompressionFiller.TEXT),
    ClientContext: lambda item: _of_value(item.context),
    Opaque: _of_value,
}
