"""What is sent in the benchmarks: one conversation, as our request and as the body of each wire format."""

import json
import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from attrs import frozen

if TYPE_CHECKING:
    from triptych import LlmRequest

MODELS = {"openai_chat": "gpt-4.1-mini", "anthropic_messages": "claude-sonnet-4-5"}
"""The model asked for in each format: one that takes a temperature."""

SETTINGS: dict[str, dict[str, Any]] = {"openai_chat": {"temperature": 0}, "anthropic_messages": {"max_tokens": 1024}}
"""Settings of each format's call, named alike in ours and on the wire. Anthropic's API demands max_tokens."""


@frozen
class Said:
    """A message: ``role`` is user or assistant."""

    role: Literal["user", "assistant"]
    text: str


@frozen
class Called:
    """A tool call of the assistant together with the result it got."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    result: str


@frozen
class Workload:
    """A conversation to send, in no API's form.

    Args:
        name: What the report calls it.
        system: The system text.
        steps: Messages and tool calls in order; a call follows the assistant's message that makes it.
        tools: Definitions: name, description and the JSON Schema of the parameters.
    """

    name: str
    system: str
    steps: Sequence[Said | Called]
    tools: Sequence[dict[str, Any]] = ()


SHORT = Workload("short call", "You are a helpful assistant.", [Said("user", "What is 2 + 2?")])

_WORDS = """
    the order was shipped on Friday from Zürich and arrives at the customer's address in two days; please check
    whether invoice 4711 matches the quantity in stock, then tell me which café ordered it and what remains to be paid
""".split()  # noqa: SIM905 - a list of forty quoted words is not easier to read
_ACTIONS = ("search", "fetch", "create", "update", "cancel")
_THINGS = ("order", "invoice", "customer", "shipment")


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=words)).capitalize() + "."


def _tool(action: str, thing: str) -> dict[str, Any]:
    filters = {
        "type": "object",
        "properties": {
            "field": {"type": "string", "description": f"Name of a column of the {thing} table."},
            "operator": {"type": "string", "enum": ["eq", "ne", "lt", "le", "gt", "ge", "contains"]},
            "value": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}]},
        },
        "required": ["field", "operator", "value"],
        "additionalProperties": False,
    }
    properties = {
        f"{thing}_id": {"type": "string", "description": f"Identifier of the {thing}, such as {thing[:3].upper()}-1."},
        "filters": {"type": "array", "items": filters, "description": "Conditions, all of which must hold."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Most rows to return."},
        "order_by": {"type": "string", "enum": ["created", "changed", "amount"], "description": "Column to sort by."},
        "dry_run": {"type": "boolean", "description": "Only tell what would be done."},
    }
    return {
        "name": f"{action}_{thing}",
        "description": f"{action.capitalize()} one {thing}, or all that meet the conditions. Returns a JSON list.",
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": [f"{thing}_id", "filters"],
            "additionalProperties": False,
        },
    }


def _call(chance: random.Random, number: int, tool: dict[str, Any]) -> Called:
    thing = tool["name"].partition("_")[2]
    condition = {"field": "amount", "operator": "ge", "value": chance.randint(1, 999)}
    rows = [
        {"id": f"{thing}-{chance.randint(1, 9999)}", "amount": chance.randint(1, 9999) / 100, "note": _text(chance, 12)}
        for _ in range(4)
    ]
    arguments = {f"{thing}_id": f"{thing[:3].upper()}-{number}", "filters": [condition], "limit": 10, "dry_run": False}
    return Called(f"call_{number:024d}", tool["name"], arguments, json.dumps(rows, ensure_ascii=False))


def long_history() -> Workload:
    """Return a history of 200 messages with 50 tool calls and their results, 20 tools, and one more question."""
    chance = random.Random(200)
    tools = [_tool(action, thing) for action in _ACTIONS for thing in _THINGS]
    steps: list[Said | Called] = []
    for number in range(50):
        steps += [Said("user", _text(chance, 30)), Said("assistant", _text(chance, 10))]
        steps += [_call(chance, number, tools[number % len(tools)]), Said("assistant", _text(chance, 60))]
        if number % 2:
            steps += [Said("user", _text(chance, 15)), Said("assistant", _text(chance, 45))]
    steps.append(SHORT.steps[0])
    return Workload("200 messages, 50 calls, 20 tools", _text(chance, 300), steps, tools)


def llm_request(workload: Workload) -> "LlmRequest":
    """Return the workload as a new request of ours, every item of it newly made."""
    from triptych import BaseTool, LlmRequest, Message, ToolCall, ToolResult

    contents: list[Any] = []
    for step in workload.steps:
        if isinstance(step, Said):
            contents.append(Message(role=step.role, content=step.text))
        else:
            arguments = json.loads(json.dumps(step.arguments))
            contents.append(ToolCall(tool_call_id=step.call_id, name=step.name, arguments=arguments))
            contents.append(ToolResult(tool_call_id=step.call_id, name=step.name, content=[step.result]))
    tools = [BaseTool(**tool) for tool in json.loads(json.dumps(workload.tools))]
    return LlmRequest(instructions=[workload.system], contents=contents, tools=tools)


def wire_body(workload: Workload, format_name: str) -> dict[str, Any]:
    """Return the workload as a new body of this wire format, as one would write it by hand."""
    head = {"model": MODELS[format_name], **SETTINGS[format_name]}
    body = {"openai_chat": _openai_chat, "anthropic_messages": _anthropic_messages}[format_name](workload)
    new: dict[str, Any] = json.loads(json.dumps(head | body))
    return new


def _openai_chat(workload: Workload) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": workload.system}]
    for step in workload.steps:
        if isinstance(step, Said):
            messages.append({"role": step.role, "content": step.text})
        else:
            function = {"name": step.name, "arguments": json.dumps(step.arguments)}
            messages[-1]["tool_calls"] = [{"id": step.call_id, "type": "function", "function": function}]
            messages.append({"role": "tool", "tool_call_id": step.call_id, "content": step.result})
    tools = [{"type": "function", "function": tool} for tool in workload.tools]
    return {"messages": messages} | ({"tools": tools} if tools else {})


def _anthropic_messages(workload: Workload) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for step in workload.steps:
        if isinstance(step, Said):
            messages.append({"role": step.role, "content": [{"type": "text", "text": step.text}]})
        else:
            use = {"type": "tool_use", "id": step.call_id, "name": step.name, "input": step.arguments}
            messages[-1]["content"].append(use)
            result = {"type": "tool_result", "tool_use_id": step.call_id, "content": step.result}
            messages.append({"role": "user", "content": [result]})
    tools = [{**tool, "input_schema": tool["parameters"]} for tool in workload.tools]
    for tool in tools:
        del tool["parameters"]
    return {"system": workload.system, "messages": messages} | ({"tools": tools} if tools else {})


def meaning(value: Any, key: str = "") -> Any:
    """Return a wire body with the spellings that mean the same brought to one, to compare bodies by meaning.

    Text may stand bare or in a list of text parts, arguments may be JSON in any spacing, the system text may come from
    a "system" or a "developer", and what is null or a stream that is off may as well be absent.
    """
    if isinstance(value, dict):
        return {name: meaning(field, name) for name, field in _present(value)}
    if key == "arguments":
        return json.loads(value)
    if isinstance(value, list):
        if key in ("content", "system") and all(
            isinstance(part, dict) and part.get("type") == "text" for part in value
        ):
            return "\n".join(part["text"] for part in value)
        return [meaning(item) for item in value]
    return "system" if (key, value) == ("role", "developer") else value


def _present(fields: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in fields.items() if value is not None and (name, value) != ("stream", False))
