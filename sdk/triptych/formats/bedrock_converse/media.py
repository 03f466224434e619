"""Pictures, papers, films and sounds of Bedrock Converse: each builder beside its reader.

Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from triptych.formats.documents import is_text
from triptych.formats.verbatim import Inexpressible
from triptych.parts import Audio, Document, Image, Media, Video

if TYPE_CHECKING:
    from triptych_wire.bedrock_converse import AudioBlock, DocumentBlock, ImageBlock, VideoBlock

# The API's word for a MIME type. The first MIME type of a word is the one that it is read as.
_IMAGES = {"image/png": "png", "image/jpeg": "jpeg", "image/jpg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
_DOCUMENTS = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
    "text/x-markdown": "md",
}
_VIDEOS = {
    "video/mp4": "mp4",
    "video/x-matroska": "mkv",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-flv": "flv",
    "video/mpeg": "mpeg",
    "video/mpg": "mpg",
    "video/x-ms-wmv": "wmv",
    "video/3gpp": "three_gp",
}
_AUDIOS = {
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/ogg": "ogg",
    "audio/opus": "opus",
    "audio/aac": "aac",
    "audio/flac": "flac",
    "audio/mp4": "m4a",
    "audio/x-m4a": "m4a",
    "audio/webm": "webm",
}
_ENDINGS = {"jpg": "jpeg", "htm": "html", "3gp": "three_gp"}
_UNNAMED = "Document"
_REFUSED_IN_NAMES = re.compile(r"[^a-zA-Z0-9 ()\[\]-]+")
_LONGEST_NAME = 200


def build_image(part: Image) -> ImageBlock:
    """Return the wire form of a picture; raise Inexpressible where there is none."""
    wire: ImageBlock = {"format": _format(part, _IMAGES), "source": _source(part)}
    return wire


def build_video(part: Video) -> VideoBlock:
    """Return the wire form of a film; raise Inexpressible where there is none."""
    return {"format": _format(part, _VIDEOS), "source": _source(part)}


def build_audio(part: Audio) -> AudioBlock:
    """Return the wire form of a sound; raise Inexpressible where there is none."""
    return {"format": _format(part, _AUDIOS), "source": _source(part)}


def build_document(part: Document) -> DocumentBlock:
    """Return the wire form of a paper; raise Inexpressible where there is none."""
    wire: DocumentBlock
    if part.text is not None:
        if not part.text.strip():
            raise Inexpressible("this API takes no empty document")
        wire = {"format": "txt", "name": safe_name(part.name), "source": {"text": part.text}}
    else:
        wire = {"format": _format(part, _DOCUMENTS), "name": safe_name(part.name), "source": _source(part)}
    return wire


def _source(part: Media) -> Any:
    data = part.base64
    if data is not None:
        if not data:
            raise Inexpressible("this API takes no empty file")
        return {"bytes": data}
    if part.source is None:
        raise Inexpressible("this API knows no uploaded files")
    if not part.source.startswith("s3:"):
        raise Inexpressible("this API takes bytes and s3 URLs only")
    return {"s3Location": {"uri": part.source}}


def _format(part: Media, formats: Mapping[str, str]) -> Any:
    """Return the API's word for what a file is: by its MIME type, else by the ending of its URL."""
    mime = part.mime_type
    word = formats.get(mime or "")
    if word is None and mime is None and part.source is not None:
        ending = part.source.rpartition(".")[2].lower()
        word = next((word for word in formats.values() if word == _ENDINGS.get(ending, ending)), None)
    if word is None and is_text(mime) and "text/plain" in formats:
        word = "txt"
    if word is None:
        kinds = ", ".join(dict.fromkeys(formats.values()))
        raise Inexpressible(f"this API takes {kinds} only, and this is {mime or 'of an unknown type'}")
    return word


def _read(word: str, source: Mapping[str, Any], formats: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments that make a `Media` of a format and a source."""
    mime = next(mime for mime, known in formats.items() if known == word)
    if "bytes" in source:
        return {"source": f"data:{mime};base64,{source['bytes']}"}
    return {"source": source["s3Location"]["uri"], "media_type": mime}


def read_image(wire: Mapping[str, Any]) -> Image:
    """Return the picture that a block says."""
    return Image(**_read(wire["format"], wire["source"], _IMAGES))


def read_video(wire: Mapping[str, Any]) -> Video:
    """Return the film that a block says."""
    return Video(**_read(wire["format"], wire["source"], _VIDEOS))


def read_audio(wire: Mapping[str, Any]) -> Audio:
    """Return the sound that a block says."""
    return Audio(**_read(wire["format"], wire["source"], _AUDIOS))


def read_document(wire: Mapping[str, Any]) -> Document:
    """Return the paper that a block says."""
    source = wire["source"]
    if "text" in source:
        return Document(text=source["text"], name=wire["name"])
    return Document(**_read(wire["format"], source, _DOCUMENTS), name=wire["name"])


def safe_name(name: str | None) -> str:
    """Return a document's name in letters that the API takes, with no two spaces in a row."""
    words = " ".join(_REFUSED_IN_NAMES.sub("-", name or "").split())
    return words[:_LONGEST_NAME].strip() or _UNNAMED


@define
class DocumentNames:
    """The names of the documents of one request: the API refuses one that comes twice."""

    _taken: set[str] = field(factory=set)

    def of(self, name: str) -> str:
        """Return the name under which a document goes out."""
        distinct, copy = name, 1
        while distinct in self._taken:
            copy += 1
            distinct = f"{name[: _LONGEST_NAME - 6]} {copy}"
        self._taken.add(distinct)
        return distinct
