"""Chunks of content on Mistral's API: each builder beside its reader, and content read into items.

Reference: https://docs.mistral.ai/api/endpoint/chat (messages), https://docs.mistral.ai/capabilities/reasoning
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych.content import Message, Reasoning
from triptych.formats import verbatim
from triptych.formats.openai_chat import parts as shared
from triptych.formats.spoken import read_spoken
from triptych.formats.verbatim import Inexpressible, keeping, with_provider_data
from triptych.parts import Audio, Document, Image, Issuer, Part, Text, Video

if TYPE_CHECKING:
    from triptych_wire.mistral_chat import AudioChunk, ContentChunk, DocumentUrlChunk, FileChunk, ThinkChunk

# A bare sound in base64 whose bytes do not show what it is; the API asks for MP3 first.
_SOUND = "audio/mpeg"


def build_part(part: Part, issuer: Issuer) -> ContentChunk:
    """Return the wire form of a part.

    Raises:
        Inexpressible: this API has none.
    """
    if isinstance(part, Image | Document) and part.source is None and part.file_id is not None:
        return with_provider_data(_file(part.file_id), part, issuer)
    if isinstance(part, Document) and part.source is not None:
        return with_provider_data(_document(part, part.source), part, issuer)
    if isinstance(part, Audio):
        return with_provider_data(_audio(part), part, issuer)
    if isinstance(part, Video):
        raise Inexpressible("this API takes no films")
    chunk: Any = shared.build_part(part, issuer)  # texts and pictures have one form on both APIs
    wire: ContentChunk = chunk
    return wire


def _file(file_id: str) -> FileChunk:
    return {"type": "file", "file_id": file_id}


def _document(part: Document, source: str) -> DocumentUrlChunk:
    chunk: DocumentUrlChunk = {"type": "document_url", "document_url": source}
    if part.name is not None:
        chunk["document_name"] = part.name
    return chunk


def _audio(part: Audio) -> AudioChunk:
    sound = part.base64 or part.source
    if sound is None:
        raise Inexpressible("a sound is taken as bytes or by its URL, not by a file id")
    return {"type": "input_audio", "input_audio": sound}


def read_part(wire: Any, issuer: Issuer) -> Part:
    """Return the part that a wire chunk says; opaque where it has a type or a form of its own."""
    return verbatim.read_part(wire, _READERS, build_part, issuer)


def _read_audio(wire: Mapping[str, Any]) -> Audio:
    sound = wire["input_audio"]
    if isinstance(sound, dict):
        return shared.read_audio(wire)
    return Audio(sound if ":" in sound else f"data:{_SOUND};base64,{sound}")


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Part]] = {
    "text": lambda wire: Text(wire["text"]),
    "image_url": shared.read_image,
    "document_url": lambda wire: Document(wire["document_url"], name=wire.get("document_name")),
    "file": lambda wire: Document(file_id=wire["file_id"]),
    "input_audio": _read_audio,
}


def build_thought(item: Reasoning, issuer: Issuer) -> ThinkChunk:
    """Return the wire form of a thought."""
    chunk: ThinkChunk = {"type": "thinking", "thinking": [{"type": "text", "text": item.text}]}
    if item.signature is not None:
        chunk["signature"] = item.signature
    return with_provider_data(chunk, item, issuer)


def read_thought(wire: Mapping[str, Any], issuer: Issuer) -> Reasoning:
    """Return the thought that a wire chunk says; it goes back as it came."""
    words = "".join(part["text"] for part in wire["thinking"] if part.get("type") == "text")
    item = Reasoning(words, signature=wire.get("signature"), issuer=issuer)
    return keeping(item, wire, build_thought(item, issuer), issuer)


def read_content(content: Any, issuer: Issuer) -> list[Message | Reasoning]:
    """Return the items that an assistant's content says: a thought each, and a message for the chunks between them."""
    return read_spoken(content, lambda chunk: read_part(chunk, issuer), lambda chunk: read_thought(chunk, issuer))
