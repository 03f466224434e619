"""A model's arguments as a function takes them: JSON values checked and turned into the declared types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.mismatch import mismatches
from triptych.output_types import WrongValue
from triptych.signature import Parameter, Signature
from triptych.tools import ArgumentError


def structured(signature: Signature, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model's arguments as the declared types; what it left out, or gave as null though optional, is absent.

    Args:
        signature: What the function takes; the model cannot give what is injected.
        schema: The JSON Schema made of it.
        arguments: JSON values by name.

    Raises:
        ArgumentError: they do not fit; every mistake has a line with its path, what was expected and what came.
    """
    left, given = dict(arguments), {}
    faults: dict[str, str] = {}
    dropped: set[str] = set()
    hidden = {one.name for one in signature.parameters if one.injected}
    takers = {one.name: one for one in signature.shown}
    if signature.rest is not None:
        takers.update((name, signature.rest) for name in left.keys() - takers.keys() - hidden)
    for name, one in takers.items():
        if name not in left:
            continue
        value = left.pop(name)
        try:
            given[name] = _structured(value, one)
        except WrongValue as fault:
            if value is None and not one.required:
                dropped.add(name)
            else:
                faults[name] = str(fault)
    missing = [one.name for one in signature.shown if one.required and one.name not in arguments]
    if faults or left or missing:
        kept = {name: value for name, value in arguments.items() if name not in dropped}
        raise ArgumentError("\n".join(_mistakes(schema, kept, faults, [*left, *missing])))
    return given


def _structured(value: Any, one: Parameter) -> Any:
    if not one.shape.by_msgspec and (wrong := mismatches(one.shape.schema, value)):  # what else makes it is not strict
        raise WrongValue(wrong[0])
    return one.shape.structure(value)


def _mistakes(
    schema: Mapping[str, Any], arguments: Mapping[str, Any], faults: Mapping[str, str], others: list[str]
) -> list[str]:
    said = mismatches(schema, dict(arguments), formats=True)
    # What a schema does not say, such as the rule of a class, is told in the words of that rule.
    for name, fault in faults.items():
        if not any(line.startswith((f"$.{name}:", f"$.{name}.", f"$.{name}[")) for line in said):
            said.append(_in_place(name, fault))
    return said or [f"$.{name}: expected no such field" for name in others]


def _in_place(name: str, fault: str) -> str:
    """Return the words about a value whose path begins with `$`, with the path that it has among the arguments."""
    return f"$.{name}{fault.removeprefix('$')}"
