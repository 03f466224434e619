"""The content of a conversation: one flat union of frozen items, the same for every provider.

A conversation is a list of items in the order in which they were said. What only one provider means by an item is kept
beside it (`provider_data`, `Opaque`) and goes back to that provider alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from triptych import jsontext
from triptych.checks import is_a, list_of, one_of, shown
from triptych.parts import PART_TYPES, Audio, Document, Image, Issuer, Media, Opaque, Part, Provided, Text, Video

Role = Literal["system", "developer", "user", "assistant"]
Status = Literal["success", "error"]


def _parts(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return [Text(part) if isinstance(part, str) else part for part in value]
    return value


def _check_parts(instance: object, attribute: object, value: object) -> None:
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise TypeError(f"Message.content: expected a str or a list of parts, got {shown(value)}")
    for index, part in enumerate(value):
        if not isinstance(part, PART_TYPES):
            names = ", ".join(kind.__name__ for kind in PART_TYPES)
            raise TypeError(f"Message.content[{index}]: expected a str or one of {names}, got {shown(part)}")


def _check_json(where: str, value: object) -> None:
    # A format writes these into JSON text: what has no JSON form is refused here, where the caller made it.
    try:
        jsontext.encode(value)
    except (TypeError, ValueError) as fault:
        error = TypeError if isinstance(fault, TypeError) else ValueError
        raise error(f"{where}: expected JSON values, got {shown(value)}: {fault}") from None


@frozen(repr=False)
class Message(Provided):
    """What somebody said.

    Args:
        role: "system", "developer", "user" or "assistant".
        content: The words, or a list of parts (`Text`, `Image`, `Audio`, `Video`, `Document`); a str in the list is a
            `Text`.
        name: Who speaks, where several share a role and the provider takes it.
    """

    role: Role = field(validator=one_of("system", "developer", "user", "assistant"))
    content: str | list[Part] = field(converter=_parts, validator=_check_parts)  # type: ignore[assignment]  # the converter passes a wrong type on to the validator, which names it
    name: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))

    @property
    def text(self) -> str:
        """The words alone, those of several text parts joined without a separator."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.text for part in self.content if isinstance(part, Text))


def read_arguments(raw: str) -> dict[str, Any] | None:
    """Return the object that a tool call's argument text says, or None where it says none.

    Empty text and null are an empty object. A text that is a JSON string holding an object is decoded one level more:
    some hosts encode twice.
    """
    if raw.strip() in ("", "null"):
        return {}
    value = _decoded(raw)
    if isinstance(value, str):
        value = _decoded(value)
    return value if isinstance(value, dict) else None


def _decoded(text: str) -> Any:
    try:
        return jsontext.decode(text)
    except ValueError:
        return None


def _raw_that_matters(raw: str | None) -> str | None:
    # How an object was spelled does not make two calls different; text that is no object does.
    return None if raw is None or read_arguments(raw) is not None else raw


@frozen(repr=False)
class ToolCall(Provided):
    """The model's wish to call a tool.

    Args:
        tool_call_id: What links the call to its result.
        name: The tool's name.
        arguments: The arguments by name.
        raw_arguments: The arguments as JSON text, as received. Given alone, `arguments` is read from it; where it is
            not a JSON object, `arguments` is empty and `malformed` true. Text that says other arguments than those
            given is dropped.
    """

    tool_call_id: str = field(validator=is_a(str))
    name: str = field(validator=is_a(str))
    arguments: dict[str, Any] = field(default=None, validator=is_a(dict, optional=True))
    raw_arguments: str | None = field(default=None, eq=_raw_that_matters, validator=is_a(str, optional=True))

    def __attrs_post_init__(self) -> None:
        given, raw = self.arguments, self.raw_arguments
        if given:
            _check_json("ToolCall.arguments", given)
        if raw is None:
            if given is None:
                object.__setattr__(self, "arguments", {})
            return
        read = read_arguments(raw)
        if given is None:
            object.__setattr__(self, "arguments", {} if read is None else read)
        elif (read or {}) != given:
            object.__setattr__(self, "raw_arguments", None)

    @property
    def malformed(self) -> bool:
        """Whether the model's arguments were not a JSON object: such a call should be answered, not executed."""
        return not self.arguments and self.raw_arguments is not None and read_arguments(self.raw_arguments) is None


def _results(value: object) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _check_results(instance: object, attribute: object, value: list[Any]) -> None:
    for index, result in enumerate(value):
        if not isinstance(result, (str, *PART_TYPES)):
            _check_json(f"ToolResult.content[{index}]", result)


@frozen(repr=False)
class ToolResult(Provided):
    """What a tool call came to.

    Args:
        tool_call_id: The id of the call that it answers.
        name: The tool's name.
        status: "success" or "error".
        content: What the model reads: a list of str, JSON values and parts; a single value is taken as a list of one.
        payload: The tool's own value, for programs rather than the model.
        runtime_ms: How long the tool ran, in milliseconds.
        raw_response: The result in a provider's envelope or the tool's bare output, as an older record kept it.
    """

    tool_call_id: str = field(validator=is_a(str))
    name: str | None = field(default=None, validator=is_a(str, optional=True))
    status: Status = field(default="success", validator=one_of("success", "error"))
    content: list[Any] = field(factory=list, converter=_results, validator=_check_results)
    payload: Any = field(default=None, kw_only=True)
    runtime_ms: float | None = field(default=None, kw_only=True, validator=is_a(int, float, optional=True))
    raw_response: Mapping[str, Any] | None = field(default=None, kw_only=True, validator=is_a(dict, optional=True))

    @property
    def text(self) -> str:
        """All words and JSON values of the content, each on its own line; media are left out."""
        return "\n".join(result_text(value) for value in self.content if not isinstance(value, Media | Opaque))

    def resolve_payload(self) -> Any:
        """Return the tool's value: `payload`, else what `raw_response` holds, else None.

        `raw_response` is either the tool's bare output or a `{"toolResult": {"content": [...]}}` envelope whose first
        block is text or JSON and whose others are images. An envelope of another form gives None. An object whose only
        key is "items" stands for the list in it.
        """
        if self.payload is not None:
            return self.payload
        if self.raw_response is None:
            return None
        value = self.raw_response
        return unwrapped(_enveloped(value["toolResult"]) if "toolResult" in value else value)


def result_text(value: object) -> str:
    """Return one value of a tool result as the model reads it: a str as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return value.text if isinstance(value, Text) else jsontext.encode_text(value)


def _enveloped(envelope: object) -> Any:
    blocks = envelope.get("content") if isinstance(envelope, dict) else None
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        return None
    if not blocks or any("image" not in block for block in blocks[1:]):
        return None
    first = blocks[0]
    if "json" in first:
        return first["json"]
    text = first.get("text")
    if not isinstance(text, str):
        return None
    value = _decoded(text)
    return text if value is None else value


def unwrapped(value: Any) -> Any:
    """Return a value, or the list in it where it is an object that only wraps one: some APIs take no bare list."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get("items"), list):
        return value["items"]
    return value


@frozen(repr=False)
class Reasoning(Provided):
    """What the model thought before it answered.

    Args:
        text: The thought, where the provider shows it.
        summary: The provider's summary of it, one str a paragraph.
        signature: The provider's seal on the text, without which it does not take the thought back.
        encrypted: The thought in a form that only the provider reads.
        redacted: Whether the provider withheld the text.
    """

    text: str = field(default="", validator=is_a(str))
    summary: list[str] = field(factory=list, kw_only=True, validator=list_of(str))
    signature: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))
    encrypted: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))
    redacted: bool = field(default=False, kw_only=True, validator=is_a(bool))


@frozen(repr=False)
class Refusal(Provided):
    """What the model said when it declined.

    Args:
        refusal: The words.
    """

    refusal: str = field(validator=is_a(str))


@frozen(repr=False)
class ErrorItem(Provided):
    """Generation failed or was cancelled at this point of the conversation; never sent.

    Args:
        error_message: What happened.
        error_code: The kind or code of the error.
    """

    error_message: str = field(validator=is_a(str))
    error_code: str | None = field(default=None, validator=is_a(str, optional=True))


@frozen(repr=False)
class Deleted(Provided):
    """The tombstone of an item that compression removed; never sent.

    Args:
        deleted_type: The `content_type` of what stood here, where it is known.
    """

    deleted_type: str | None = field(default=None, validator=is_a(str, optional=True))


@frozen(repr=False)
class CompressionFiller(Provided):
    """Stands in for a turn that compression emptied, so that roles still alternate; the model reads `TEXT`.

    Args:
        role: Whose turn it was.
    """

    TEXT = "<Deleted in compression>"

    role: Role = field(default="assistant", validator=one_of("system", "developer", "user", "assistant"))


def _check_context(instance: object, attribute: Any, value: object) -> None:
    is_a(dict)(instance, attribute, value)
    _check_json("ClientContext.context", value)


@frozen(repr=False)
class ClientContext(Provided):
    """What the user was looking at, on the user's own turn: the model reads it, a text rendering does not show it.

    Args:
        context: The facts by name, JSON values.
    """

    context: Mapping[str, Any] = field(validator=_check_context)


ContentItem: TypeAlias = (
    Message
    | ToolCall
    | ToolResult
    | Reasoning
    | Refusal
    | ErrorItem
    | Deleted
    | CompressionFiller
    | ClientContext
    | Opaque
)
ITEM_TYPES = (
    Message,
    ToolCall,
    ToolResult,
    Reasoning,
    Refusal,
    ErrorItem,
    Deleted,
    CompressionFiller,
    ClientContext,
    Opaque,
)

__all__ = [
    "ITEM_TYPES",
    "Audio",
    "ClientContext",
    "CompressionFiller",
    "ContentItem",
    "Deleted",
    "Document",
    "ErrorItem",
    "Image",
    "Issuer",
    "Media",
    "Message",
    "Opaque",
    "Part",
    "Provided",
    "Reasoning",
    "Refusal",
    "Role",
    "Text",
    "ToolCall",
    "ToolResult",
    "Video",
]
