"""The schemas of requests, closed: a stray or misspelt field in a body that we build is a fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from triptych.formats.malformed import schema

# Others that are asked about every body: the providers' own packages, where they are installed.
WITNESSES: list[Callable[[str, Mapping[str, Any]], list[str]]] = []


@cache
def closed_validator(name: str) -> Draft202012Validator:
    """Return a validator for requests of a wire format that takes no field which the schema does not name."""
    whole = schema(name)
    definitions = {key: _closed(definition) for key, definition in whole["$defs"].items()}
    return Draft202012Validator({**whole, "$defs": definitions, "$ref": "#/$defs/Request"})


def _closed(definition: dict[str, Any]) -> dict[str, Any]:
    if "properties" not in definition or "additionalProperties" in definition:
        return definition
    return {**definition, "additionalProperties": False}


def faults(name: str, body: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a body by the closed schema of its format, each with its place; empty when nothing is.

    Args:
        name: The wire format.
        body: The request, without the fields that the caller gave verbatim.
    """
    own = [_shown(error) for error in closed_validator(name).iter_errors(body)]
    return own + [fault for witness in WITNESSES for fault in witness(name, body)]


def _shown(error: ValidationError) -> str:
    deepest = best_match([error]) or error
    return f"{deepest.json_path}: {deepest.message[:300]}"
