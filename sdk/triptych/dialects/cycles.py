"""Definitions that contain themselves: found, made to pass through an optional property, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from attrs import frozen

from triptych.dialects.references import Schema, children, refused, target
from triptych.dialects.rules import Rules

_ROOT = "the schema"


# A property that must be there: the schema of its object, and its name.
Needed: TypeAlias = tuple[Schema, str]


@frozen
class Step:
    """A way from one definition to another: where it leads, and the required properties on it, inmost last."""

    name: str
    needed: tuple[Needed, ...] = ()


def check_recursion(
    schema: Schema, definitions: Mapping[str, Schema], rules: Rules, fills: Mapping[int, tuple[Schema, dict[str, Any]]]
) -> list[str]:
    """Make an adapted schema's recursion one that an API takes.

    Args:
        schema: The adapted schema.
        definitions: Its definitions.
        rules: What the API takes.
        fills: What properties are when they are left out, by the id of their object's schema; filled here.

    Returns:
        The properties that are required no longer, each as "definition.property".

    Raises:
        LlmError: kind "unsupported", naming the cycle that the API does not take.
    """
    if rules.recursion == "yes" and rules.references:
        return []
    through_optional = rules.recursion == "optional" and rules.references
    relaxed: list[str] = []
    while (cycle := _cycle(schema, definitions, through_optional)) is not None:
        names = [step.name for step in cycle]
        found = _emptiable(cycle, definitions) if through_optional else None
        if found is None:
            way = " → ".join([*names, names[0]])
            raise refused(f"{rules.name} takes no schema that contains itself{_but(through_optional)}: {way}")
        owner, name, empty, definition = found
        relaxed.append(f"{definition}.{name}")
        owner["required"] = [other for other in owner["required"] if other != name]
        if id(owner) in fills:
            fills[id(owner)][1][name] = empty
    return relaxed


def _but(through_optional: bool) -> str:
    return " through required properties alone" if through_optional else ""


def _cycle(schema: Schema, definitions: Mapping[str, Schema], required_only: bool) -> list[Step] | None:
    """Return the steps of one cycle: from its first definition round to it again; None where there is none."""
    done: set[str] = set()
    ways = [(Step(_ROOT), _steps(schema, required_only))]
    while ways:
        step = next(ways[-1][1], None)
        if step is None:
            done.add(ways.pop()[0].name)
            continue
        names = [way.name for way, _ in ways]
        if step.name in names:
            at = names.index(step.name)
            # The first step is the one that closes the circle: it leads to where the others start.
            return [step, *(way for way, _ in ways[at + 1 :])]
        if step.name not in done:
            ways.append((step, _steps(definitions[step.name], required_only)))
    return None


def _steps(schema: Schema, required_only: bool) -> Iterator[Step]:
    """Yield the ways from a schema to definitions."""
    waiting: list[tuple[Any, tuple[Needed, ...]]] = [(schema, ())]
    while waiting:
        node, way = waiting.pop()
        if not isinstance(node, dict):
            continue
        referred = target(node)
        if referred is not None:
            yield Step(referred, way)
        for name, each in node.get("properties", {}).items():
            if name in node.get("required", ()):
                waiting.append((each, (*way, (node, name))))
            elif not required_only:
                waiting.append((each, way))
        rest = {keyword: held for keyword, held in node.items() if keyword != "properties"}
        waiting += [(each, way) for _, each in children(rest)]


def _emptiable(cycle: list[Step], definitions: Mapping[str, Schema]) -> tuple[Schema, str, Any, str] | None:
    """Return a property on a cycle that can be left out, as it has an empty value: where, its name, that, and whose."""
    for index, step in enumerate(cycle):
        for owner, name in reversed(step.needed):
            empty = _empty(owner["properties"][name], definitions, frozenset())
            if empty is not ...:
                return owner, name, empty, cycle[index - 1].name
    return None


def _empty(schema: Schema, definitions: Mapping[str, Schema], seen: frozenset[str]) -> Any:
    """Return the value of a schema that holds nothing, such as an empty list; ... where it has none."""
    referred = target(schema)
    if referred is not None:
        return ... if referred in seen else _empty(definitions[referred], definitions, seen | {referred})
    kind = schema.get("type")
    if kind == "array" and not schema.get("minItems"):
        return []
    if kind == "object" and not schema.get("required") and not schema.get("properties"):
        return {}
    nullable = kind == "null" or (isinstance(kind, list) and "null" in kind)
    if nullable or any(_empty(each, definitions, seen) is None for each in schema.get("anyOf", [])):
        return None
    return ...
