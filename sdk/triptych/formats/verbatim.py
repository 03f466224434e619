"""What has no typed home: kept as received, sent back as kept.

A reader of a wire object is checked against its own builder: the fields that the built object does not say again are
kept in `provider_data`. So nothing is lost, and a request that was read is built back as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import evolve

from triptych.errors import Notice
from triptych.parts import Issuer, Opaque, Part, Provided
from triptych.tools import BaseTool, ProviderTool

Wire = TypeVar("Wire", bound=Mapping[str, object])
Item = TypeVar("Item", bound=Provided)


def unsaid(wire: Mapping[str, Any], built: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of `wire` that `built` lacks or says otherwise; None where there are none."""
    rest = {key: value for key, value in wire.items() if key not in built or built[key] != value}
    return rest or None


def keeping(item: Item, wire: Mapping[str, Any], built: Mapping[str, Any], issuer: Issuer) -> Item:
    """Return `item`, read from `wire`, with the fields that it does not say by itself kept beside it."""
    rest = unsaid(wire, built)
    return item if rest is None else evolve(item, provider_data=rest, issuer=issuer)


def with_provider_data(wire: Wire, source: Provided, issuer: Issuer) -> Wire:
    """Return `wire` with what its issuer once sent beside it; data of another issuer stays at home."""
    if source.provider_data is None or source.issuer != issuer:
        return wire
    merged: Any = {**wire, **source.provider_data}  # fields that the schema does not know
    return merged  # type: ignore[no-any-return]  # the type of `wire`, with the issuer's own fields added


class Inexpressible(Exception):
    """Something that an API has no form for; the words say why."""


def opaque(item: Opaque, issuer: Issuer) -> Any:
    """Return an opaque block as it was received.

    Raises:
        Inexpressible: it is another API's.
    """
    if item.issuer != issuer:
        raise Inexpressible("a block of another API has no form here")
    return item.data


def read_part(
    wire: Any,
    readers: Mapping[str, Callable[[Mapping[str, Any]], Part]],
    build: Callable[[Part, Issuer], Mapping[str, Any]],
    issuer: Issuer,
) -> Part:
    """Return the part that a wire object says; opaque where it has a type or a form of its own.

    Args:
        wire: The object.
        readers: How to read one, by its type.
        build: The builder that the readers are checked against.
        issuer: Whose object it is.
    """
    if not isinstance(wire, dict):
        return Opaque({"part": wire}, issuer=issuer)
    reader = readers.get(str(wire.get("type")))
    if reader is not None:
        try:
            part = reader(wire)
            built = build(part, issuer)
        except (KeyError, TypeError, ValueError, AttributeError, Inexpressible):
            pass  # one that the API would refuse, or a form that is new: kept as it is
        else:
            if wire.keys() >= built.keys():
                return keeping(part, wire, built, issuer)
    return Opaque(wire, issuer=issuer)


def wire_tools(
    tools: Sequence[BaseTool | ProviderTool],
    build: Callable[[BaseTool, Issuer], Mapping[str, Any]],
    issuer: Issuer,
    notices: list[Notice],
) -> list[Any]:
    """Return the wire form of the tools that may go to this API: a provider's own only to that provider.

    Args:
        tools: The tools of a request.
        build: How this API says the definition of a tool.
        issuer: Whose API it is.
        notices: Filled with what was left out.
    """
    wires: list[Any] = []
    for index, tool in enumerate(tools):
        if isinstance(tool, BaseTool):
            wires.append(build(tool, issuer))
        elif tool.issuer is None or tool.issuer in (issuer, Issuer(issuer.format)):
            wires.append(tool.definition)
        else:
            notices.append(Notice(f"tools[{index}]", "provider tool left out", "it is another API's"))
    return wires
