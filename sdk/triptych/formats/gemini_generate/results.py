"""Tool results of Gemini's: the builder of a function's response beside its reader.

Reference: https://ai.google.dev/api/caching#FunctionResponse (what `output` and `error` in a response mean)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from triptych.content import ToolResult
from triptych.formats.gemini_generate.fields import keeping_fields, with_own_fields
from triptych.formats.gemini_generate.parts import build_part, read_part
from triptych.formats.verbatim import Inexpressible
from triptych.parts import PART_TYPES, Issuer, Part, Text

if TYPE_CHECKING:
    from triptych_wire.gemini_generate import Part as WirePart

_KEYS = {"success": "output", "error": "error"}
_STATUSES = {frozenset({"output"}): "success", frozenset({"error"}): "error"}


@define
class BuiltResult:
    """A tool result in wire form.

    Args:
        part: The function's response.
        media: Pictures and files that the response cannot hold, as parts.
        unsaid: By place in the content: what has no form here, and why.
    """

    part: WirePart
    media: list[Any] = field(factory=list)
    unsaid: list[tuple[int, object, str]] = field(factory=list)


def build_result(
    item: ToolResult, name: str, wire_id: str | None, issuer: Issuer, *, media_inside: bool
) -> BuiltResult:
    """Return the wire form of a tool result.

    Args:
        item: The result.
        name: The tool's name, which the API demands.
        wire_id: The API's id of the call, where it gave one.
        issuer: Whose private data may go out.
        media_inside: Whether the model takes media inside a response.
    """
    values: list[Any] = []
    media: list[Any] = []
    unsaid: list[tuple[int, object, str]] = []
    for index, value in enumerate(item.content):
        if isinstance(value, Text):
            values.append(value.text)
        elif not isinstance(value, PART_TYPES):
            values.append(value)
        else:
            try:
                media.append(_medium(value, issuer))
            except Inexpressible as why:
                unsaid.append((index, value, str(why)))
    response: dict[str, Any] = {} if wire_id is None else {"id": wire_id}
    response |= {"name": name, "response": _response(values, item.status)}
    if media and media_inside:
        response["parts"] = media
    part: WirePart = with_own_fields({"functionResponse": response}, item, issuer)
    return BuiltResult(part, [] if media_inside else media, unsaid)


def _medium(value: Part, issuer: Issuer) -> WirePart:
    part = build_part(value, issuer)
    if not part.keys() & {"inlineData", "fileData"}:
        raise Inexpressible("a result holds values and media only")
    return part


def _response(values: Sequence[Any], status: str) -> Mapping[str, Any]:
    """Return the object that a result is: an object alone as it is, unless its keys would say something else."""
    first = values[0] if len(values) == 1 else None
    if isinstance(first, Mapping) and status == "success" and frozenset(first) not in _STATUSES:
        return first
    if not values:
        return {} if status == "success" else {"error": ""}
    return {_KEYS[status]: list(values) if len(values) > 1 or isinstance(first, list) else first}


def read_result(wire: Mapping[str, Any], tool_call_id: str, issuer: Issuer) -> ToolResult:
    """Return the tool result that a function's response says.

    Args:
        wire: The part.
        tool_call_id: The id of the call that it answers.
        issuer: Whose it is.
    """
    said = wire["functionResponse"]
    response = said.get("response") or {}
    status = _STATUSES.get(frozenset(response))
    if status is None:
        values = [response] if response else []
    else:
        value = response[_KEYS[status]]
        values = value if isinstance(value, list) else [value]
    media = [read_part(part, issuer) for part in said.get("parts") or []]
    item = ToolResult(tool_call_id, said["name"], status or "success", [*values, *media])  # type: ignore[arg-type]  # one of the two literals
    built = build_result(item, said["name"], None, issuer, media_inside=True).part
    return keeping_fields(item, wire, built, issuer)
