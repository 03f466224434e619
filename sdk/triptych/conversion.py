"""Requests as others wrote them: read from any provider's form, and turned into any other's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve

from triptych import formats
from triptych.checks import did_you_mean, shown
from triptych.content import Message, Reasoning, ToolResult
from triptych.errors import LlmError, Notice
from triptych.formats import Built, Call, Format
from triptych.formats.wrong_form import WRONG_FORM
from triptych.parts import Issuer, Provided
from triptych.providers import known, resolve
from triptych.request import LlmRequest


def read_request(body: Mapping[str, Any], *, source: str, model: str | None = None) -> Call:
    """Return the call that a provider's request body says: its `request`, `model`, `settings` and `stream`.

    Args:
        body: The body, decoded; it is not changed.
        source: The wire format that it is in, such as "openai_chat", or the provider that it was written for.
        model: The model, where the URL names it and not the body.

    Raises:
        ValueError: an unknown wire format or provider; the message has the nearest one.
        LlmError: the body has not the form of `source`; the message says where.
    """
    return _read(_format(source, model), body, model)


def convert(
    body: Mapping[str, Any], *, source: str, target: str, model: str | None = None, strict: bool = False
) -> Built:
    """Return a provider's request body in the form of another, with notices of what that one cannot say.

    What only the source understands stays behind: its own fields, signatures, encrypted reasoning and blocks. Between
    two providers of one wire format its fields are kept.

    Args:
        body: The body, decoded; it is not changed.
        source: The wire format that it is in, such as "openai_chat", or the provider that it was written for.
        target: The wire format to turn it into, or the provider.
        model: The target's model; by default the source's name for it is kept.
        strict: Whether what the target cannot say is an error.

    Raises:
        ValueError: an unknown wire format or provider; the message has the nearest one.
        LlmError: the body has not the form of `source`, or cannot be said at all by `target`; with `strict`, not whole.
    """
    reader, builder = _format(source, model), _format(target, model)
    call = _read(reader, body, None)
    notices: list[Notice] = []
    if reader.name != builder.name:
        call = _without_own_fields(call, reader.name, notices)
        if model is None and call.model is not None:
            notices.append(Notice("model", f"{call.model!r} kept", "it is the source's name: give model="))
    built = _built(builder, call if model is None else evolve(call, model=model), reader.name, body)
    told = {notice.path for notice in built.notices}
    notices += (notice for notice in _staying(call.request, builder.issuer) if notice.path not in told)
    notices += built.notices
    if strict and notices:
        raise LlmError(f"{target} cannot express this request: {'; '.join(map(str, notices))}", "unsupported")
    return evolve(built, notices=tuple(notices))


def _format(name: str, model: str | None) -> Format:
    if name in formats.names():
        return formats.load(name)
    if name not in known():
        choices = [*formats.names(), *known()]
        raise ValueError(
            f"unknown wire format or provider {shown(name)}{did_you_mean(str(name), choices)}; "
            f"wire formats: {', '.join(formats.names())}; providers: {', '.join(known())}"
        )
    host, model = resolve(model or "any", name)
    return formats.load(host.format, host.name, host.quirks_for(model))


def _read(reader: Format, body: Mapping[str, Any], model: str | None) -> Call:
    try:
        call = reader.read_request(body)
    except WRONG_FORM as fault:
        from triptych.formats.malformed import malformed  # only when something failed

        error = malformed(reader.name, "Request", body, fault)
        if error.kind == "malformed_response":
            error = error.evolve(kind="invalid_request", message=error.message.replace("the answer", "the body", 1))
        raise error from None
    return call if model is None else evolve(call, model=model)


def _built(builder: Format, call: Call, source: str, body: Mapping[str, Any]) -> Built:
    try:
        return builder.build_request(call)
    except LlmError as error:
        from triptych.formats.malformed import misfit  # only when something failed

        reason = misfit(source, "Request", body)
        if reason is None:
            raise
        raise error.evolve(message=f"{error.message}; the body does not have the form of {source}: {reason}") from None


def _without_own_fields(call: Call, source: str, notices: list[Notice]) -> Call:
    """Return the call without what has no neutral meaning: its source's own fields, and its name of a service tier."""
    for name in call.settings.extra_body or {}:
        notices.append(Notice(name, "left out", f"it is a field of {source}"))
    tier = call.settings.service_tier
    if tier is not None:
        notices.append(Notice("settings.service_tier", f"{tier!r} left out", f"it is a tier of {source}"))
    return evolve(call, settings=evolve(call.settings, extra_body=None, service_tier=None))


def _staying(request: LlmRequest, target: Issuer) -> Iterator[Notice]:
    """Tell what stays behind of what a provider keeps beside items, parts and tools."""
    for where, thing in _things(request):
        fields = list(map(str, thing.provider_data or ()))
        if isinstance(thing, Reasoning):
            fields += [name for name in ("signature", "encrypted") if getattr(thing, name) is not None]
        if fields and thing.issuer != target:
            yield Notice(where, f"provider data left out: {', '.join(fields)}", "it goes to its issuer alone")


def _things(request: LlmRequest) -> Iterator[tuple[str, Provided]]:
    for index, tool in enumerate(request.tools):
        if isinstance(tool, Provided):
            yield f"tools[{index}]", tool
    for index, item in enumerate(request.contents):
        yield f"contents[{index}]", item
        if isinstance(item, Message | ToolResult) and not isinstance(item.content, str):
            for place, part in enumerate(item.content):
                if isinstance(part, Provided):
                    yield f"contents[{index}].content[{place}]", part
