"""From a JSON Schema to what one API takes of it: the whole schema, its root and its definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen

from triptych.dialects import restoring
from triptych.dialects.adapter import MOST_PLACES, Adapter
from triptych.dialects.cycles import check_recursion
from triptych.dialects.limits import exceeded
from triptych.dialects.merging import ContradictionError
from triptych.dialects.references import Schema, mapped, reachable, refused, target, walk
from triptych.dialects.restoring import WRAPPED, Piece, Restore
from triptych.dialects.rules import Rules
from triptych.dialects.sources import Source, kinds_of
from triptych.dialects.words import ANNOTATIONS
from triptych.errors import Notice


@frozen
class Adapted:
    """A schema as an API takes it.

    Args:
        schema: The JSON Schema to send.
        notices: What the API will not hold the model to: where in the given schema (a JSON pointer), what, and why.
        restore: Turns a value that follows `schema` into one that follows the given schema; it never fails, and a value
            that does not follow comes back as it is.
    """

    schema: dict[str, Any]
    notices: tuple[Notice, ...] = ()
    restore: Restore = field(default=restoring.same, eq=False, repr=False)


def adapt(schema: Mapping[str, Any], rules: Rules, *, arguments: bool = False) -> Adapted:
    """Return a JSON Schema as one API takes it.

    What can be said in another way is rewritten, and `Adapted.restore` is the way back: an optional property is
    required and may be null, a map is a list of entries with `key` and `value`, a tuple an object with `item_1`,
    `item_2`, …, any value its JSON text, and a root that is no object stands under `value`. What cannot be said moves
    into the descriptions and is a notice. An adapted schema adapts to itself.

    Args:
        schema: The JSON Schema, which is not changed.
        rules: What the API takes.
        arguments: Whether it is of a tool's arguments: every API wants an object, and one that names no properties is
            a tool without arguments, not a map.

    Raises:
        LlmError: kind "unsupported": a schema that contains itself where the API takes none, a reference that leads
            nowhere, constraints that nothing satisfies, or what is no JSON Schema.
    """
    wanted = evolve(rules, object_root=True) if arguments else rules
    try:
        return _adapted(schema, wanted, arguments) if rules.rewrites else _with_object_root(schema)
    except ContradictionError as fault:
        raise refused(f"nothing can follow the schema: {fault}") from None
    except RecursionError:
        raise refused("the schema is nested too deeply") from None
    except (TypeError, AttributeError, ValueError) as fault:
        raise _explained(schema, fault) from fault


def _explained(schema: Mapping[str, Any], fault: Exception) -> Exception:
    """Return why a schema could not be read: it is none, or it is and the fault is ours."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return refused(f"the schema is no JSON Schema: at {error.json_path}: {error.message}")
    return fault


def _with_object_root(schema: Mapping[str, Any]) -> Adapted:
    """Return a schema of a tool that is not strict: of an object, and else as it is."""
    if schema.get("type") == "object" and "$ref" not in schema:
        return Adapted({"properties": {}, **schema} if "properties" not in schema else dict(schema))
    said = Source(schema).flat(schema)
    definitions = {name: schema[name] for name in ("$defs", "definitions") if name in schema}
    if kinds_of(said) == ["object"] or not said.keys() - ANNOTATIONS:
        return Adapted({"type": "object", "properties": {}, **said, **definitions})
    bare = {name: value for name, value in schema.items() if name not in definitions}
    wrapped = {"type": "object", "properties": {WRAPPED: bare}, "required": [WRAPPED], **definitions}
    return Adapted(wrapped, restore=restoring.unwrapped(None))


def _adapted(schema: Mapping[str, Any], rules: Rules, arguments: bool) -> Adapted:
    adapter = Adapter(rules, Source(schema))
    given = {name: value for name, value in schema.items() if name not in ("$defs", "definitions")}
    if arguments and not given.keys() - ANNOTATIONS - {"type"} and given.get("type", "object") == "object":
        given |= {"type": "object", "properties": {}}
    root = adapter.place(given, "")
    for name in check_recursion(root.schema, adapter.definitions, rules, adapter.fills):
        why = f"{rules.name} takes a schema that contains itself through optional properties alone"
        adapter.notices.append(Notice("", f"{name} is not required", why))
    root = _rooted(root, adapter, rules)
    whole = _with_definitions(root.schema, adapter, rules)
    adapter.notices += exceeded(whole, whole.get("$defs", {}), rules)
    return Adapted(whole, tuple(dict.fromkeys(adapter.notices)), _total(root.restore))


def _total(restore: Restore | None) -> Restore:
    """Return a way back that also ends where a value or a schema nests without end."""
    if restore is None:
        return restoring.same

    def total(value: Any) -> Any:
        try:
            return restore(value)
        except RecursionError:
            return value

    return total


def _rooted(root: Piece, adapter: Adapter, rules: Rules) -> Piece:
    """Return the root as the API wants it: an object, and no reference."""
    name = target(root.schema)
    if name is not None:
        root = Piece(dict(adapter.definitions[name]), root.restore)
    if not rules.object_root or root.schema.get("type") == "object":
        return root
    wrapped: Schema = {"type": "object", "properties": {WRAPPED: root.schema}, "required": [WRAPPED]}
    if rules.closed:
        wrapped["additionalProperties"] = False
    return Piece(wrapped, restoring.unwrapped(root.restore))


def _with_definitions(root: Schema, adapter: Adapter, rules: Rules) -> Schema:
    """Return the whole schema: its definitions those that are needed, the others in their places."""
    definitions = adapter.definitions
    needed = reachable(root, definitions)
    uses = Counter(target(node) for each in (root, *(definitions[name] for name in needed)) for node in walk(each))
    within = {name: reachable(definitions[name], definitions) for name in needed if name in adapter.derived}
    inlined = {name for name, others in within.items() if uses[name] == 1 and name not in others}
    if not rules.references:
        inlined = set(needed)
    places = 0

    def put(node: Any) -> Any:
        nonlocal places
        places += 1
        if places > MOST_PLACES:
            raise refused(
                f"the schema has more than {MOST_PLACES} places when its definitions are put where they are used"
            )
        name = target(node)
        if name in inlined:
            return put(definitions[name])
        return mapped(node, put) if isinstance(node, dict) else node

    whole = put(root) if inlined else dict(root)
    kept = [name for name in needed if name not in inlined]
    if kept:
        whole["$defs"] = {name: put(definitions[name]) if inlined else definitions[name] for name in kept}
    return whole
