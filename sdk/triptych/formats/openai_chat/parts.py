"""Content parts of OpenAI Chat Completions: each builder beside its reader.

Reference: https://platform.openai.com/docs/api-reference/chat/create (messages, content parts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych.formats import verbatim
from triptych.formats.data_urls import labelled_url
from triptych.formats.documents import named_words
from triptych.formats.verbatim import Inexpressible, opaque, with_provider_data
from triptych.parts import Audio, Document, Image, Issuer, Part, Text, Video

if TYPE_CHECKING:
    from triptych_wire.openai_chat import AudioPart, ContentPart, FilePart, ImagePart, TextPart, VideoPart

# The API names sounds by format, not by MIME type.
_AUDIO_FORMATS = {"audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/wav": "wav", "audio/x-wav": "wav"}
_AUDIO_TYPES = {"mp3": "audio/mpeg", "wav": "audio/wav"}


def build_part(part: Part, issuer: Issuer) -> ContentPart:
    """Return the wire form of a part.

    Raises:
        Inexpressible: this API has none.
    """
    if isinstance(part, Text):
        return with_provider_data(_text(part), part, issuer)
    if isinstance(part, Image):
        return with_provider_data(_image(part), part, issuer)
    if isinstance(part, Audio):
        return with_provider_data(_audio(part), part, issuer)
    if isinstance(part, Video):
        return with_provider_data(_video(part), part, issuer)
    if isinstance(part, Document):
        wire = _file(part) if part.text is None else _text(Text(named_words(part)))
        return with_provider_data(wire, part, issuer)
    block: ContentPart = opaque(part, issuer)
    return block


def _text(part: Text) -> TextPart:
    return {"type": "text", "text": part.text}


def _image(part: Image) -> ImagePart:
    url = labelled_url(part)
    if part.detail is None:
        return {"type": "image_url", "image_url": {"url": url}}
    detail: Any = part.detail  # the provider checks its own names
    return {"type": "image_url", "image_url": {"url": url, "detail": detail}}


def _audio(part: Audio) -> AudioPart:
    data = part.base64
    if data is None:
        raise Inexpressible("audio is taken as bytes only")
    mime = part.mime_type or ""
    sound: Any = _AUDIO_FORMATS.get(mime, mime.rpartition("/")[2])  # hosts take more formats than OpenAI lists
    return {"type": "input_audio", "input_audio": {"data": data, "format": sound}}


def _video(part: Video) -> VideoPart:
    return {"type": "video_url", "video_url": {"url": labelled_url(part)}}


def _file(part: Document) -> FilePart:
    file: Any = {}
    if part.file_id is not None:
        file["file_id"] = part.file_id
    if part.source is not None:
        file["file_data"] = part.source
    if part.name is not None:
        file["filename"] = part.name
    return {"type": "file", "file": file}


def read_part(wire: Any, issuer: Issuer) -> Part:
    """Return the part that a wire object says; opaque where it has a type or a form of its own."""
    return verbatim.read_part(wire, _READERS, build_part, issuer)


def read_image(wire: Mapping[str, Any]) -> Image:
    """Return the picture that a wire part says: an object with its URL, or the URL alone."""
    image = wire["image_url"]
    if isinstance(image, str):
        return Image(image)
    return Image(image["url"], detail=image.get("detail"))


def read_audio(wire: Mapping[str, Any]) -> Audio:
    """Return the sound that a wire part says: base64 text and the name of its form."""
    sound = wire["input_audio"]
    mime = _AUDIO_TYPES.get(sound["format"], f"audio/{sound['format']}")
    return Audio(f"data:{mime};base64,{sound['data']}", media_type=mime)


def _read_file(wire: Mapping[str, Any]) -> Document:
    file = wire["file"]
    return Document(file.get("file_data"), file_id=file.get("file_id"), name=file.get("filename"))


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Part]] = {
    "text": lambda wire: Text(wire["text"]),
    "image_url": read_image,
    "input_audio": read_audio,
    "video_url": lambda wire: Video(wire["video_url"]["url"]),
    "file": _read_file,
}
