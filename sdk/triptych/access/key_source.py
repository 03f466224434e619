"""Keys that are neither given nor in the environment: what a function of the program has, such as a keyring's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from triptych.errors import LlmError
from triptych.foreign import pass_interruption
from triptych.secret import Secret

KeySource: TypeAlias = Callable[[str], str | Secret | None]
_sources: list[KeySource] = []


def register_key_source(find: KeySource | None) -> None:
    """Set the function that is asked for keys which are neither given to a client nor in the environment.

    A client asks once, at its first call, and before it looks for the credentials of a cloud.

    Args:
        find: Returns the key of a provider, given its name, or None where it has none, as `lambda name:
            keyring.get_password("llm", name)` does. None as the function is none.

    Raises:
        TypeError: it is no function.
    """
    if find is not None and not callable(find):
        raise TypeError(f"register_key_source: expected a function or None, got {type(find).__name__}")  # perhaps a key
    _sources[:] = [] if find is None else [find]


def key_from_source(provider: str) -> Secret | None:
    """Return the key that the registered function has for a provider; None where there is neither.

    Args:
        provider: The provider's name.

    Raises:
        LlmError: the function failed, or gave something else than a key.
    """
    for find in _sources:
        try:
            key = find(provider)
        except Exception as fault:
            pass_interruption(fault)
            words = f"the key source failed for {provider}: {type(fault).__name__}: {fault}"
            raise LlmError(words, "authentication", code="token_failed") from None
        if isinstance(key, Secret):
            return key
        if isinstance(key, str) and key:
            return Secret(key)
        if key is not None and key != "":
            words = f"the key source gave {type(key).__name__} for {provider}; expected str, Secret or None"
            raise LlmError(words, "authentication", code="token_failed")
    return None
