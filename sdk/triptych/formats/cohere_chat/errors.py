"""Errors in Cohere's answers: an answer that broke off says why in its last words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.errors import Kind, LlmError

# Reasons of an answer that failed, and what each means where no words say more.
_FAILED: Mapping[object, Kind] = {"ERROR": "server", "TIMEOUT": "timeout"}


def failure(said: Mapping[str, Any]) -> LlmError | None:
    """Return why an answer failed, or None where it did not.

    Args:
        said: What has the reason why the answer ended: the answer, or the last event of a stream of it.
    """
    reason = said.get("finish_reason")
    if reason not in _FAILED and not said.get("error"):
        return None
    from triptych.formats.cohere_chat.error_table import TABLE  # only when something failed
    from triptych.formats.error_bodies import body_error  # as above

    words = said.get("error") or f"the answer ended with {reason}, and no word why"
    error = body_error({"error": words, "type": said.get("error_type")}, TABLE)
    return error.evolve(kind=_FAILED[reason], hint=None) if error.kind == "server" and reason in _FAILED else error
