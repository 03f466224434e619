"""Requests of OpenAI Chat Completions: a call to a wire request, and back.

Reference: https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych.errors import LlmError, Notice
from triptych.formats import Built, Call
from triptych.formats.efforts import is_known
from triptych.formats.functions import arguments_schema, output_schema, read_output_schema
from triptych.formats.openai_chat.messages import MessageBuilder
from triptych.formats.unanswered import note_unanswered
from triptych.formats.verbatim import keeping, unsaid, wire_tools, with_provider_data
from triptych.parts import Issuer
from triptych.provider import Quirks
from triptych.request import CHOICES, LlmRequest, OutputSchema, ToolChoice
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool

if TYPE_CHECKING:
    from triptych.formats.openai_chat.reading import MessageReader
    from triptych_wire.openai_chat import FunctionDefinition, FunctionTool, JsonSchemaFormat, Request

# Settings that are a field of the same name and meaning.
_SAME = (
    "temperature",
    "top_p",
    "top_k",
    "stop",
    "frequency_penalty",
    "presence_penalty",
    "logprobs",
    "top_logprobs",
    "user",
    "metadata",
    "service_tier",
)
_TOKEN_FIELDS = ("max_tokens", "max_completion_tokens")


def build_request(call: Call, issuer: Issuer, quirks: Quirks, builder: type[MessageBuilder] = MessageBuilder) -> Built:
    """Return the wire request that says `call`; see `Format.build_request`.

    Args:
        call: The call.
        issuer: Whose API it is for.
        quirks: How that API departs from the reference.
        builder: What builds the messages, where a format of the same frame has its own.
    """
    built = _build(call, issuer, quirks, builder)
    if not built.body["messages"]:
        raise LlmError("the request has no contents: give at least one message", "invalid_request")
    return built


def _build(call: Call, issuer: Issuer, quirks: Quirks, builder: type[MessageBuilder]) -> Built:
    request = call.request
    building = builder(issuer, quirks)
    messages = building.build(request.instructions, request.contents)
    notices = building.notices
    body: Any = {}
    if call.model is not None:
        body["model"] = call.model
    body["messages"] = messages
    _add_tools(body, call, issuer, quirks, notices)
    if request.output_type is not None:
        body["response_format"] = _build_output(request.output_type)
    _add_settings(body, call.settings, quirks, notices)
    if call.stream:
        body["stream"] = True
        if quirks.stream_options:
            body["stream_options"] = {"include_usage": True}
    note_unanswered(call, notices)
    if call.settings.extra_body:
        body.update(call.settings.extra_body)
    built: Request = body
    return Built(built, tuple(notices))


def _add_tools(body: Any, call: Call, issuer: Issuer, quirks: Quirks, notices: list[Notice]) -> None:
    request = call.request
    tools = wire_tools(request.tools, build_tool, issuer, notices)
    if not tools:
        return
    body["tools"] = tools
    if request.tool_choice is not None:
        body["tool_choice"] = _build_choice(request, quirks)
    if call.settings.parallel_tool_calls is not None:
        if quirks.parallel_tool_calls:
            body["parallel_tool_calls"] = call.settings.parallel_tool_calls
        else:
            notices.append(Notice("settings.parallel_tool_calls", "left out", "this host refuses it"))


def build_tool(tool: BaseTool, issuer: Issuer) -> FunctionTool:
    """Return the wire form of a tool's definition; one without arguments gets an empty object schema."""
    function: FunctionDefinition = {"name": tool.name, "parameters": arguments_schema(tool)}
    if tool.description is not None:
        function["description"] = tool.description
    if tool.strict is not None:
        function["strict"] = tool.strict
    wire: FunctionTool = {"type": "function", "function": function}
    return with_provider_data(wire, tool, issuer)


def _build_choice(request: LlmRequest, quirks: Quirks) -> Any:
    name = request.chosen_tool
    if name is not None:
        return {"type": "function", "function": {"name": name}}
    return quirks.required_tool_choice if request.tool_choice == "required" else request.tool_choice


def _build_output(output: OutputSchema) -> JsonSchemaFormat:
    schema: Any = output_schema(output)
    return {"type": "json_schema", "json_schema": schema}


def _add_settings(body: Any, settings: Settings, quirks: Quirks, notices: list[Notice]) -> None:
    refused = quirks.unsupported_settings
    said: dict[str, Any] = {name: getattr(settings, name) for name in _SAME}
    said["max_tokens"] = settings.max_tokens
    said["seed"] = settings.seed
    fields = {"max_tokens": quirks.max_tokens_field, "seed": quirks.seed_field}
    for name, value in said.items():
        if value is None or value in ([], {}):
            continue
        if name in refused:
            notices.append(Notice(f"settings.{name}", "left out", "this model or host refuses it"))
        else:
            body[fields.get(name, name)] = value
    _add_reasoning(body, settings.reasoning, quirks, notices)


def _add_reasoning(body: Any, value: str | int | None, quirks: Quirks, notices: list[Notice]) -> None:
    if value is None:
        return
    fields = _REASONING[quirks.reasoning_setting](value)
    if fields is None or "reasoning" in quirks.unsupported_settings:
        why = "this host cannot be told how much to think, or not in this way"
        notices.append(Notice("settings.reasoning", f"{value!r} left out", why))
    elif isinstance(value, int) or not quirks.reasoning_efforts or is_known(value, quirks.reasoning_efforts, notices):
        body.update(fields)


def _by_object(value: str | int) -> dict[str, Any]:
    return {"reasoning": {"effort": value} if isinstance(value, str) else {"max_tokens": value}}


def _by_switch(value: str | int) -> dict[str, Any]:
    if isinstance(value, int):
        return {"thinking": {"type": "enabled", "budget_tokens": value}}
    return {"thinking": {"type": "disabled" if value == "none" else "enabled"}}


def _by_switch_and_effort(value: str | int) -> dict[str, Any]:
    switch = _by_switch(value)
    return switch if isinstance(value, int) or value == "none" else {**switch, "reasoning_effort": value}


def _by_flag(value: str | int) -> dict[str, Any]:
    if isinstance(value, int):
        return {"enable_thinking": True, "thinking_budget": value}
    return {"enable_thinking": value != "none"}


# How a host says `Settings.reasoning`; None where it cannot say this value.
_REASONING: Mapping[str, Any] = {
    "reasoning_effort": lambda value: {"reasoning_effort": value} if isinstance(value, str) else None,
    "reasoning": _by_object,
    "thinking": _by_switch,
    "thinking_effort": _by_switch_and_effort,
    "enable_thinking": _by_flag,
    "none": lambda _: None,
}


def read_request(body: Mapping[str, Any], reader: MessageReader) -> Call:
    """Return the call that a wire request says; see `Format.read_request`.

    Fields that have no setting, or a value that the setting does not take, travel in `Settings.extra_body`.

    Args:
        body: The wire request.
        reader: What reads its messages, and knows whose API it is for and how that departs from the reference.
    """
    issuer, quirks = reader.issuer, reader.quirks
    reader.read(body["messages"])
    wires = body.get("tools")
    tools = [read_tool(tool, issuer) for tool in wires] if isinstance(wires, list) else []
    request = LlmRequest(
        instructions=reader.instructions,
        contents=reader.contents,
        tools=tools,
        tool_choice=_read_choice(body.get("tool_choice"), tools, quirks),
        output_type=_read_output(body.get("response_format")),
    )
    settings = _read_settings(body, quirks)
    stream = body.get("stream") is True
    said = _build(Call(request, body.get("model"), settings, stream), issuer, quirks, reader.builder).body
    extra = unsaid({key: value for key, value in body.items() if not _is_read(key, value, settings)}, said)
    if extra:
        settings = settings.with_({"extra_body": extra})
    return Call(request, body.get("model"), settings, stream)


def _is_read(key: str, value: object, settings: Settings) -> bool:
    """Return whether a field of the body is in the call already, if perhaps in other words.

    A token limit may have the host's other name, one stop sequence may stand alone, and what is empty or false says
    what its absence says.
    """
    if key == "messages" or (key in ("tools", "stop") and value == []) or (key == "stream" and value is False):
        return True
    if key == "tools":
        return isinstance(value, list)
    if key in _TOKEN_FIELDS:
        return value is not None and value == settings.max_tokens
    return key == "stop" and [value] == settings.stop


def read_tool(wire: Any, issuer: Issuer) -> BaseTool | ProviderTool:
    """Return the tool that a wire tool says: a function, else the provider's own."""
    try:
        function = wire["function"]
        tool = BaseTool(
            function["name"], function.get("description"), function.get("parameters"), strict=function.get("strict")
        )
    except (KeyError, TypeError, ValueError):
        return ProviderTool(wire if isinstance(wire, dict) else {"tool": wire}, issuer)
    return keeping(tool, wire, build_tool(tool, issuer), issuer)


def _read_choice(wire: Any, tools: list[BaseTool | ProviderTool], quirks: Quirks) -> ToolChoice:
    if wire == quirks.required_tool_choice:
        return "required"
    if isinstance(wire, str) and wire in CHOICES:
        return wire
    function = wire.get("function") if isinstance(wire, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    return name if any(tool.name == name for tool in tools) else None


def _read_output(wire: Any) -> OutputSchema | None:
    return read_output_schema(wire.get("json_schema")) if isinstance(wire, dict) else None


def _read_settings(body: Mapping[str, Any], quirks: Quirks) -> Settings:
    said = {name: body.get(name) for name in _SAME}
    said["seed"] = body.get(quirks.seed_field)
    said["max_tokens"] = next((body[name] for name in _TOKEN_FIELDS if name in body), None)
    said["parallel_tool_calls"] = body.get("parallel_tool_calls")
    said["reasoning"] = _read_reasoning(body, quirks)
    return Settings(**{name: value for name, value in said.items() if Settings.takes(name, value)})


def _read_reasoning(body: Mapping[str, Any], quirks: Quirks) -> str | int | None:
    """Return the value that the host's reasoning fields say, where `Settings.reasoning` can say it again."""
    known = quirks.reasoning_efforts
    objects = [body.get("reasoning"), body.get("thinking")]
    values = [value for wire in objects if isinstance(wire, dict) for value in wire.values()]
    for value in (body.get("reasoning_effort"), body.get("thinking_budget"), *values, "none"):
        if isinstance(value, bool) or (isinstance(value, str) and known and value not in known):
            continue
        if isinstance(value, str | int):
            fields = _REASONING[quirks.reasoning_setting](value)
            if fields and all(body.get(name) == said for name, said in fields.items()):
                return value
    return None
