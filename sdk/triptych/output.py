"""What an answer shall be: a JSON Schema or a Python type, and how the model is brought to it."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any, Literal

from attrs import Attribute, field, frozen

from triptych.checks import is_a, one_of

Mode = Literal["auto", "native", "tool", "prompted"]
MODES: tuple[Mode, ...] = ("auto", "native", "tool", "prompted")


def _check_repairs(instance: object, attribute: Attribute[Any], value: int) -> None:
    is_a(int)(instance, attribute, value)
    if value < 0:
        raise ValueError(f"{type(instance).__name__}.{attribute.name}: expected 0 or more, got {value}")


@frozen
class OutputSchema:
    """What the answer shall be, with what providers want to know about it.

    Args:
        schema: The JSON Schema.
        name: What to call it; None lets the wire format choose.
        description: What the answer is for.
        strict: Whether the provider shall hold the model to it; None leaves it to the provider.
        mode: How the model is brought to it. "native": by the API's own field for a schema. "tool": by a tool that must
            be called and whose arguments are the answer. "prompted": by instructions that show the schema. "auto": the
            best of these that the model has.
        repairs: How often to ask again, telling the model what was wrong, after an answer that does not fit. Each is a
            call of its own, with the whole time limit; a stream is never asked again.
        type: The Python type that the answer becomes; None leaves it a JSON value.
    """

    schema: Mapping[str, Any] = field(validator=is_a(dict))
    name: str | None = field(default=None, validator=is_a(str, optional=True))
    description: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))
    strict: bool | None = field(default=None, kw_only=True, validator=is_a(bool, optional=True))
    mode: Mode = field(default="auto", kw_only=True, validator=one_of(*MODES))
    repairs: int = field(default=0, kw_only=True, validator=_check_repairs)
    type: Any = field(default=None, kw_only=True)

    @classmethod
    def of(
        cls,
        type: Any,  # noqa: A002  # the field's name
        *,
        mode: Mode = "auto",
        repairs: int = 0,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = True,
    ) -> OutputSchema:
        """Return the output that is a value of a Python type.

        Args:
            type: An attrs class, dataclass, TypedDict, NamedTuple, msgspec Struct, pydantic model, enum, or any
                annotation made of these and of JSON's own types: `list[Person]`, `Cat | Dog`, `Literal["a", "b"]`.
            mode: See the class.
            repairs: See the class.
            name: What to call it; None is the name of the class.
            description: What the answer is for.
            strict: See the class; a type is strict where nothing else is said.

        Raises:
            TypeError: the type has no JSON form; the message says where.
        """
        from triptych.output_types import shape_of  # only for those who want values of a type

        shape = shape_of(type)
        return cls(
            shape.schema,
            shape.name if name is None else name,
            description=description,
            strict=strict,
            mode=mode,
            repairs=repairs,
            type=type,
        )


def is_type(value: object) -> bool:
    """Return whether a value is a type or an annotation such as `list[int]` or `Cat | None`."""
    if isinstance(value, type | types.UnionType | typing.NewType):
        return True
    return typing.get_origin(value) is not None or type(value).__name__ == "TypeAliasType"


def output_of(value: object) -> object:
    """Return what a request's `output_type` means: a JSON Schema and a type become an `OutputSchema`."""
    if isinstance(value, dict):
        return OutputSchema(value)
    return OutputSchema.of(value) if is_type(value) else value
