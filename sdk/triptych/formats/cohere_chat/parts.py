"""Blocks of content on Cohere's API: each builder beside its reader.

A user's message holds words and pictures, a tool result words and documents; a document that can be cited is an object
of named texts. Reference: https://docs.cohere.com/reference/chat (messages, documents)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych import jsontext
from triptych.content import Reasoning
from triptych.formats import verbatim
from triptych.formats.documents import named_words, words_of
from triptych.formats.openai_chat import parts as shared
from triptych.formats.verbatim import Inexpressible, keeping, opaque, with_provider_data
from triptych.parts import Audio, Document, Image, Issuer, Part, Text, Video

if TYPE_CHECKING:
    from triptych_wire.cohere_chat import Document as WireDocument
    from triptych_wire.cohere_chat import DocumentBlock, TextBlock, ThinkingBlock

# Fields of a document that a `Document` has; one with others is read as JSON, so that no word of it is lost.
_PLAIN = frozenset({"title", "text"})


def build_part(part: Part, issuer: Issuer) -> Any:
    """Return the wire form of a part of a message.

    Raises:
        Inexpressible: this API has none.
    """
    if isinstance(part, Document):
        return _text(named_words(part))
    if isinstance(part, Audio | Video):
        raise Inexpressible("this API takes neither sound nor film")
    return shared.build_part(part, issuer)  # texts and pictures have one form on both APIs


def build_result_part(part: Part, issuer: Issuer) -> Any:
    """Return the wire form of a part of a tool result.

    Raises:
        Inexpressible: this API has none.
    """
    if isinstance(part, Document):
        block: DocumentBlock = {"type": "document", "document": _document(part)}
        return with_provider_data(block, part, issuer)
    if isinstance(part, Image | Audio | Video):
        raise Inexpressible("tool results are words and documents on this API")
    return opaque(part, issuer) if not isinstance(part, Text) else with_provider_data(_text(part.text), part, issuer)


def _text(text: str) -> TextBlock:
    return {"type": "text", "text": text}


def build_document(part: Document, issuer: Issuer) -> WireDocument:
    """Return a document as it stands beside the messages: as it came from this API, else its name and its words.

    Raises:
        Inexpressible: it is no text.
    """
    kept: dict[str, Any] = with_provider_data({"document": _document(part)}, part, issuer)
    document: WireDocument = kept["document"]
    return document


def _document(part: Document) -> WireDocument:
    title = {} if part.name is None else {"title": part.name}
    return {"data": {**title, "text": words_of(part)}}


def read_document(wire: Any, issuer: Issuer) -> Document:
    """Return the document that a wire one says, an object or a text alone; it goes back as it came."""
    part = _read_document(wire, issuer)
    return keeping(part, {"document": wire}, {"document": _document(part)}, issuer)


def _read_document(wire: Any, issuer: Issuer) -> Document:
    data = wire.get("data") if isinstance(wire, dict) else wire
    if isinstance(data, dict) and _is_plain(data):
        return Document(text=data["text"], name=data.get("title"), issuer=issuer)
    return Document(text=data if isinstance(data, str) else jsontext.encode_text(data), issuer=issuer)


def _is_plain(data: Mapping[str, Any]) -> bool:
    return "text" in data and data.keys() <= _PLAIN and all(isinstance(value, str) for value in data.values())


def read_part(wire: Any, issuer: Issuer) -> Part:
    """Return the part that a wire block says; opaque where it has a type or a form of its own."""
    return verbatim.read_part(wire, _READERS, build_part, issuer)


def read_result_part(wire: Any, issuer: Issuer) -> Part:
    """Return the part that a block of a tool result says; opaque where it has a type or a form of its own."""
    readers = {**_READERS, "document": lambda block: _read_document(block["document"], issuer)}
    return verbatim.read_part(wire, readers, build_result_part, issuer)


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Part]] = {
    "text": lambda wire: Text(wire["text"]),
    "image_url": shared.read_image,
}


def build_thought(item: Reasoning, issuer: Issuer) -> ThinkingBlock:
    """Return the wire form of a thought."""
    block: ThinkingBlock = {"type": "thinking", "thinking": item.text}
    return with_provider_data(block, item, issuer)


def read_thought(wire: Mapping[str, Any], issuer: Issuer) -> Reasoning:
    """Return the thought that a wire block says; it goes back as it came."""
    item = Reasoning(wire["thinking"], issuer=issuer)
    return keeping(item, wire, build_thought(item, issuer), issuer)


def plan_of(item: Reasoning) -> str | None:
    """Return the plan that a piece of reasoning is, as it came; None where it is a thought."""
    plan = (item.provider_data or {}).get("tool_plan")
    return plan if isinstance(plan, str) else None


def read_plan(plan: str, issuer: Issuer) -> Reasoning:
    """Return what the model says that it means to do with its calls, told from a thought by the field that it fills."""
    return Reasoning(plan, provider_data={"tool_plan": plan}, issuer=issuer)
