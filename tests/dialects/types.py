"""Types as a program declares them, drawn by hypothesis, each with a strategy for its instances."""

from __future__ import annotations

import datetime
import enum
import itertools
import uuid
from collections.abc import Callable
from dataclasses import field as dataclass_field
from dataclasses import make_dataclass
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict, Union

import attrs
import msgspec
from hypothesis import strategies as st
from msgspec import Meta

DEPTH = 3
_numbers = itertools.count(1)
# What may not meet in a union: two that are one in JSON; and a number or text with bounds beside a fixed tuple, over
# which msgspec 0.23 ends the process.
_APART = ({"array", "tuple"}, {"number", "tuple"}, {"string", "tuple"})
_keys = st.text("abc", min_size=1, max_size=3)
_text = st.text('ab é"\\\n', max_size=6)


@attrs.frozen
class Drawn:
    """A type, its instances, and what of it decides how an API can be asked for it.

    Args:
        type: The type.
        values: Its instances.
        nullable: Whether None is one of them.
        recursive: Whether it contains itself.
        shape: What its instances are in JSON: a union holds no shape twice.
    """

    type: Any
    values: st.SearchStrategy[Any]
    nullable: bool = False
    recursive: bool = False
    shape: str = "string"


class Colour(enum.Enum):
    """An enum of texts."""

    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    """An enum of numbers."""

    LOW = 1
    HIGH = 5


_small_floats = st.floats(-1000, 1000, allow_nan=False).map(lambda number: number + 0.0)
LEAVES = (
    Drawn(str, _text),
    Drawn(int, st.integers(-(2**31), 2**31), shape="number"),
    Drawn(float, _small_floats, shape="number"),
    Drawn(bool, st.booleans(), shape="boolean"),
    Drawn(Annotated[int, Meta(ge=0, le=10, description="From nought to ten.")], st.integers(0, 10), shape="number"),
    Drawn(Annotated[float, Meta(gt=0, lt=2)], st.sampled_from([0.5, 1.0, 1.5]), shape="number"),
    Drawn(Annotated[int, Meta(multiple_of=3)], st.integers(-9, 9).map(lambda number: number * 3), shape="number"),
    Drawn(Annotated[str, Meta(min_length=1, max_length=3)], st.text("xy", min_size=1, max_size=3)),
    Drawn(Annotated[str, Meta(pattern="^[a-z]{2}$")], st.text("klm", min_size=2, max_size=2)),
    Drawn(datetime.date, st.dates()),
    Drawn(uuid.UUID, st.uuids()),
    Drawn(bytes, st.binary(max_size=4)),
    Drawn(Colour, st.sampled_from(Colour)),
    Drawn(Level, st.sampled_from(Level), shape="number"),
    Drawn(Literal["on", "off"], st.sampled_from(["on", "off"])),
    Drawn(Literal["one", 2], st.sampled_from(["one", 2]), shape="mixed"),
    Drawn(Literal["none", None], st.sampled_from(["none", None]), nullable=True, shape="mixed"),
    Drawn(Any, st.integers() | st.booleans() | st.lists(st.integers(), max_size=2), shape="mixed"),
)


@st.composite
def drawn_types(draw: st.DrawFn, depth: int = DEPTH) -> Drawn:
    """Draw a type: a leaf, a container, a union, or a class of one of four kinds.

    Args:
        draw: Hypothesis' own.
        depth: How many types may be within one another.
    """
    if depth == 0:
        return draw(st.sampled_from(LEAVES))
    return draw(draw(st.sampled_from(_KINDS))(depth - 1))


@st.composite
def _leaf(draw: st.DrawFn, depth: int) -> Drawn:
    return draw(st.sampled_from(LEAVES))


@st.composite
def _list(draw: st.DrawFn, depth: int) -> Drawn:
    item = draw(drawn_types(depth))
    least = draw(st.integers(0, 2))
    values = st.lists(item.values, min_size=least, max_size=3)
    declared: Any = list[item.type]  # type: ignore[name-defined]
    if least:
        declared = Annotated[declared, Meta(min_length=least, max_length=3)]
    return Drawn(declared, values, recursive=item.recursive, shape="array")


@st.composite
def _map(draw: st.DrawFn, depth: int) -> Drawn:
    value = draw(drawn_types(depth))
    declared: Any = dict[str, value.type]  # type: ignore[name-defined]
    return Drawn(declared, st.dictionaries(_keys, value.values, max_size=3), recursive=value.recursive, shape="object")


@st.composite
def _tuple(draw: st.DrawFn, depth: int) -> Drawn:
    items = [draw(drawn_types(depth)) for _ in range(draw(st.integers(1, 3)))]
    values = st.tuples(*(item.values for item in items))
    made: Any = tuple[tuple(item.type for item in items)]  # type: ignore[misc]
    if draw(st.booleans()):
        made = _named_tuple(
            f"Tuple{next(_numbers)}", [(f"field_{index}", item.type) for index, item in enumerate(items)]
        )
        values = values.map(lambda each: made(*each))
    return Drawn(made, values, recursive=any(item.recursive for item in items), shape="tuple")


@st.composite
def _optional(draw: st.DrawFn, depth: int) -> Drawn:
    inner = draw(drawn_types(depth).filter(lambda drawn: drawn.type is not Any))
    declared: Any = Union[inner.type, None]  # noqa: UP007
    return Drawn(declared, st.none() | inner.values, nullable=True, recursive=inner.recursive, shape="mixed")


@st.composite
def _union(draw: st.DrawFn, depth: int) -> Drawn:
    first, second = draw(
        st.tuples(drawn_types(depth), drawn_types(depth)).filter(
            lambda both: (
                both[0].shape != both[1].shape
                and "mixed" not in (both[0].shape, both[1].shape)
                and {both[0].shape, both[1].shape} not in _APART
            )
        )
    )
    declared: Any = Union[first.type, second.type]  # noqa: UP007
    return Drawn(declared, first.values | second.values, recursive=first.recursive or second.recursive, shape="mixed")


@st.composite
def _tagged(draw: st.DrawFn, depth: int) -> Drawn:
    """Two classes that their field `kind` tells apart."""
    made = []
    for tag in ("cat", "dog"):
        inner = draw(drawn_types(depth))
        name = f"{tag.title()}{next(_numbers)}"
        one = msgspec.defstruct(name, [("inner", inner.type)], tag=tag, tag_field="kind")
        made.append(Drawn(one, inner.values.map(one), recursive=inner.recursive))
    declared: Any = Union[made[0].type, made[1].type]  # noqa: UP007
    recursive = any(each.recursive for each in made)
    return Drawn(declared, made[0].values | made[1].values, recursive=recursive, shape="object")


@st.composite
def _class(draw: st.DrawFn, depth: int) -> Drawn:
    """A class with one to three fields; each may have a default."""
    fields = {f"field_{index}": draw(drawn_types(depth)) for index in range(draw(st.integers(1, 3)))}
    given = {name for name in fields if draw(st.booleans())}
    fields = {name: fields[name] for name in sorted(fields, key=lambda name: name not in given)}
    build = draw(st.sampled_from([_attrs_class, _dataclass, _typed_dict]))
    made, optional = build(f"Made{next(_numbers)}", fields, given)
    here = {name: drawn.values for name, drawn in fields.items() if name in given or not optional(drawn)}
    elsewhere = {name: drawn.values for name, drawn in fields.items() if name not in here}
    values = st.fixed_dictionaries(here, optional=elsewhere).map(lambda each: made(**each))
    return Drawn(made, values, recursive=any(each.recursive for each in fields.values()), shape="object")


# The functional forms take literals alone where types are checked.
_named_tuple: Any = NamedTuple
_dict_type: Any = TypedDict
_Made = tuple[Any, Callable[[Drawn], bool]]


def _attrs_class(name: str, fields: dict[str, Drawn], given: set[str]) -> _Made:
    made = attrs.make_class(
        name,
        {
            field: attrs.field(type=drawn.type) if field in given else attrs.field(type=drawn.type, default=None)
            for field, drawn in fields.items()
        },
    )
    made.__annotations__ = {field: drawn.type for field, drawn in fields.items()}
    # A default of another type is never written out, so that such fields are always there.
    return made, lambda drawn: drawn.nullable


def _dataclass(name: str, fields: dict[str, Drawn], given: set[str]) -> _Made:
    declared = [
        (field, drawn.type) if field in given else (field, drawn.type, dataclass_field(default=None))
        for field, drawn in fields.items()
    ]
    return make_dataclass(name, declared), lambda drawn: drawn.nullable


def _typed_dict(name: str, fields: dict[str, Drawn], given: set[str]) -> _Made:
    declared = {field: drawn.type if field in given else NotRequired[drawn.type] for field, drawn in fields.items()}
    # Of a nullable field that need not be there, null and absence are one to an API that wants it there.
    return _dict_type(name, declared), lambda drawn: not drawn.nullable


@st.composite
def _recursive(draw: st.DrawFn, depth: int) -> Drawn:
    """A class that contains itself: as an optional field, or in a list or a map that must be there."""
    inner = draw(drawn_types(depth))
    made: Any = make_dataclass(f"Node{next(_numbers)}", [("inner", inner.type), ("more", Any)])
    way = draw(st.sampled_from(["optional", "list", "map"]))
    ends: dict[str, Any] = {"optional": Union[made, None], "list": list[made], "map": dict[str, made]}  # noqa: UP007
    made.__annotations__["more"] = ends[way]
    empty: dict[str, Any] = {"optional": st.none(), "list": st.just([]), "map": st.just({})}
    leaf = st.builds(made, inner.values, empty[way])
    node = st.builds(
        made,
        inner.values,
        {
            "optional": leaf,
            "list": st.lists(leaf, min_size=1, max_size=2),
            "map": st.dictionaries(_keys, leaf, min_size=1, max_size=2),
        }[way],
    )
    return Drawn(made, leaf | node, recursive=True, shape="object")


_KINDS = (_leaf, _list, _map, _tuple, _optional, _union, _tagged, _class, _class, _recursive)


def schema_of(declared: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type, as msgspec makes it."""
    (schema,), definitions = msgspec.json.schema_components([declared], ref_template="#/$defs/{name}")
    return {**schema, **({"$defs": definitions} if definitions else {})}
