"""Hosts of models as data: `resolve` turns the name of a model into the `Provider` that serves it.

The hosts that we know are in providers.toml beside this module. A user adds others with `register_provider`, with
`load_providers`, or with a TOML file of the same shape that the environment variable TRIPTYCH_PROVIDERS names.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Unpack

from triptych.checks import did_you_mean, shown
from triptych.provider import Provider, ProviderError, Quirks, fits, stem
from triptych.provider_tables import ProviderData, read_file, read_provider, with_dialect

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Provider", "ProviderError", "Quirks", "known", "load_providers", "register_provider", "resolve"]

FILE_VARIABLE = "TRIPTYCH_PROVIDERS"


class _Known:
    """The providers known at one moment: tables as written, objects made of them when they are first asked for."""

    def __init__(self, tables: dict[str, Mapping[str, Any]], sources: dict[str, str]) -> None:
        self.tables = tables
        self._sources = sources
        self._made: dict[str, Provider] = {}

    def __getitem__(self, name: str) -> Provider:
        if name not in self._made:  # two threads may both make it: the objects are equal
            self._made[name] = read_provider(name, self.tables[name], self._sources[name])
        return self._made[name]

    def serving(self, name: str, model: str) -> Provider:
        """Return the provider, or the one that serves this model in its place."""
        host = self[name]
        for pattern, other in host.models_provider.items():
            if fits(model, pattern.split("|")):
                return self[other]
        return host

    def patterns(self, name: str) -> list[str]:
        return list(self.tables[name].get("models", ()))

    def owner(self, model: str) -> str | None:
        # The latest first: what a user added comes before what we know.
        return next((name for name in reversed(self.tables) if fits(model, self.patterns(name))), None)

    def extended(self, tables: Mapping[str, Any], source: str) -> _Known:
        """Return these providers and those of `tables`, each in place of any of its name."""
        merged, sources = dict(self.tables), dict(self._sources)
        for name, table in tables.items():
            if not name or "/" in name:
                raise ProviderError(f"{source}: expected a provider's name without a slash, got {name!r}")
            sources[name] = f"{source}: {name}"
            whole = with_dialect(table, merged, sources[name])
            merged.pop(name, None)  # so that it stands last
            merged[name] = whole
        return _Known(merged, sources)

    def checked(self, tables: Mapping[str, Any]) -> _Known:
        """Return these providers, those named by `tables` read already, so that an error in them shows now."""
        for name in tables:
            for pattern, other in self[name].models_provider.items():
                if other not in self.tables:
                    where = f"{self._sources[name]}.models_provider.{pattern!r}"
                    raise ProviderError(f"{where}: unknown provider {other!r}{did_you_mean(other, self.tables)}")
        return self


class _Registry:
    """The one thing here that changes: which providers are known. Readers take no lock; a change swaps the whole."""

    def __init__(self) -> None:
        self._known: _Known | None = None
        self.renew_lock()

    def renew_lock(self) -> None:
        """Take a new lock: one that another thread held while the process forked would never be let go."""
        self._lock = threading.RLock()

    def known(self) -> _Known:
        """Return the providers known now; the first time, read our file and the user's."""
        if self._known is None:
            with self._lock:
                if self._known is None:
                    self._known = self._first()
        return self._known

    def add(self, tables: Mapping[str, Any], source: str) -> _Known:
        """Make the providers of `tables` known, all of them or, on an error, none."""
        with self._lock:
            self._known = self.known().extended(tables, source).checked(tables)
            return self._known

    def _first(self) -> _Known:
        ours = os.path.join(os.path.dirname(__file__), "providers.toml")
        known = _Known({}, {}).extended(read_file(ours), "providers.toml")
        users = os.environ.get(FILE_VARIABLE)
        if not users:
            return known
        tables = read_file(users)
        return known.extended(tables, users).checked(tables)


_registry = _Registry()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_registry.renew_lock)


def resolve(model: str, provider: str | None = None) -> tuple[Provider, str]:
    """Return the provider that serves a model, and that provider's own name for the model.

    Args:
        model: "provider/model", where the rest may hold more slashes and colons, or a well-known bare name.
        provider: The provider's name; the model is then taken whole but for a leading "provider/".

    Raises:
        ProviderError: the provider or the model is not known; the message has the nearest name and what is known.
    """
    if not isinstance(model, str) or not model.strip():
        raise ProviderError(f"model: expected a name such as 'openai/gpt-5-mini', got {shown(model)}")
    known = _registry.known()
    if provider is not None:
        name, rest = provider, model.removeprefix(f"{provider}/")
    elif "/" in model:
        name, _, rest = model.partition("/")
    else:
        name, rest = known.owner(model) or "", model
    if name not in known.tables:
        raise ProviderError(_unknown(known, model, provider))
    if not rest:
        raise ProviderError(f"model {model!r} names a provider and no model; expected '{name}/<model>'")
    return known.serving(name, rest), rest


def _unknown(known: _Known, model: str, provider: str | None) -> str:
    """Say why a model has no provider, what was meant perhaps, and what there is."""
    names = f"known providers: {', '.join(sorted(known.tables))}"
    if provider is not None:
        return f"unknown provider {provider!r}{did_you_mean(provider, known.tables)}; {names}"
    head, slash, _ = model.partition("/")
    if slash:
        return (
            f"unknown provider {head!r} in model {model!r}{did_you_mean(head, known.tables)}; a model with a slash in "
            f"its own name needs its host before it, such as 'openrouter/{model}'; {names}"
        )
    if model in known.tables:
        return f"model {model!r} is the name of a provider; expected '{model}/<model>'; {names}"
    return (
        f"no provider is known for model {model!r}{_nearest_family(known, model)}; write 'provider/model', such as "
        f"'openrouter/{model}', or give provider=; {names}"
    )


def _nearest_family(known: _Known, model: str) -> str:
    """Return " (did you mean 'gpt-…' of openai?)" for a model whose name begins nearly like a well-known one."""
    from difflib import SequenceMatcher

    def likeness(beginning: str) -> float:
        return SequenceMatcher(None, model[: len(beginning)].lower(), beginning).ratio()

    families = {stem(pattern): name for name in known.tables for pattern in known.patterns(name)}
    # A name that begins rightly and yet fits no pattern is not misspelt there.
    others = (beginning for beginning in families if len(beginning) > 3 and not model.startswith(beginning))
    best = max(others, key=likeness, default="")
    return f" (did you mean '{best}…' of {families[best]}?)" if best and likeness(best) >= 0.7 else ""


def register_provider(name: str, *, base_url: str, **data: Unpack[ProviderData]) -> Provider:
    """Make a provider known under `name`, in place of any of that name, and return it.

    Args:
        name: What stands before the slash in "provider/model".
        base_url: Its address; a part in braces is the environment variable that holds it.
        data: What else there is to say, see `ProviderData`: `like`, `format`, `path`, `key_variables`, `key_optional`,
            `auth_header`, `auth_scheme`, `cloud`, `bearer_tokens`, `idempotency_header`, `headers`, `query`, `models`,
            `models_provider`, `quirks`, `models_quirks`, `stream_path`.

    Raises:
        ProviderError: an unknown key, or a value of a wrong form.
    """
    return _registry.add({name: {"base_url": base_url, **data}}, "register_provider")[name]


def load_providers(path: str | os.PathLike[str]) -> None:
    """Make the providers of a TOML file known, each in place of any of its name; all of them or, on an error, none.

    Args:
        path: A file of the shape of our own providers.toml: a table for each provider.

    Raises:
        ProviderError: the file cannot be read, or a key or value in it is wrong; the message has the file and the key.
    """
    _registry.add(read_file(path), os.fspath(path))


def known() -> tuple[str, ...]:
    """Return the names of the known providers, sorted."""
    return tuple(sorted(_registry.known().tables))
