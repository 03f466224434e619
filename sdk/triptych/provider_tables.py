"""Provider tables: the form of a provider as a user writes it, in TOML or in a call, read into a `Provider`.

A wrong key or value is named by its path, with what was given, what was expected and the nearest right spelling.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypedDict, get_args

from triptych.checks import did_you_mean, shown
from triptych.provider import (
    Cloud,
    InstructionRole,
    OutputMode,
    Provider,
    ProviderError,
    Quirks,
    ReasoningReplay,
    ReasoningSetting,
    StreamFraming,
    TokenField,
)
from triptych.settings import SETTING_NAMES

# What a base URL lacks to be the address of one call, by wire format.
_PATHS = {
    "openai_chat": "chat/completions",
    "openai_responses": "responses",
    "anthropic_messages": "v1/messages",
    "mistral_chat": "chat/completions",
    "ollama_chat": "api/chat",
    "gemini_generate": "models/{model}:generateContent",
    "cohere_chat": "v2/chat",
    "bedrock_converse": "model/{model}/converse",
}
# The same for calls that stream, where it is another.
_STREAM_PATHS = {
    "gemini_generate": "models/{model}:streamGenerateContent?alt=sse",
    "bedrock_converse": "model/{model}/converse-stream",
}
# What `like` leaves behind: a dialect may be shared, an address and the key for it may not.
_OWN_KEYS = frozenset({"base_url", "key_variables", "key_optional", "models", "models_provider"})
_PATH_KEYS = ("path", "stream_path")


class ProviderData(TypedDict, total=False):
    """What may be said of a provider beside its name and address; see `Provider`, and `Quirks` for the quirks.

    `like` names a known provider of the same dialect: its format, path, headers and quirks hold where nothing else is
    said. Its address, key and models are never taken over.
    """

    like: str
    format: str
    path: str
    stream_path: str
    key_variables: list[str] | tuple[str, ...]
    key_optional: bool
    auth_header: str
    auth_scheme: str
    cloud: Cloud
    bearer_tokens: bool
    idempotency_header: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    models: list[str] | tuple[str, ...]
    models_provider: Mapping[str, str]
    quirks: Mapping[str, Any]
    models_quirks: Mapping[str, Mapping[str, Any]]


class _Form(NamedTuple):
    """What a key of a table may hold: how to say it, how to read it (None for a wrong value), may it be a secret."""

    expected: str
    read: Callable[[Any], Any]
    secret: bool = False


def _read_strings(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, (list, tuple)) or not all(isinstance(element, str) for element in value):
        return None
    return tuple(value)


def _read_modes(value: Any) -> tuple[str, ...] | None:
    modes = _read_strings(value)
    return modes if modes and set(modes) <= set(get_args(OutputMode)) else None


def _read_settings(value: Any) -> tuple[str, ...] | None:
    names = _read_strings(value)
    return names if names is not None and set(names) <= set(SETTING_NAMES) else None


def _read_pairs(value: Any) -> dict[str, str] | None:
    if not isinstance(value, Mapping) or not all(isinstance(text, str) for pair in value.items() for text in pair):
        return None
    return dict(value)


def _one_of(names: Iterable[str]) -> _Form:
    allowed = tuple(names)
    return _Form("one of " + ", ".join(map(repr, allowed)), lambda value: value if value in allowed else None)


_TEXT = _Form("a string", lambda value: value if isinstance(value, str) else None)
_FLAG = _Form("true or false", lambda value: value if isinstance(value, bool) else None)
_STRINGS = _Form("a list of strings", _read_strings)
_PAIRS = _Form("a table of strings", _read_pairs, secret=True)
_NAMES = _Form("a table of strings", _read_pairs)
_SETTINGS = _Form("a list of settings, out of " + ", ".join(SETTING_NAMES), _read_settings)
_MODES = _Form("a list of modes, out of " + ", ".join(get_args(OutputMode)), _read_modes)
_TABLE = _Form("a table", lambda value: dict(value) if isinstance(value, Mapping) else None)

_QUIRK_FORMS = {
    "max_tokens_field": _one_of(get_args(TokenField)),
    "seed_field": _TEXT,
    "instruction_role": _one_of(get_args(InstructionRole)),
    "reasoning_fields": _STRINGS,
    "reasoning_replay": _one_of(get_args(ReasoningReplay)),
    "reasoning_setting": _one_of(get_args(ReasoningSetting)),
    "reasoning_efforts": _STRINGS,
    "strict_fields": _FLAG,
    "message_name": _FLAG,
    "video": _FLAG,
    "tool_content_parts": _FLAG,
    "stream_options": _FLAG,
    "parallel_tool_calls": _FLAG,
    "required_tool_choice": _TEXT,
    "unsupported_settings": _SETTINGS,
    "model_field": _FLAG,
    "stream_field": _FLAG,
    "fields": _TABLE,
    "framing": _one_of(get_args(StreamFraming)),
    "output_modes": _MODES,
    "output_strict": _FLAG,
    "output_beside_tools": _FLAG,
    "json_mode": _FLAG,
}
_PROVIDER_FORMS = {
    "like": _TEXT,
    "format": _one_of(_PATHS),
    "base_url": _TEXT,
    "path": _TEXT,
    "stream_path": _TEXT,
    "key_variables": _STRINGS,
    "key_optional": _FLAG,
    "auth_header": _TEXT,
    "auth_scheme": _TEXT,
    "cloud": _one_of(get_args(Cloud)),
    "bearer_tokens": _FLAG,
    "idempotency_header": _TEXT,
    "headers": _PAIRS,
    "query": _PAIRS,
    "models": _STRINGS,
    "models_provider": _NAMES,
    "quirks": _TABLE,
    "models_quirks": _TABLE,
}


def _read(table: Any, forms: Mapping[str, _Form], where: str) -> dict[str, Any]:
    """Return the values of `table` as `forms` read them, or raise ProviderError naming the key that is wrong."""
    if not isinstance(table, Mapping):
        raise ProviderError(f"{where}: expected a table, got {shown(table)}")
    values: dict[str, Any] = {}
    for key, given in table.items():
        form = forms.get(key)
        if form is None:
            raise ProviderError(f"{where}.{key}: unknown key{did_you_mean(key, forms)}; known: {', '.join(forms)}")
        values[key] = form.read(given)
        if values[key] is None:
            wrong = f"a {type(given).__name__}" if form.secret else shown(given)
            raise ProviderError(f"{where}.{key}: expected {form.expected}, got {wrong}")
    return values


def read_provider(name: str, table: Mapping[str, Any], where: str) -> Provider:
    """Return the provider that a table describes.

    Args:
        name: The provider's name.
        table: What is said of it, the dialect that it shares laid under it already.
        where: What to call the table in an error.

    Raises:
        ProviderError: an unknown key, or a value of a wrong form.
    """
    values = _read(table, _PROVIDER_FORMS, where)
    if not values.get("base_url"):
        raise ProviderError(f"{where}.base_url: expected the address of the host, got nothing")
    values.pop("like", None)
    format_name = values.get("format", "openai_chat")
    if "path" not in values:  # a path of its own holds for both kinds of calls
        values.setdefault("stream_path", _STREAM_PATHS.get(format_name))
    values["path"] = values.get("path", _PATHS[format_name]).strip("/")
    values["quirks"] = Quirks(**_read(values.get("quirks", {}), _QUIRK_FORMS, f"{where}.quirks"))
    values["models_quirks"] = {
        pattern: _read(differences, _QUIRK_FORMS, f"{where}.models_quirks.{pattern!r}")
        for pattern, differences in values.get("models_quirks", {}).items()
    }
    return Provider(name=name, **values)


def with_dialect(table: Any, known: Mapping[str, Any], where: str) -> Any:
    """Return `table` with the dialect of the provider that its `like` names laid under it.

    Args:
        table: What is said of a provider; anything but a table is left for `read_provider` to refuse.
        known: The tables of the known providers, by name.
        where: What to call the table in an error.

    Raises:
        ProviderError: `like` names no known provider.
    """
    if not isinstance(table, Mapping) or not isinstance(table.get("like"), str):
        return table
    if table["like"] not in known:
        names = ", ".join(sorted(known))
        raise ProviderError(
            f"{where}.like: unknown provider {table['like']!r}{did_you_mean(table['like'], known)}; known: {names}"
        )
    dialect = {key: value for key, value in known[table["like"]].items() if key not in _OWN_KEYS}
    if "format" in table or "path" in table:
        dialect = {key: value for key, value in dialect.items() if key not in _PATH_KEYS}
    for key in ("quirks", "models_quirks"):
        if isinstance(table.get(key), Mapping) and key in dialect:
            dialect[key] = {**dialect[key], **table[key]}
            table = {**table, key: dialect[key]}
    return {**dialect, **table}


def read_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the tables of a TOML file, by provider.

    Raises:
        ProviderError: the file cannot be read, or is not TOML.
    """
    import tomllib  # only when a provider is asked for: keeps it out of the import of the library

    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ProviderError(f"{os.fspath(path)}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # a syntax error, or bytes that are not UTF-8
        raise ProviderError(f"{os.fspath(path)}: is not TOML: {error}") from error
