"""Parts of messages of OpenAI Responses: each builder beside its reader.

What the caller says and what the model says have parts of their own.
Reference: https://developers.openai.com/api/reference/resources/responses (input, content of messages).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from triptych.formats import verbatim
from triptych.formats.data_urls import labelled_url
from triptych.formats.documents import named_words
from triptych.formats.verbatim import Inexpressible, opaque, with_provider_data
from triptych.parts import Audio, Document, Image, Issuer, Opaque, Part, Text, Video

if TYPE_CHECKING:
    from triptych_wire.openai_responses import InputFile, InputImage, InputPart, InputText, OutputPart, OutputText

# Fields that the other side's text has and this one's refuses: a part may be moved from one message into another.
_MODELS_OWN = frozenset({"type", "annotations", "logprobs"})
_CALLERS_OWN = frozenset({"type", "prompt_cache_breakpoint"})
_WEB = ("https:", "http:")


def build_part(part: Part, issuer: Issuer) -> InputPart:
    """Return the wire form of a part that the caller says.

    Raises:
        Inexpressible: this API has none.
    """
    if isinstance(part, Document) and part.text is not None:
        part = Text(named_words(part))
    if isinstance(part, Text):
        text: InputText = {"type": "input_text", "text": part.text}
        said: InputPart = _kept(text, part, issuer, _MODELS_OWN)
        return said
    if isinstance(part, Image):
        return with_provider_data(_image(part), part, issuer)
    if isinstance(part, Document):
        return with_provider_data(_file(part), part, issuer)
    if isinstance(part, Audio | Video):
        raise Inexpressible("this API takes neither sound nor film")
    block: InputPart = opaque(part, issuer)
    return block


def _kept(wire: Any, part: Text, issuer: Issuer, others: frozenset[str]) -> Any:
    if part.provider_data is None or part.issuer != issuer:
        return wire
    return {**wire, **{key: value for key, value in part.provider_data.items() if key not in others}}


def _image(part: Image) -> InputImage:
    detail: Any = part.detail or "auto"  # the API checks its own names
    if part.file_id is not None:
        return {"type": "input_image", "detail": detail, "file_id": part.file_id}
    return {"type": "input_image", "detail": detail, "image_url": _url(part, "data:", *_WEB)}


def _url(part: Image | Document, *schemes: str) -> str:
    url = labelled_url(part)
    if not url.startswith(schemes):
        raise Inexpressible("this API fetches http and https URLs only")
    return url


def _file(part: Document) -> InputFile:
    wire: InputFile = {"type": "input_file"}
    if part.file_id is not None:
        wire["file_id"] = part.file_id
    elif part.base64 is not None:
        wire["file_data"] = labelled_url(part)
    else:
        wire["file_url"] = _url(part, *_WEB)
    if part.name is not None:
        wire["filename"] = part.name
    return wire


def read_part(wire: Any, issuer: Issuer) -> Part:
    """Return the part that a wire object of the caller's says; opaque where it has a type or a form of its own."""
    if isinstance(wire, dict) and wire.get("type") == "input_image":
        wire = {"detail": "auto", **wire}
    return verbatim.read_part(wire, _READERS, build_part, issuer)


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Part]] = {
    "input_text": lambda wire: Text(wire["text"]),
    "input_image": lambda wire: Image(wire.get("image_url"), file_id=wire.get("file_id"), detail=wire["detail"]),
    "input_file": lambda wire: Document(
        wire.get("file_data") or wire.get("file_url"), file_id=wire.get("file_id"), name=wire.get("filename")
    ),
}


def build_output_part(part: Part, issuer: Issuer) -> OutputPart:
    """Return the wire form of a part that the model said.

    Raises:
        Inexpressible: this API has none.
    """
    if isinstance(part, Document) and part.text is not None:
        part = Text(named_words(part))
    if isinstance(part, Text):
        own = part.provider_data is not None and part.issuer == issuer
        text: OutputText = {"type": "output_text", "text": part.text}
        if not own:
            text["annotations"] = []
        built: OutputPart = _kept(text, part, issuer, _CALLERS_OWN)
        return built
    if isinstance(part, Opaque):
        block: OutputPart = opaque(part, issuer)
        return block
    raise Inexpressible("what the model said is words only on this API")


def is_own(part: Part, issuer: Issuer) -> bool:
    """Return whether a part goes back in the very form in which it came from this API."""
    return part.issuer == issuer and (isinstance(part, Opaque) or part.provider_data is not None)


def plain_text(text: str) -> OutputText:
    """Return words of the model as the API sends them when there is nothing more to say of them."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def read_output_part(wire: Any, issuer: Issuer) -> Part:
    """Return the part that a wire object of the model's says; opaque where it has a type or a form of its own."""
    if isinstance(wire, dict) and wire.get("type") == "output_text" and isinstance(wire.get("text"), str):
        rest = {key: value for key, value in wire.items() if key not in ("type", "text")}
        # Even without a field of its own it is marked as one that came like this.
        return Text(wire["text"], provider_data=rest or {"type": "output_text"}, issuer=issuer)
    return Opaque(wire if isinstance(wire, dict) else {"part": wire}, issuer=issuer)
