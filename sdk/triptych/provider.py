"""One host of models: its address, the key that it takes, and how its dialect departs from its wire format."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from attrs import Factory, evolve, field, frozen

from triptych.secret import names_a_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TokenField = Literal["max_tokens", "max_completion_tokens"]
InstructionRole = Literal["system", "developer"]
ReasoningReplay = Literal["never", "sent", "always"]
ReasoningSetting = Literal["reasoning_effort", "reasoning", "thinking", "thinking_effort", "enable_thinking", "none"]
StreamFraming = Literal["sse", "aws_event_stream"]
OutputMode = Literal["native", "tool", "prompted"]
Cloud = Literal["aws", "google"]


# One or more environment variables, of which the first that is set counts.
_PLACEHOLDER = re.compile(r"\{([A-Z][A-Z0-9_]*(?:\|[A-Z][A-Z0-9_]*)*)\}")
_MODEL = "{model}"
_VERSION = re.compile(r"v\d+\w*")


class ProviderError(ValueError):
    """A provider or model that nobody knows, or data about a provider that has a wrong form; the message says where."""


@frozen
class Quirks:
    """How one host's dialect departs from the reference of the wire format that it speaks.

    Args:
        max_tokens_field: The request field that bears `Settings.max_tokens`.
        seed_field: The request field that bears `Settings.seed`.
        instruction_role: The role under which instructions go.
        reasoning_fields: The fields of an assistant message that hold reasoning, on the way in and on the way back.
        reasoning_replay: Whether reasoning goes back in the history: "never"; "sent", as it was received; or "always":
            once one assistant message has it, every one does, empty if need be.
        reasoning_setting: How `Settings.reasoning` is said. "reasoning_effort": that field, an effort's name.
            "reasoning": an object with `effort` or `max_tokens`. "thinking": an object whose `type` is "enabled" or
            "disabled", perhaps with `budget_tokens`. "thinking_effort": such a switch, with the effort's name in
            `reasoning_effort` beside it. "enable_thinking": that flag, with a number of tokens in `thinking_budget`.
            "none": it cannot be said.
        reasoning_efforts: The names of efforts that the host knows; empty where it is left to judge them itself.
        strict_fields: The host refuses fields that it does not know, so provider_data and message names stay here.
        message_name: A message may have a `name`.
        video: A user's message may hold a film, as a part of the type `video_url`.
        tool_content_parts: A tool message may have a list of parts, images among them; otherwise it is text.
        stream_options: The host takes `stream_options`.
        parallel_tool_calls: The host takes `parallel_tool_calls`.
        required_tool_choice: How to say that some tool must be called.
        unsupported_settings: Names of `Settings` that the host refuses.
        model_field: The body names the model; otherwise the URL alone does.
        stream_field: The body says whether to stream; otherwise the URL alone does.
        fields: Fields of every body.
        framing: What frames the events of a stream, where a format may come in more than one.
        output_modes: How a model can be brought to an output of a type, the best way first; see `OutputSchema`.
        output_strict: Whether the model can be held to a schema, and not only shown one.
        output_beside_tools: Whether a request may have tools and a schema for the answer's text, or JSON asked for.
        json_mode: Whether JSON can be asked for without a schema, where the format has a way to say so.
    """

    max_tokens_field: TokenField = "max_tokens"
    seed_field: str = "seed"
    instruction_role: InstructionRole = "system"
    reasoning_fields: tuple[str, ...] = ("reasoning_content", "reasoning", "reasoning_details")
    reasoning_replay: ReasoningReplay = "sent"
    reasoning_setting: ReasoningSetting = "reasoning_effort"
    reasoning_efforts: tuple[str, ...] = ()
    strict_fields: bool = False
    message_name: bool = True
    video: bool = True
    tool_content_parts: bool = False
    stream_options: bool = True
    parallel_tool_calls: bool = True
    required_tool_choice: str = "required"
    unsupported_settings: tuple[str, ...] = ()
    model_field: bool = True
    stream_field: bool = True
    fields: Mapping[str, Any] = field(factory=dict)
    framing: StreamFraming = "sse"
    output_modes: tuple[OutputMode, ...] = ("native", "tool", "prompted")
    output_strict: bool = True
    output_beside_tools: bool = True
    json_mode: bool = True


@frozen(kw_only=True)
class Provider:
    """One host of models.

    Args:
        name: What stands before the slash in "provider/model".
        format: The wire format that it speaks.
        base_url: Its address; a part in braces is the environment variable that holds it, or several of which the first
            that is set counts: "{AWS_REGION|AWS_DEFAULT_REGION}".
        path: What follows the base URL; `{model}` in it is the model's name.
        stream_path: The same for calls that stream, perhaps with a query, where it is another.
        key_variables: Environment variables that may hold the key, the documented one first; empty: it takes none.
        key_optional: A call without a key is in order.
        cloud: Whose credentials let a call in that has no key: "aws" or "google".
        bearer_tokens: An `api_key` that is called gives tokens, which go as `Authorization: Bearer`, and not keys.
        auth_header: The header that bears the key.
        auth_scheme: The word before the key in that header; empty for none.
        idempotency_header: The header in which it takes a key that is the same at each try of a call, so that none of
            them is done twice; empty where it takes none.
        headers: Further headers of every call.
        query: Query parameters of every call, with parts in braces as in the address.
        models: Patterns of the bare model names that mean this provider.
        models_provider: By pattern of model names: the provider that serves those models in place of this one.
        quirks: How its dialect departs from the wire format.
        models_quirks: By pattern of model names, several joined by "|": the quirks that differ; the later wins.
    """

    name: str
    format: str = "openai_chat"
    base_url: str
    path: str = "chat/completions"
    stream_path: str | None = None
    key_variables: tuple[str, ...] = ()
    key_optional: bool = Factory(lambda self: not self.key_variables, takes_self=True)
    auth_header: str = "Authorization"
    auth_scheme: str = "Bearer"
    cloud: Cloud | None = None
    bearer_tokens: bool = False
    idempotency_header: str = ""
    headers: Mapping[str, str] = field(factory=dict, repr=False)  # a user's own may hold a secret
    query: Mapping[str, str] = field(factory=dict, repr=False)
    models: tuple[str, ...] = ()
    models_provider: Mapping[str, str] = field(factory=dict)
    quirks: Quirks = Quirks()
    models_quirks: Mapping[str, Mapping[str, Any]] = field(factory=dict)

    def quirks_for(self, model: str) -> Quirks:
        """Return the quirks of this host for one model, given by the host's own name for it."""
        changes: dict[str, Any] = {}
        for pattern, differences in self.models_quirks.items():
            if fits(model, pattern.split("|")):
                changes.update(differences)
        return evolve(self.quirks, **changes) if changes else self.quirks

    def endpoint(
        self,
        base_url: str | None = None,
        environ: Mapping[str, str] = os.environ,
        *,
        model: str = "",
        stream: bool = False,
    ) -> str:
        """Return the whole URL of a call.

        Args:
            base_url: An address in place of the provider's own; its path and query are kept, and it may already end in
                the provider's path.
            environ: Where the variables in the provider's own address are looked up.
            model: The model's name, where the URL has it; what a path cannot hold of it is escaped.
            stream: Whether the answer shall come in pieces.

        Raises:
            ProviderError: a variable is not set, the address is no http or https URL, or it has a key in it: whatever
                passes a URL on writes it down, too.
        """
        parts = _split(self._address(environ) if base_url is None else base_url, self.name)
        for name, _ in parse_qsl(parts.query):
            if names_a_secret(name):
                words = f"the parameter {name!r} of the base URL looks like a secret, and URLs are written into logs"
                raise ProviderError(f"{self.name}: {words}: give it as api_key, or in headers")
        path, _, further = (self.stream_path if stream and self.stream_path else self.path).partition("?")
        own = {name: self._filled(value, environ) for name, value in self.query.items() if not _has(parts.query, name)}
        query = _with_query(parts.query, {**dict(parse_qsl(further)), **own})
        return urlunsplit((parts.scheme, parts.netloc, _with_path(parts.path, _naming(path, model)), query, ""))

    def _address(self, environ: Mapping[str, str]) -> str:
        lead = _PLACEHOLDER.match(self.base_url)
        if lead is None:
            return self._filled(self.base_url, environ)
        # The variable holds a host: with or without a scheme, and often with what the template adds already.
        host, rest = self._filled(lead[0], environ), self._filled(self.base_url[lead.end() :], environ)
        host = host if "://" in host else f"https://{host}"
        return host if host.endswith(rest) else host + rest

    def _filled(self, template: str, environ: Mapping[str, str]) -> str:
        def value(match: re.Match[str]) -> str:
            texts = (environ.get(variable, "").strip().rstrip("/") for variable in match[1].split("|"))
            text = next(filter(None, texts), "")
            if not text:
                names = match[1].replace("|", " or ")
                raise ProviderError(
                    f"{self.name}: the environment variable {names} is not set, and the address "
                    f"{self.base_url!r} needs it; set it, or give base_url="
                )
            return text

        return _PLACEHOLDER.sub(value, template)


def _split(address: str, name: str) -> SplitResult:
    """Return the parts of an http or https address, or raise ProviderError without showing what may be secret in it."""
    given = f"a {type(address).__name__}"
    if isinstance(address, str):
        try:
            parts = urlsplit(address.strip())
            if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
                return parts
        except ValueError:  # brackets or a port that cannot be
            pass
        given = repr(address.strip().partition("?")[0].rpartition("@")[2])
    raise ProviderError(f"{name}: expected a base URL such as 'https://host/v1', got {given}")


def _with_path(prefix: str, path: str) -> str:
    """Return `prefix` and `path` with one slash between them, and without repeating what both have."""
    prefix = prefix.rstrip("/")
    if prefix.endswith(f"/{path}"):
        return prefix
    segments = path.split("/")
    for count in range(len(segments) - 1, 0, -1):
        # One segment alone may be the same by chance, unless it is a version.
        if (count > 1 or _VERSION.fullmatch(segments[0])) and prefix.endswith("/" + "/".join(segments[:count])):
            return f"{prefix}/{'/'.join(segments[count:])}"
    return f"{prefix}/{path}"


def _naming(path: str, model: str) -> str:
    """Return a path with the model's name in its place; a name that begins with the collection's is not doubled."""
    before, found, after = path.partition(_MODEL)
    if not found:
        return path
    collection = before.rpartition("/")[0].rpartition("/")[2]
    return f"{before}{quote(model.removeprefix(f'{collection}/'), safe='@')}{after}"


def _has(query: str, name: str) -> bool:
    return any(name == present for present, _ in parse_qsl(query, keep_blank_values=True))


def _with_query(query: str, further: Mapping[str, str]) -> str:
    added = urlencode({name: value for name, value in further.items() if not _has(query, name)})
    return "&".join(part for part in (query, added) if part)


def fits(model: str, patterns: Iterable[str]) -> bool:
    """Return whether the name of a model fits one of the patterns."""
    # Comparing the fixed beginning first spares compiling nearly every pattern.
    return any(model.startswith(stem(pattern)) and fnmatchcase(model, pattern) for pattern in patterns)


def stem(pattern: str) -> str:
    """Return the beginning that every name which fits `pattern` has."""
    return re.split(r"[*?\[]", pattern, maxsplit=1)[0]
