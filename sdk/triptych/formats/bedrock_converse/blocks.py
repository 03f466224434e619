"""Content blocks of Bedrock Converse: each builder beside its reader. A block is an object with one key, its kind.

Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.content import Reasoning, ToolCall
from triptych.formats.arguments import called
from triptych.formats.bedrock_converse.media import (
    build_audio,
    build_document,
    build_image,
    build_video,
    read_audio,
    read_document,
    read_image,
    read_video,
)
from triptych.formats.block_turns import BlockShapes
from triptych.formats.turns import safe_id
from triptych.formats.verbatim import Inexpressible, keeping, opaque, with_provider_data
from triptych.parts import Audio, Document, Image, Issuer, Opaque, Part, Text, Video

if TYPE_CHECKING:
    from triptych_wire.bedrock_converse import ContentBlock, ReasoningContentBlock, ToolUseBlock

_SERVER_TOOL = "server_tool_use"
# Kinds of blocks whose words have more around them; such a block is kept whole beside its words.
_AROUND_WORDS = frozenset({"citationsContent", "guardContent"})
# Models that refuse a thought without a seal, or any thought that has none to give.
_SEALED_ONLY = re.compile(r"anthropic|claude|deepseek")


def build_part(part: Part, issuer: Issuer) -> ContentBlock:
    """Return the wire form of a part.

    Raises:
        Inexpressible: this API has none.
    """
    if isinstance(part, Text):
        text: ContentBlock = {"text": part.text}
        whole: Any = with_provider_data(text, part, issuer)
        around: Any = {kind: whole[kind] for kind in whole if kind in _AROUND_WORDS}
        block: ContentBlock = around or whole
        return block
    if isinstance(part, Image):
        return {"image": with_provider_data(build_image(part), part, issuer)}
    if isinstance(part, Document):
        return {"document": with_provider_data(build_document(part), part, issuer)}
    if isinstance(part, Video):
        return {"video": with_provider_data(build_video(part), part, issuer)}
    if isinstance(part, Audio):
        return {"audio": with_provider_data(build_audio(part), part, issuer)}
    kept: ContentBlock = opaque(part, issuer)
    return kept


def is_silent(part: Part, issuer: Issuer) -> bool:
    """Return whether a part is a text of white space alone, which the API refuses where it stands alone."""
    if not isinstance(part, Text) or part.text.strip():
        return False
    return part.issuer != issuer or _AROUND_WORDS.isdisjoint(part.provider_data or {})


def read_part(wire: Any, issuer: Issuer) -> Part:
    """Return the part that a wire block says; opaque where it has a kind or a form of its own."""
    if not isinstance(wire, dict):
        return Opaque({"part": wire}, issuer=issuer)
    try:
        [(kind, inner)] = wire.items()
        if kind == "text":
            return Text(inner)
        if kind == "citationsContent":
            return read_cited(wire, issuer)
        if kind == "guardContent":
            return Text(inner["text"]["text"], provider_data=dict(wire), issuer=issuer)
        part = _READERS[kind](inner)
        built: Any = build_part(part, issuer)
        if inner.keys() >= built[kind].keys():
            return keeping(part, inner, built[kind], issuer)
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration, Inexpressible):
        pass  # one that the API would refuse, or a form that is new: kept as it is
    return Opaque(wire, issuer=issuer)


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Image | Document | Video | Audio]] = {
    "image": read_image,
    "document": read_document,
    "video": read_video,
    "audio": read_audio,
}


def read_cited(wire: Mapping[str, Any], issuer: Issuer) -> Text:
    """Return the words of a block that says what they rest on; the block itself is kept beside them."""
    words = "".join(said["text"] for said in wire["citationsContent"].get("content") or [] if "text" in said)
    return Text(words, provider_data=dict(wire), issuer=issuer)


def is_call(block: Mapping[str, Any]) -> bool:
    """Return whether a block is a call that the caller executes; the service runs some tools itself."""
    use = block.get("toolUse")
    return isinstance(use, dict) and use.get("type") != _SERVER_TOOL


def build_call(call: ToolCall, issuer: Issuer) -> ToolUseBlock:
    """Return what a `toolUse` block holds for a call.

    The API takes an object only: arguments that are none go as `{"raw_arguments": <the model's text>}`, so that the
    model sees what it wrote. Names and ids get a form that the API takes.
    """
    arguments: dict[str, Any] = {"raw_arguments": call.raw_arguments} if call.malformed else call.arguments
    wire: ToolUseBlock = {"toolUseId": safe_id(call.tool_call_id), "name": call.name, "input": arguments}
    return with_provider_data(wire, call, issuer)


def read_call(wire: Mapping[str, Any], issuer: Issuer, tool_call_id: str | None = None) -> ToolCall:
    """Return the call that the inside of a `toolUse` block says.

    Args:
        wire: The inside of the block.
        issuer: Whose it is.
        tool_call_id: In an answer, the id to give the call; the block then goes back in a form that the API takes. A
            block of a request goes back as it came.
    """
    call_id = wire["toolUseId"] if tool_call_id is None else tool_call_id
    call = called(call_id, wire["name"], wire.get("input"))
    if tool_call_id is None:
        return keeping(call, wire, build_call(call, issuer), issuer)
    said = ("toolUseId", "name", "input", "type")  # answers say the type "tool_use", which requests do not know
    return keeping(call, {key: value for key, value in wire.items() if key not in said}, {}, issuer)


def build_reasoning(item: Reasoning, issuer: Issuer, model: str | None = None) -> ReasoningContentBlock:
    """Return what a `reasoningContent` block holds for a thought.

    Args:
        item: The thought.
        issuer: Whose API it is.
        model: The model, where it is known: some refuse a thought without a seal.

    Raises:
        Inexpressible: this API did not issue it, or it would be refused.
    """
    if item.issuer != issuer:
        raise Inexpressible("reasoning goes back only to the API that issued it")
    wire: ReasoningContentBlock
    if item.redacted and item.encrypted is not None:
        wire = {"redactedContent": item.encrypted}
    elif item.signature is not None:
        wire = {"reasoningText": {"text": item.text, "signature": item.signature}}
    elif _SEALED_ONLY.search(model or ""):
        raise Inexpressible("this model refuses reasoning without a signature")
    else:
        wire = {"reasoningText": {"text": item.text}}
    return with_provider_data(wire, item, issuer)


def read_reasoning(wire: Mapping[str, Any], issuer: Issuer) -> Reasoning:
    """Return the thought that the inside of a `reasoningContent` block says."""
    if "redactedContent" in wire:
        item = Reasoning(encrypted=wire["redactedContent"], redacted=True, issuer=issuer)
    else:
        said = wire["reasoningText"]
        item = Reasoning(said["text"], signature=said.get("signature"), issuer=issuer)
    return keeping(item, wire, build_reasoning(item, issuer), issuer)


def _call_id(block: Any) -> str | None:
    return str(block["toolUse"].get("toolUseId")) if is_call(block) else None


def _result_id(block: Any) -> str | None:
    result = block.get("toolResult")
    return result.get("toolUseId") if isinstance(result, dict) else None


def _failed(tool_use_id: str, words: str) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": tool_use_id, "content": [{"text": words}], "status": "error"}}


def _shown(block: Any) -> list[Any]:
    """Return the content of a result as blocks of a turn, which knows no JSON values."""
    content = block["toolResult"].get("content") or []
    return [{"text": jsontext.encode_text(part["json"])} if "json" in part else part for part in content]


SHAPES = BlockShapes(_call_id, _result_id, _failed, _shown, lambda text: {"text": text})
