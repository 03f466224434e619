"""Requests of Ollama's chat API: a call to a wire request, and back.

Reference: https://docs.ollama.com/api/chat
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from triptych.errors import LlmError, Notice
from triptych.formats import Built, Call
from triptych.formats.efforts import is_known
from triptych.formats.function_tools import build_function, read_function
from triptych.formats.ollama_chat.messages import MessageBuilder
from triptych.formats.turns import unanswered
from triptych.formats.verbatim import unsaid, wire_tools
from triptych.parts import Issuer
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool

if TYPE_CHECKING:
    from triptych_wire.ollama_chat import Request

# Settings by the option of the same meaning.
_OPTIONS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "num_predict",
    "stop": "stop",
    "seed": "seed",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}
# Settings that are a field of the same name and meaning.
_SAME = ("logprobs", "top_logprobs")
_UNKNOWN = ("parallel_tool_calls", "user", "metadata", "service_tier")
# The levels of this API, and the nearest of them for the efforts of others.
_LEVELS = ("low", "medium", "high", "max")
_NEAREST = {"minimal": "low", "xhigh": "high"}
_NO_CHOICE = "this API has no choice of tools"


def build_request(call: Call, issuer: Issuer) -> Built:
    """Return the wire request that says `call`; see `Format.build_request`."""
    built = _build(call, issuer)
    if not built.body["messages"]:
        raise LlmError("the request has no contents: give at least one message", "invalid_request")
    return built


def _build(call: Call, issuer: Issuer) -> Built:
    request, settings = call.request, call.settings
    builder = MessageBuilder(issuer)
    messages = builder.build(request.instructions, request.contents)
    notices = builder.notices
    body: Any = {}
    if call.model is not None:
        body["model"] = call.model
    body["messages"] = messages
    _add_tools(body, request, issuer, notices)
    if request.output_type is not None:
        body["format"] = dict(request.output_type.schema)
    _add_settings(body, settings, notices)
    body["stream"] = call.stream  # the API streams unless it is told not to
    _note_unpaired(request, notices)
    _add_verbatim(body, settings.extra_body or {})
    built: Request = body
    return Built(built, tuple(notices))


def _note_unpaired(request: LlmRequest, notices: list[Notice]) -> None:
    calls, results = unanswered(request.contents)
    why = "results find their calls by name and order, so that another's may be taken for its own"
    notices += [Notice("contents", f"tool call {tool_call_id!r} has no result", why) for tool_call_id in calls]
    notices += [Notice("contents", f"tool result {tool_call_id!r} has no call", why) for tool_call_id in results]


def _add_verbatim(body: Any, extra: Mapping[str, Any]) -> None:
    """Put the caller's own fields into the body; they win, and their options stand beside those of the settings."""
    options = body.get("options")
    body.update(extra)
    if options and isinstance(extra.get("options"), dict):
        body["options"] = {**options, **extra["options"]}


def _add_tools(body: Any, request: LlmRequest, issuer: Issuer, notices: list[Notice]) -> None:
    tools = wire_tools(request.tools, build_function, issuer, notices)
    if not tools:
        return
    for index, tool in enumerate(request.tools):
        if isinstance(tool, BaseTool) and tool.strict:
            notices.append(Notice(f"tools[{index}].strict", "left out", "this API holds no model to a schema of tools"))
    if request.tool_choice == "none":
        notices.append(Notice("tool_choice", "'none' became a request without tools", _NO_CHOICE))
        return
    body["tools"] = tools
    if request.tool_choice not in (None, "auto"):
        choice = request.chosen_tool or request.tool_choice
        notices.append(Notice("tool_choice", f"{choice!r} left out", _NO_CHOICE))


def _add_settings(body: Any, settings: Settings, notices: list[Notice]) -> None:
    options = {wire: getattr(settings, name) for name, wire in _OPTIONS.items()}
    options = {name: value for name, value in options.items() if value is not None and value != []}
    if options:
        body["options"] = options
    for name in _SAME:
        if getattr(settings, name) is not None:
            body[name] = getattr(settings, name)
    _add_thinking(body, settings.reasoning, notices)
    for name in _UNKNOWN:
        if getattr(settings, name) not in (None, {}):
            notices.append(Notice(f"settings.{name}", "left out", "this API has no such setting"))


def _add_thinking(body: Any, value: str | int | None, notices: list[Notice]) -> None:
    nearest = _NEAREST.get(value, value) if isinstance(value, str) else value
    if nearest is None or (isinstance(nearest, str) and not is_known(nearest, ("none", *_LEVELS), notices)):
        return
    said: bool | str = nearest != "none" if isinstance(nearest, int) or nearest == "none" else nearest
    body["think"] = said
    if said != value and value != "none":
        why = "this API takes a switch or a level, and no number of tokens"
        notices.append(Notice("settings.reasoning", f"{value!r} became {said!r}", why))


def read_request(body: Mapping[str, Any], issuer: Issuer) -> Call:
    """Return the call that a wire request says; see `Format.read_request`.

    Fields and options that have no setting, or a value that the setting does not take, travel in
    `Settings.extra_body`.
    """
    from triptych.formats.ollama_chat.reading import MessageReader  # only for those who read requests

    reader = MessageReader(issuer)
    reader.read(body["messages"])
    wires = body.get("tools")
    tools = [read_function(tool, issuer) for tool in wires] if isinstance(wires, list) else []
    form = body.get("format")
    output = OutputSchema(form) if isinstance(form, dict) else None
    request = LlmRequest(reader.instructions, reader.contents, tools, output_type=output)
    settings = _read_settings(body)
    stream = body.get("stream") is not False
    said = _build(Call(request, body.get("model"), settings, stream), issuer).body
    extra = unsaid({key: value for key, value in body.items() if not _is_read(key, value)}, said) or {}
    if isinstance(extra.get("options"), dict):
        extra["options"] = unsaid(extra["options"], said.get("options", {})) or {}
    if extra:
        settings = settings.with_({"extra_body": extra})
    return Call(request, body.get("model"), settings, stream)


def _is_read(key: str, value: object) -> bool:
    """Return whether a field of the body is in the call already: what is empty says what its absence says."""
    return key in ("messages", "stream") or (key == "tools" and isinstance(value, list))


def _read_settings(body: Mapping[str, Any]) -> Settings:
    given = body.get("options")
    options = given if isinstance(given, dict) else {}
    said = {name: options.get(wire) for name, wire in _OPTIONS.items()}
    said |= {name: body.get(name) for name in _SAME}
    think = body.get("think")
    said["reasoning"] = "none" if think is False else think if think in _LEVELS else None
    if not isinstance(said["stop"], list):
        said["stop"] = None  # one text alone goes back as it is
    return Settings(**{name: value for name, value in said.items() if Settings.takes(name, value)})
