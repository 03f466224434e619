"""Parts of Gemini's turns: each builder beside its reader.

Reference: https://ai.google.dev/api/caching#Part
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych.content import Reasoning, ToolCall
from triptych.formats.arguments import called
from triptych.formats.gemini_generate.fields import keeping_fields, with_own_fields
from triptych.formats.pieces import words
from triptych.formats.verbatim import Inexpressible, opaque
from triptych.formats.wrong_form import WrongForm
from triptych.parts import Audio, Document, Image, Issuer, Media, Part, Text, Video
from triptych.parts import Opaque as OpaquePart

if TYPE_CHECKING:
    from triptych_wire.gemini_generate import Part as WirePart

_BY_TYPE: Mapping[str, type[Media]] = {"image": Image, "audio": Audio, "video": Video}
_SCHEMES = ("http://", "https://", "gs://")
# In an answer: said by the call itself.
_OF_THE_CALL = frozenset({"name", "args"})


def text_part(text: str) -> WirePart:
    """Return a part with words."""
    return {"text": text}


def build_part(part: Part, issuer: Issuer) -> WirePart:
    """Return the wire form of a part.

    Raises:
        Inexpressible: this API has none.
    """
    if isinstance(part, Text):
        wire: WirePart = with_own_fields(text_part(part.text), part, issuer)
        if wire == {"text": ""}:
            raise Inexpressible("the API refuses a text without words")
        return wire
    if isinstance(part, OpaquePart):
        kept: WirePart = opaque(part, issuer)
        return kept
    media: WirePart = with_own_fields(_media(part), part, issuer)
    return media


def _media(part: Image | Audio | Video | Document) -> WirePart:
    if isinstance(part, Document) and part.text is not None:
        data = base64.b64encode(part.text.encode("utf-8", "replace")).decode()
        return {"inlineData": {"mimeType": "text/plain", "data": data}}
    known, data_here = part.mime_type, part.base64
    kind: dict[str, Any] = {} if known is None else {"mimeType": known}
    if data_here is not None:
        return {"inlineData": {**kind, "data": data_here}}  # type: ignore[typeddict-item]  # the type's name is the same
    return {"fileData": {**kind, "fileUri": _uri(part)}}  # type: ignore[typeddict-item]  # as above


def _uri(part: Media) -> str:
    if part.file_id is not None:
        if "/" not in part.file_id:
            raise Inexpressible("this API names a file by its URI")
        return part.file_id
    source = part.source or ""
    if not source.startswith(_SCHEMES):
        raise Inexpressible("this API fetches http, https and gs URLs only")
    return source


def read_part(wire: Any, issuer: Issuer) -> Part:
    """Return the part that a wire part says; opaque where it has a form of its own."""
    if not isinstance(wire, dict):
        return OpaquePart({"part": wire}, issuer=issuer)
    try:
        part = _read(wire)
        built: Mapping[str, Any] = build_part(part, issuer)
    except (KeyError, TypeError, ValueError, AttributeError, Inexpressible):
        return _signed_text(wire, issuer)  # one that the API would refuse, or a form that is new: kept as it is
    return keeping_fields(part, wire, built, issuer)


def _signed_text(wire: Mapping[str, Any], issuer: Issuer) -> Part:
    if wire.get("text") == "" and len(wire) > 1:
        return keeping_fields(Text(""), wire, {"text": ""}, issuer)
    return OpaquePart(wire, issuer=issuer)


def _read(wire: Mapping[str, Any]) -> Part:
    if "text" in wire:
        return Text(wire["text"])
    if "inlineData" in wire:
        blob = wire["inlineData"]
        label = blob.get("mimeType") or ""
        return _kind(label)(f"data:{label};base64,{blob['data']}")  # type: ignore[return-value]  # a class of Part
    file = wire["fileData"]
    uri, label = file["fileUri"], file.get("mimeType")
    if uri.startswith(_SCHEMES):
        return _kind(label or "")(uri, media_type=label)  # type: ignore[return-value]  # as above
    return _kind(label or "")(file_id=uri, media_type=label)  # type: ignore[return-value]  # as above


def _kind(label: str) -> type[Media]:
    return _BY_TYPE.get(label.partition("/")[0], Document)


def is_words_or_media(wire: Any) -> bool:
    """Return whether a part of the model's turn belongs to what it says, and not to thoughts, calls or tools."""
    return isinstance(wire, dict) and not wire.get("thought") and bool(wire.keys() & {"text", "inlineData", "fileData"})


def is_thought(wire: Mapping[str, Any]) -> bool:
    """Return whether a part is a thought in words; a signature alone makes none."""
    return bool(wire.get("thought")) and isinstance(wire.get("text"), str)


def build_reasoning(item: Reasoning, issuer: Issuer) -> WirePart:
    """Return the wire form of a thought.

    Raises:
        Inexpressible: this API did not issue it, or there is nothing in it.
    """
    if item.issuer != issuer:
        raise Inexpressible("reasoning goes back only to the API that issued it")
    wire: WirePart = {"text": item.text, "thought": True}
    if item.signature is not None:
        wire["thoughtSignature"] = item.signature
    elif not item.text:
        raise Inexpressible("the API refuses a text without words")
    built: WirePart = with_own_fields(wire, item, issuer)
    return built


def read_reasoning(wire: Mapping[str, Any], issuer: Issuer) -> Reasoning:
    """Return the thought that a part says."""
    item = Reasoning(wire["text"], signature=wire.get("thoughtSignature"), issuer=issuer)
    return keeping_fields(item, wire, {"text": item.text, "thought": True, "thoughtSignature": item.signature}, issuer)


def build_call(call: ToolCall, issuer: Issuer) -> WirePart:
    """Return the wire form of a call.

    The API takes an object only: arguments that are none go as `{"raw_arguments": <the model's text>}`, so that the
    model sees what it wrote. The API's own id goes back, no other: calls and results also pair by name and order.
    """
    arguments: dict[str, Any] = {"raw_arguments": call.raw_arguments} if call.malformed else call.arguments
    wire: WirePart = with_own_fields({"functionCall": {"name": call.name, "args": arguments}}, call, issuer)
    return wire


def call_name(said: Mapping[str, Any]) -> str:
    """Return the name of the function that a call names.

    Raises:
        WrongForm: it names none.
    """
    name = words(said, "name")
    if not name:
        raise WrongForm("a functionCall has no name")
    return name


def read_call(wire: Mapping[str, Any], issuer: Issuer, tool_call_id: str, *, verbatim: bool = False) -> ToolCall:
    """Return the call that a part says.

    Args:
        wire: The part.
        issuer: Whose it is.
        tool_call_id: The id to give the call.
        verbatim: Whether it goes back with every field as it came: so in a request, not in an answer.
    """
    said = wire["functionCall"]
    call = called(tool_call_id, call_name(said), said.get("args"))
    if verbatim:
        return keeping_fields(call, wire, build_call(call, issuer), issuer)
    kept = {name: value for name, value in said.items() if name not in _OF_THE_CALL and value}
    return keeping_fields(call, {**wire, "functionCall": kept}, {"functionCall": {}}, issuer)
