"""Content blocks of Anthropic Messages: each builder beside its reader.

Reference: https://platform.claude.com/docs/en/api/messages (content blocks of the request).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych.content import Reasoning, ToolCall
from triptych.formats import verbatim
from triptych.formats.arguments import called
from triptych.formats.documents import decoded
from triptych.formats.turns import safe_id
from triptych.formats.verbatim import Inexpressible, keeping, opaque, with_provider_data
from triptych.parts import Audio, Document, Image, Issuer, Part, Text, Video

if TYPE_CHECKING:
    from triptych_wire.anthropic_messages import (
        ContentBlockParam,
        DocumentBlockParam,
        ImageBlockParam,
        RedactedThinkingBlock,
        TextBlockParam,
        ThinkingBlock,
        ToolUseBlockParam,
    )

_PDF = "application/pdf"


def is_blank(text: str) -> bool:
    """Return whether the API would refuse a text block with these words: it takes none that is only white space."""
    return not text or text.isspace()


def build_part(part: Part, issuer: Issuer) -> ContentBlockParam:
    """Return the wire form of a part.

    Raises:
        Inexpressible: this API has none.
    """
    if isinstance(part, Text):
        return with_provider_data(text_block(part.text), part, issuer)
    if isinstance(part, Image):
        return with_provider_data(_image(part), part, issuer)
    if isinstance(part, Document):
        return with_provider_data(_document(part), part, issuer)
    if isinstance(part, Audio | Video):
        raise Inexpressible("this API takes neither sound nor film")
    block: ContentBlockParam = opaque(part, issuer)
    return block


def text_block(text: str) -> TextBlockParam:
    """Return a text block."""
    return {"type": "text", "text": text}


def _image(part: Image) -> ImageBlockParam:
    if part.file_id is not None:
        return {"type": "image", "source": {"type": "file", "file_id": part.file_id}}
    data = part.base64
    if data is None:
        return {"type": "image", "source": {"type": "url", "url": _web_url(part.source)}}
    mime: Any = part.mime_type  # the API checks which of them it takes
    return {"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}}


def _web_url(source: str | None) -> str:
    if source is None or not source.startswith(("https:", "http:")):
        raise Inexpressible("this API fetches http and https URLs only")
    return source


def _document(part: Document) -> DocumentBlockParam:
    block: DocumentBlockParam = {"type": "document", "source": _paper(part)}
    if part.name is not None:
        block["title"] = part.name
    return block


def _paper(part: Document) -> Any:
    """Return the source of a document: a file that lies at the API, words, or a PDF by its bytes or its URL."""
    if part.file_id is not None:
        return {"type": "file", "file_id": part.file_id}
    words = decoded(part)
    if words is not None:
        return {"type": "text", "media_type": "text/plain", "data": words}
    if part.mime_type not in (None, _PDF):
        raise Inexpressible(f"this API takes PDF and text only, and this is {part.mime_type}")
    data = part.base64
    if data is None:
        return {"type": "url", "url": _web_url(part.source)}
    return {"type": "base64", "media_type": _PDF, "data": data}


def build_call(call: ToolCall, issuer: Issuer) -> ToolUseBlockParam:
    """Return the wire form of a call.

    The API takes an object only: arguments that are none go as `{"raw_arguments": <the model's text>}`, so that the
    model sees what it wrote. Ids get a form that the API takes.
    """
    arguments: dict[str, Any] = {"raw_arguments": call.raw_arguments} if call.malformed else call.arguments
    block: ToolUseBlockParam = {
        "type": "tool_use",
        "id": safe_id(call.tool_call_id),
        "name": call.name,
        "input": arguments,
    }
    return with_provider_data(block, call, issuer)


def build_reasoning(item: Reasoning, issuer: Issuer) -> ContentBlockParam:
    """Return the wire form of a thought.

    Raises:
        Inexpressible: this API did not issue it, or it has no seal: it would be refused.
    """
    if item.issuer != issuer:
        raise Inexpressible("reasoning goes back only to the API that issued it")
    if item.redacted and item.encrypted is not None:
        redacted: RedactedThinkingBlock = {"type": "redacted_thinking", "data": item.encrypted}
        return with_provider_data(redacted, item, issuer)
    if item.signature is None:
        raise Inexpressible("reasoning without a signature is refused")
    thinking: ThinkingBlock = {"type": "thinking", "thinking": item.text, "signature": item.signature}
    return with_provider_data(thinking, item, issuer)


def read_part(wire: Any, issuer: Issuer) -> Part:
    """Return the part that a wire block says; opaque where it has a type or a form of its own."""
    return verbatim.read_part(wire, _READERS, build_part, issuer)


def _read_image(wire: Mapping[str, Any]) -> Image:
    source = wire["source"]
    return Image(_source(source), file_id=source.get("file_id"))


def _read_document(wire: Mapping[str, Any]) -> Document:
    source = wire["source"]
    text = source["data"] if source["type"] == "text" else None
    read = None if text is not None else _source(source)
    return Document(read, file_id=source.get("file_id"), text=text, name=wire.get("title"))


def _source(source: Mapping[str, Any]) -> str | None:
    if source["type"] == "base64":
        return f"data:{source['media_type']};base64,{source['data']}"
    if source["type"] == "url":
        url: str = source["url"]
        return url
    if source["type"] == "file":
        return None
    raise ValueError(source["type"])


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Part]] = {
    "text": lambda wire: Text(wire["text"]),
    "image": _read_image,
    "document": _read_document,
}


def read_call(wire: Mapping[str, Any], issuer: Issuer, tool_call_id: str | None = None) -> ToolCall:
    """Return the call that a tool use block says.

    Input is an object; hosts also send the JSON text of one, null, or nothing. What is no object is kept as text.

    Args:
        wire: The block.
        issuer: Whose it is.
        tool_call_id: In an answer, the id to give the call; the block then goes back in a form that the API takes. A
            block of a request goes back as it came.
    """
    given, name = wire.get("input"), wire["name"]
    call_id = wire["id"] if tool_call_id is None else tool_call_id
    call = called(call_id, name, given)
    kept = wire if tool_call_id is None else {key: value for key, value in wire.items() if key not in ("id", "input")}
    return keeping(call, kept, build_call(call, issuer), issuer)


def read_reasoning(wire: Mapping[str, Any], issuer: Issuer) -> Reasoning:
    """Return the thought that a thinking or redacted thinking block says."""
    if wire["type"] == "redacted_thinking":
        item = Reasoning(encrypted=wire["data"], redacted=True, issuer=issuer)
        built: Mapping[str, Any] = {"type": "redacted_thinking", "data": item.encrypted}
    else:
        item = Reasoning(wire["thinking"], signature=wire.get("signature"), issuer=issuer)
        built = {"type": "thinking", "thinking": item.text, "signature": item.signature}
    return keeping(item, wire, built, issuer)
