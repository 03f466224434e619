"""From values to JSON objects: one writer a class, made by cattrs from the class's own fields."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from attrs import fields
from cattrs.gen import make_dict_unstructure_fn, override

from triptych.checks import shown
from triptych.parts import Issuer, Opaque
from triptych.persist.converter import converter
from triptych.persist.field_types import LEFT_OUT, TAGGED_FIELDS, element, is_object, is_tagged, members, types_of
from triptych.persist.plain import plain
from triptych.persist.registry import JSON_TYPE, TAG, TAGS, UNKNOWN, UNSERIALISABLE, registered
from triptych.persist.unknown_fields import joined
from triptych.tools import ProviderTool

Writer = Callable[[Any], Any]


def tagged(value: object) -> dict[str, Any]:
    """Return the JSON object of a value, with its `content_type`.

    Raises:
        TypeError: its class has no JSON form.
    """
    kind = registered(type(value))
    if kind is None:
        raise TypeError(f"expected one of {', '.join(one.__name__ for one in TAGS)}, got {shown(value)}")
    verbatim = _unknown(value)
    if verbatim is not None:
        written: dict[str, Any] = plain(verbatim)
        return written
    return joined(value, {TAG: TAGS[kind], **writer(kind)(value)})


def _unknown(value: object) -> Mapping[str, Any] | None:
    """Return the object that was read and has no type here, where a value stands for one."""
    if isinstance(value, Opaque | ProviderTool) and value.issuer == Issuer(UNKNOWN):
        return value.data if isinstance(value, Opaque) else value.definition
    return None


def _untagged(kind: type) -> Writer:
    write = writer(kind)
    return lambda value: joined(value, write(value))


@cache
def writer(kind: type) -> Writer:
    """Return what writes the fields of a class: in their order, without those that are as by default."""
    kinds = types_of(kind)
    rules: dict[str, Any] = {one.name: override(omit=True) for one in fields(kind) if one.name in LEFT_OUT}
    for name, type_ in kinds.items():
        # A value of any type is not compared with the default: its class may not know how. Nor is a moment with now.
        compared = type_ not in (Any, datetime.datetime)
        rules[name] = override(unstruct_hook=_of_field(name, type_), omit_if_default=compared)
    write: Writer = make_dict_unstructure_fn(kind, converter, _cattrs_omit_if_default=True, **rules)
    open_fields = [name for name, type_ in kinds.items() if type_ is Any]

    def sparse(value: Any) -> dict[str, Any]:
        written: dict[str, Any] = write(value)
        for name in open_fields:
            if written[name] is None:
                del written[name]
        return written

    return sparse if open_fields else write


def _of_field(name: str, kind: Any) -> Writer:
    if name in TAGGED_FIELDS:
        return lambda values: [tagged(one) for one in values]
    if name == "tool_choice":
        return lambda choice: choice if choice is None or isinstance(choice, str) else choice.name
    return _free_list if kind is Any else _of_type(kind)


def _of_type(kind: Any) -> Writer:
    if is_tagged(kind):
        return tagged
    inner = members(kind)
    lists = [one for one in inner if element(one) is not None]
    if lists:
        return _list_writer(element(lists[0]))
    classes = [one for one in inner if one in TAGS]
    if classes:
        return _or_none(_untagged(classes[0]))
    if any(is_object(one) for one in inner):
        return plain
    return _moment if datetime.datetime in inner else _same


def _list_writer(kind: Any) -> Writer:
    write = free if kind is Any else _of_type(kind)
    # The other member of the union is a text.
    return lambda values: [write(one) for one in values] if isinstance(values, list | tuple) else values


def _or_none(write: Writer) -> Writer:
    return lambda value: None if value is None else write(value)


def _same(value: Any) -> Any:
    return value


def _moment(value: datetime.datetime) -> str:
    # RFC 3339 has offsets of whole minutes.
    offset = value.utcoffset()
    whole = offset is not None and not offset % datetime.timedelta(minutes=1)
    return (value if whole else value.astimezone(datetime.UTC)).isoformat().replace("+00:00", "Z")


def free(value: Any) -> Any:
    """Return the JSON form of a value that may be anything: an item or part with its tag, or JSON values.

    An object of the user's own that has the key of the tag is wrapped, so that it is not taken for an item.
    """
    if type(value) in TAGS:
        return tagged(value)
    written = plain(value)
    if type(written) is dict and TAG in written and written[TAG] != UNSERIALISABLE:
        return {TAG: JSON_TYPE, "value": written}
    return written


def _free_list(value: Any) -> Any:
    return [free(one) for one in value] if isinstance(value, list | tuple) else free(value)
