"""How one call is brought to its output: the call as it is sent, and the way back from the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from attrs import evolve, field, frozen

from triptych import dialects, jsontext
from triptych.errors import LlmError, Notice
from triptych.formats import Call
from triptych.output import OutputSchema
from triptych.output_modes import SWITCHED, asks_for_json, holds_tools, possible_modes
from triptych.provider import OutputMode, Quirks
from triptych.request import LlmRequest
from triptych.tools import BaseTool

TOOL_NAME = "final_answer"
_TOOL_DESCRIPTION = "Give the final answer. Call this once, when everything else is done, with the whole answer."
_INSTRUCTION = """\
Answer in JSON, with one value that follows the JSON Schema below. Write nothing before or after it, and no code fence.

{schema}"""
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]+")
# By wire format, what its API takes of JSON Schema, in its own field for a schema and in strict tools.
_RULES = {
    "openai_chat": "OPENAI_STRICT",
    "openai_responses": "OPENAI_STRICT",
    "anthropic_messages": "ANTHROPIC_STRICT",
    "gemini_generate": "GEMINI",
    "bedrock_converse": "BEDROCK",
    "mistral_chat": "MISTRAL",
    "cohere_chat": "COHERE",
    "ollama_chat": "OLLAMA",
}
_LOOSE = "LOOSE"
# Formats whose tools take no other schemas than their field for a schema, strict or not.
_SUBSET_TOOLS = frozenset({"gemini_generate", "cohere_chat", "ollama_chat"})
# By wire format, the fields that ask for JSON without a schema.
_JSON_OBJECT = {"response_format": {"type": "json_object"}}
_JSON_MODE: dict[str, dict[str, Any]] = {
    "openai_chat": _JSON_OBJECT,
    "mistral_chat": _JSON_OBJECT,
    "cohere_chat": _JSON_OBJECT,
    "openai_responses": {"text": {"format": {"type": "json_object"}}},
    "gemini_generate": {"generationConfig": {"responseMimeType": "application/json"}},
    "ollama_chat": {"format": "json"},
}


def _as_it_is(value: Any) -> Any:
    return value


@frozen(eq=False)
class Plan:
    """How one call is brought to its output.

    Args:
        call: The call as it is sent.
        output: What the answer shall be.
        mode: How the model is brought to it.
        notices: What of the schema cannot be said to it.
        restore: Makes a JSON value that follows the schema as it is sent one that follows the output's own.
        tool: The name of the tool whose arguments are the answer.
    """

    call: Call
    output: OutputSchema
    mode: OutputMode
    notices: tuple[Notice, ...] = ()
    restore: Callable[[Any], Any] = field(default=_as_it_is)
    tool: str | None = None


def make_plan(call: Call, format_name: str, quirks: Quirks) -> Plan:
    """Return how a call is brought to its output.

    Where nothing else is asked for and the API cannot say the schema, the next best mode is taken, with a notice.

    Args:
        call: The call; its request has an `output_type`.
        format_name: The wire format.
        quirks: What the model has.

    Raises:
        LlmError: the schema is wrong, or cannot be said.
    """
    output = call.request.output_type
    if output is None:
        raise ValueError("the request has no output_type")
    check_schema(jsontext.encode(output.schema))
    modes = possible_modes(output.mode, quirks, tools=bool(call.request.tools))
    notices: tuple[Notice, ...] = ()
    for mode in modes[:-1]:
        try:
            plan = _PLANS[mode](call, output, format_name, quirks)
        except LlmError as fault:
            notices = (*notices, Notice("output_type", f"not asked for in the mode {mode!r}", fault.message))
        else:
            return evolve(plan, notices=(*notices, *plan.notices))
    plan = _PLANS[modes[-1]](call, output, format_name, quirks)
    return evolve(plan, notices=(*notices, *plan.notices))


@lru_cache(maxsize=128)
def check_schema(text: bytes) -> None:
    """Raise LlmError where a JSON Schema, given as JSON, is none."""
    from jsonschema.exceptions import SchemaError  # it is slow to load
    from jsonschema.validators import Draft202012Validator, validator_for

    schema = jsontext.decode(text)
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError as fault:
        words = f"output_type is no JSON Schema: {fault.json_path}: {fault.message}"
        raise LlmError(words, "invalid_request", code="bad_schema") from None


@lru_cache(maxsize=256)
def _adapted(text: bytes, rules: str) -> Any:
    """Return a schema, given as JSON, as an API takes it; it is adapted once."""
    try:
        return dialects.adapt(jsontext.decode(text), getattr(dialects, rules))
    except ValueError as fault:
        raise LlmError(str(fault), "unsupported", code="bad_schema") from None


def _adapt(output: OutputSchema, rules: str) -> Any:
    return _adapted(jsontext.encode(output.schema), rules)


def _notices(adapted: Any) -> tuple[Notice, ...]:
    return tuple(evolve(notice, path=f"output_type{notice.path}") for notice in adapted.notices)


def _native(call: Call, output: OutputSchema, format_name: str, quirks: Quirks) -> Plan:
    strict = output.strict if quirks.output_strict else None
    loose = format_name in SWITCHED and not strict
    adapted = _adapt(output, _LOOSE if loose else _RULES[format_name])
    wire = evolve(output, schema=adapted.schema, strict=strict if format_name in SWITCHED else output.strict)
    sent = evolve(call, request=evolve(call.request, output_type=wire))
    return Plan(sent, output, "native", _notices(adapted), adapted.restore)


def _by_tool(call: Call, output: OutputSchema, format_name: str, quirks: Quirks) -> Plan:
    strict = bool(output.strict) and holds_tools(format_name, quirks)
    if strict:
        try:
            return _with_tool(call, output, _RULES[format_name], strict=True)
        except LlmError:  # what a strict tool cannot say, another can
            pass
    rules = _RULES[format_name] if format_name in _SUBSET_TOOLS else _LOOSE
    return _with_tool(call, output, rules, strict=None)


def _with_tool(call: Call, output: OutputSchema, rules: str, *, strict: bool | None) -> Plan:
    adapted = _adapt(output, rules)
    request = call.request
    name = _free_name(output.name, [tool.name for tool in request.tools])
    words = f"{output.description}\n\n{_TOOL_DESCRIPTION}" if output.description else _TOOL_DESCRIPTION
    tool = BaseTool(name, words, adapted.schema, strict=strict)
    alone = not request.tools or request.tool_choice == "none"
    choice = name if alone else request.chosen_tool or "required"
    sent = evolve(request, tools=[*request.tools, tool], tool_choice=choice, output_type=None)
    return Plan(evolve(call, request=sent), output, "tool", _notices(adapted), adapted.restore, name)


def _free_name(wish: str | None, taken: Iterable[str | None]) -> str:
    stem = _UNSAFE.sub("_", wish)[:50] if wish else TOOL_NAME
    stem = stem if stem[0].isalpha() else f"answer_{stem}"  # Gemini's names begin with a letter
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    return name


def _prompted(call: Call, output: OutputSchema, format_name: str, quirks: Quirks) -> Plan:
    request, settings = call.request, call.settings
    schema, restore = output.schema, _as_it_is
    if asks_for_json(format_name, quirks, tools=bool(request.tools)):
        adapted = _adapt(output, _LOOSE)  # the root must be an object
        schema, restore = adapted.schema, adapted.restore
        settings = settings.with_({"extra_body": _merged(_JSON_MODE[format_name], settings.extra_body or {})})
    words = _INSTRUCTION.format(schema=jsontext.encode_text(schema))
    said = f"{output.description}\n\n{words}" if output.description else words
    sent: LlmRequest = evolve(request, instructions=[*request.instructions, said], output_type=None)
    return Plan(evolve(call, request=sent, settings=settings), output, "prompted", restore=restore)


def _merged(ours: dict[str, Any], theirs: Any) -> dict[str, Any]:
    """Return both objects together; theirs wins, and objects in both are merged."""
    both = {**ours, **theirs}
    for name in ours.keys() & theirs.keys():
        if isinstance(ours[name], dict) and isinstance(theirs[name], dict):
            both[name] = _merged(ours[name], theirs[name])
    return both


_PLANS: dict[OutputMode, Callable[[Call, OutputSchema, str, Quirks], Plan]] = {
    "native": _native,
    "tool": _by_tool,
    "prompted": _prompted,
}
