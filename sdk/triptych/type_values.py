"""Values of types made by cattrs, where a class makes them itself or the user says how."""

from __future__ import annotations

import datetime
import decimal
import typing
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import cattrs
import msgspec

from triptych.checks import shown
from triptych.mismatch import mismatches
from triptych.type_parts import bare, fields_of, is_pydantic, union_members

# Texts and numbers of JSON that msgspec makes values of; cattrs would take any value for most of them.
_SCALARS = (
    bool, int, float, str, bytes, bytearray, datetime.datetime, datetime.date, datetime.time, datetime.timedelta,
    decimal.Decimal, uuid.UUID, type(None),
)  # fmt: skip
Schemas = Callable[[Any], Mapping[str, Any]]


class HookedConverter(cattrs.Converter):
    """A cattrs converter that knows whether the user told it something; see cattrs for its methods."""

    def __init__(self) -> None:
        super().__init__()
        self.hooked = False

    def register_structure_hook(self, *arguments: Any, **options: Any) -> Any:
        """Tell how a value of a class is made; see cattrs."""
        self.hooked = True
        return super().register_structure_hook(*arguments, **options)

    def register_structure_hook_func(self, *arguments: Any, **options: Any) -> Any:
        """Tell how values of all types that a function picks are made; see cattrs."""
        self.hooked = True
        return super().register_structure_hook_func(*arguments, **options)

    def register_structure_hook_factory(self, *arguments: Any, **options: Any) -> Any:
        """Tell what makes the hooks of all types that a function picks; see cattrs."""
        self.hooked = True
        return super().register_structure_hook_factory(*arguments, **options)

    def is_hooked(self, kind: Any) -> bool:
        """Return whether values of a type that is no class of fields can be made."""
        if not self.hooked:
            return False
        try:
            self.get_structure_hook(kind)
        except cattrs.StructureHandlerNotFoundError:
            return False
        return True


def make_converter(
    schema_of: Schemas, is_plain: Callable[[Any], bool], plain: Callable[[Any, Any], Any]
) -> HookedConverter:
    """Return a converter that makes values of all types that have a JSON Schema here.

    Args:
        schema_of: Gives the schema of a type.
        is_plain: Whether a type needs no converter, as long as the user registers no hook.
        plain: Makes the values of such a type.
    """
    made = HookedConverter()

    def is_struct(kind: Any) -> bool:
        origin = typing.get_origin(kind) or kind
        return isinstance(origin, type) and issubclass(origin, msgspec.Struct)

    def union(value: Any, kind: Any) -> Any:
        failed: Exception | None = None
        for member in _members(value, union_members(kind), schema_of):
            try:
                return made.structure(value, member)
            except Exception as fault:  # the next may take it: a date and a text have the same schema
                failed = failed or fault
        raise failed or ValueError(f"expected {_either(kind)}, got {shown(value)}")

    def struct(value: Any, kind: Any) -> Any:
        fields = [field for field in fields_of(kind) or () if field.name in value]
        return kind(**{field.attribute: made.structure(value[field.name], field.type) for field in fields})

    made.register_structure_hook_func(lambda kind: kind in _SCALARS, _scalar)
    made.register_structure_hook_func(lambda kind: bool(union_members(kind)), union)
    made.register_structure_hook_func(is_struct, struct)
    made.register_structure_hook_func(is_pydantic, lambda value, kind: kind.model_validate(value))
    made.register_structure_hook_func(lambda kind: not made.hooked and is_plain(kind), plain)
    made.hooked = False
    return made


def _scalar(value: Any, kind: Any) -> Any:
    # A number that is the key of a map is a text, and 5.0 is an integer: the schema has judged the value already.
    return msgspec.convert(value, kind, strict=False)


def _members(value: Any, members: tuple[Any, ...], schema_of: Schemas) -> list[Any]:
    """Return the members of a union that a value may be of; first those that know all its keys."""
    fitting = [member for member in members if not mismatches(schema_of(member), value)]
    return sorted(fitting, key=lambda member: _strange(value, member))


def _strange(value: Any, kind: Any) -> int:
    fields = fields_of(bare(kind)[0])
    return len(set(value) - {field.name for field in fields}) if fields is not None and isinstance(value, dict) else 0


def _either(kind: Any) -> str:
    return " or ".join(getattr(member, "__name__", str(member)) for member in union_members(kind))


def explained(fault: Exception) -> str:
    """Return where a value is wrong and why, from what was raised when it should be made."""
    errors = getattr(fault, "errors", None)
    if callable(errors):  # pydantic's
        return "; ".join(f"{_path(one['loc'])}: {one['msg']}, got {shown(one['input'])}" for one in errors())
    if isinstance(fault, cattrs.BaseValidationError):
        return "; ".join(_turned(words) for words in cattrs.transform_error(fault, format_exception=_told))
    return f"$: {_told(fault, None)}"


def _told(fault: BaseException, kind: Any) -> str:
    errors = getattr(fault, "errors", None)
    if callable(errors):
        return ", ".join(f"{_path(one['loc'])}: {one['msg']}, got {shown(one['input'])}" for one in errors())
    if isinstance(fault, KeyError):
        return f"the key {fault} is missing"
    return str(fault) or type(fault).__name__


def _turned(words: str) -> str:
    reason, _, path = words.rpartition(" @ ")
    return f"{path}{reason[1:]}" if reason.startswith("$") else f"{path}: {reason}"


def _path(steps: tuple[Any, ...]) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
