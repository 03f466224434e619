"""Requests of Cohere's API: a call to a wire request, and back.

Reference: https://docs.cohere.com/reference/chat
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import evolve

from triptych.content import ContentItem, Message
from triptych.errors import LlmError, Notice
from triptych.formats import Built, Call
from triptych.formats.cohere_chat.messages import CohereMessageBuilder
from triptych.formats.cohere_chat.parts import read_document
from triptych.formats.function_tools import build_function, read_function
from triptych.formats.unanswered import note_unanswered
from triptych.formats.verbatim import unsaid, wire_tools
from triptych.parts import Issuer
from triptych.provider import Quirks
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool

if TYPE_CHECKING:
    from triptych_wire.cohere_chat import Request

# Settings by the field of the same meaning.
_FIELDS = {
    "temperature": "temperature",
    "top_p": "p",
    "top_k": "k",
    "max_tokens": "max_tokens",
    "stop": "stop_sequences",
    "seed": "seed",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "logprobs": "logprobs",
}
_UNKNOWN = ("top_logprobs", "parallel_tool_calls", "user", "metadata", "service_tier")
_CHOICES = {"required": "REQUIRED", "none": "NONE"}  # "auto" is said by silence
_CHOICES_BACK = {wire: choice for choice, wire in _CHOICES.items()}
# Lists that say what their absence says when they are empty.
_LISTS = frozenset({"tools", "documents", "stop_sequences"})


def dialect(quirks: Quirks) -> Quirks:
    """Return how this API, and one host of it, departs from the frame of messages that it shares with OpenAI's."""
    return evolve(quirks, instruction_role="system", message_name=False)


def build_request(call: Call, issuer: Issuer, quirks: Quirks) -> Built:
    """Return the wire request that says `call`; see `Format.build_request`."""
    built = _build(call, issuer, quirks)
    if not built.body["messages"]:
        raise LlmError("the request has no contents: give at least one message", "invalid_request")
    return built


def _build(call: Call, issuer: Issuer, quirks: Quirks) -> Built:
    request = call.request
    builder = CohereMessageBuilder(issuer, dialect(quirks))
    messages = builder.build(request.instructions, request.contents)
    notices = builder.notices
    body: Any = {}
    if call.model is not None:
        body["model"] = call.model
    body["messages"] = messages
    if builder.documents:
        body["documents"] = builder.documents
    _add_tools(body, request, issuer, notices)
    if request.output_type is not None:
        body["response_format"] = {"type": "json_object", "json_schema": dict(request.output_type.schema)}
    _add_settings(body, call.settings, quirks, notices)
    if call.stream:
        body["stream"] = True
    note_unanswered(call, notices)
    body.update(call.settings.extra_body or {})
    built: Request = body
    return Built(built, tuple(notices))


def _add_tools(body: Any, request: LlmRequest, issuer: Issuer, notices: list[Notice]) -> None:
    """Add the tools and the choice of them; one that must be called is offered alone: the API cannot name it."""
    chosen = request.chosen_tool
    offered = [tool for tool in request.tools if chosen in (None, tool.name)]
    tools = wire_tools(offered, build_function, issuer, notices)
    if not tools:
        return
    body["tools"] = tools
    _add_strictness(body, offered, notices)
    if chosen is not None:
        body["tool_choice"] = "REQUIRED"
        if len(request.tools) > 1:
            why = "this API can ask for a call, but not of which tool"
            notices.append(Notice("tool_choice", f"{chosen!r} became 'REQUIRED' with that tool alone", why))
    elif request.tool_choice in _CHOICES:
        body["tool_choice"] = _CHOICES[str(request.tool_choice)]


def _add_strictness(body: Any, tools: list[BaseTool | ProviderTool], notices: list[Notice]) -> None:
    """Say whether calls are held to the schemas: for all tools or for none."""
    wishes = {tool.strict for tool in tools if isinstance(tool, BaseTool)}
    if wishes == {True} or wishes == {False}:
        body["strict_tools"] = True in wishes
    elif True in wishes:
        notices.append(Notice("tools", "strict left out", "this API holds all tools to their schemas or none"))


def _add_settings(body: Any, settings: Settings, quirks: Quirks, notices: list[Notice]) -> None:
    for name, wire in _FIELDS.items():
        value = getattr(settings, name)
        if value is None or value == []:
            continue
        if name in quirks.unsupported_settings:
            notices.append(Notice(f"settings.{name}", "left out", "this model or host refuses it"))
        else:
            body[wire] = value
    _add_thinking(body, settings.reasoning, notices)
    for name in _UNKNOWN:
        if getattr(settings, name) not in (None, {}):
            notices.append(Notice(f"settings.{name}", "left out", "this API has no such setting"))


def _add_thinking(body: Any, value: str | int | None, notices: list[Notice]) -> None:
    if isinstance(value, int):
        body["thinking"] = {"type": "enabled", "token_budget": value}
    elif value is not None:
        body["thinking"] = {"type": "disabled" if value == "none" else "enabled"}
        if value != "none":
            why = "this API takes a switch or a number of tokens, and no level"
            notices.append(Notice("settings.reasoning", f"{value!r} became 'enabled'", why))


def read_request(body: Mapping[str, Any], issuer: Issuer, quirks: Quirks) -> Call:
    """Return the call that a wire request says; see `Format.read_request`.

    The documents beside the messages become the first message, a user's. Fields that have no setting, or a value that
    the setting does not take, travel in `Settings.extra_body`.
    """
    from triptych.formats.cohere_chat.reading import CohereMessageReader  # only for those who read requests

    reader = CohereMessageReader(issuer, dialect(quirks))
    reader.read(body["messages"])
    request = LlmRequest(
        instructions=reader.instructions,
        contents=[*_read_documents(body.get("documents"), issuer), *reader.contents],
        tools=_read_tools(body, issuer),
        tool_choice=_read_choice(body.get("tool_choice")),
        output_type=_read_output(body.get("response_format")),
    )
    settings = _read_settings(body)
    call = Call(request, body.get("model"), settings, body.get("stream") is True)
    said = _build(call, issuer, quirks).body
    extra = unsaid({key: value for key, value in body.items() if not _is_read(key, value)}, said)
    return evolve(call, settings=settings.with_({"extra_body": extra})) if extra else call


def _is_read(key: str, value: object) -> bool:
    """Return whether a field of the body is in the call already: what is empty says what its absence says."""
    if key == "messages" or (key in _LISTS and value == []) or (key == "stream" and value is False):
        return True
    return key == "tools" and isinstance(value, list)


def _read_documents(wires: Any, issuer: Issuer) -> list[ContentItem]:
    if not isinstance(wires, list) or not wires:
        return []
    return [Message("user", [read_document(wire, issuer) for wire in wires])]


def _read_tools(body: Mapping[str, Any], issuer: Issuer) -> list[BaseTool | ProviderTool]:
    wires, strict = body.get("tools"), body.get("strict_tools")
    tools = [read_function(tool, issuer) for tool in wires] if isinstance(wires, list) else []
    if not isinstance(strict, bool):
        return tools
    return [evolve(tool, strict=strict) if isinstance(tool, BaseTool) else tool for tool in tools]


def _read_choice(wire: Any) -> str | None:
    return _CHOICES_BACK.get(wire) if isinstance(wire, str) else None


def _read_output(wire: Any) -> OutputSchema | None:
    schema = wire.get("json_schema") if isinstance(wire, dict) else None
    return OutputSchema(schema) if isinstance(schema, dict) else None


def _read_settings(body: Mapping[str, Any]) -> Settings:
    said = {name: body.get(wire) for name, wire in _FIELDS.items()}
    said["reasoning"] = _read_thinking(body.get("thinking"))
    return Settings(**{name: value for name, value in said.items() if Settings.takes(name, value)})


def _read_thinking(wire: Any) -> Any:
    if wire == {"type": "disabled"}:
        return "none"
    budget = wire.get("token_budget") if isinstance(wire, dict) else None
    return budget if isinstance(budget, int) and wire.get("type") == "enabled" else None
