"""What came back: LlmResponse, an answer or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attrs import define, field

from triptych.checks import is_a, list_of
from triptych.content import ITEM_TYPES, ContentItem, Message, Reasoning, ToolCall
from triptych.errors import LlmError, Notice
from triptych.usage import Usage

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "pause", "error", "other", "unknown"]


@define
class LlmResponse:
    """The answer of a model, or why there is none.

    Args:
        content: What the model produced, in order; where several choices were asked for, one choice after the other.
        error: Why the call failed, or None.
        error_message: The words of the error, or None.
        usage: What the call cost in tokens; None where the provider did not say.
        usage_metadata: `{"input_tokens": …, "output_tokens": …}` of the usage; empty where there is none.
        finish_reason: Why the model stopped: "stop" (it was done), "length" (a token limit), "tool_calls",
            "content_filter", "pause" (the provider wants to go on in another call), "error", "other" (a reason of the
            provider's own) or "unknown" (it gave none).
        raw_finish_reason: The provider's own word for it.
        model: The model that answered, in the provider's words.
        id: The provider's id of the answer.
        provider: The provider that was asked.
        notices: What the provider's API could not express of the request.
        output: The value that the answer is, of the request's `output_type`; None where none was wished or where there
            is none, and then `error` says why, unless tools are called first.
        raw: The provider's answer as received, or as put together from a stream; it is not compared.
    """

    content: list[ContentItem] = field(factory=list, validator=list_of(*ITEM_TYPES))
    error: LlmError | None = field(default=None, validator=is_a(LlmError, optional=True))
    error_message: str | None = field(default=None, validator=is_a(str, optional=True))
    usage: Usage | None = field(default=None, validator=is_a(Usage, optional=True))
    usage_metadata: dict[str, int] = field(factory=dict, validator=is_a(dict))
    finish_reason: FinishReason | None = None
    raw_finish_reason: str | None = None
    model: str | None = None
    id: str | None = None
    provider: str | None = None
    notices: tuple[Notice, ...] = ()
    output: Any = None
    raw: Mapping[str, Any] | None = field(default=None, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        if self.error is not None and self.error_message is None:
            self.error_message = self.error.message
        if self.usage is not None and not self.usage_metadata:
            self.usage_metadata = {
                "input_tokens": self.usage.input_tokens,
                "output_tokens": self.usage.output_tokens,
            }
        elif self.usage is None and self.usage_metadata:
            counts = self.usage_metadata
            self.usage = Usage(counts.get("input_tokens", 0), counts.get("output_tokens", 0), raw=counts)

    @property
    def text(self) -> str:
        """The words of all messages, joined without a separator."""
        return "".join(item.text for item in self.content if isinstance(item, Message))

    @property
    def tool_calls(self) -> list[ToolCall]:
        """The calls, in order."""
        return [item for item in self.content if isinstance(item, ToolCall)]

    @property
    def reasoning(self) -> str:
        """The words of all reasoning, joined by line breaks; of a thought without text, its summary."""
        thoughts = (item.text or "\n".join(item.summary) for item in self.content if isinstance(item, Reasoning))
        return "\n".join(thought for thought in thoughts if thought)

    def raise_for_error(self) -> None:
        """Raise the error of a failed call; return None for an answer.

        Raises:
            LlmError: the call failed.
        """
        if self.error is not None:
            raise self.error
        if self.error_message is not None:
            raise LlmError(self.error_message)
