"""What Gemini 3 demands of a history that it did not write: a seal on the first call of each step of the current turn.

A call of another API, or of an older record, has none. The reference gives a value that passes for one.
Reference: https://ai.google.dev/gemini-api/docs/thought-signatures (questions: a history of another model)
"""

from __future__ import annotations

import re
from typing import Any

from triptych.errors import Notice

# "skip_thought_signature_validator", in base64 as a seal is: a recorded call with it was answered.
_PASS = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
_DEMANDING = re.compile(r"(.*/)?gemini-([3-9]|\d\d|[a-z-]*latest\b)")


def is_before_gemini_3(model: str | None) -> bool:
    """Return whether a model is known to be older than Gemini 3."""
    return model is not None and re.match(r"(.*/)?(gemini-[12]\b|gemma)", model) is not None


def seal_calls(contents: list[Any], model: str | None) -> list[Notice]:
    """Give the calls of the current turn the seal that the model demands, where they have none; return what was done.

    Args:
        contents: The turns of one request, changed in place.
        model: The model, where it is known.
    """
    if _DEMANDING.match(model or "") is None:
        return []
    notices = []
    for turn in contents[_current_turn(contents) :]:
        calls = [part for part in _parts(turn) if "functionCall" in part]
        if calls and "thoughtSignature" not in calls[0]:
            calls[0]["thoughtSignature"] = _PASS
            name = calls[0]["functionCall"].get("name")
            what = f"call of {name!r} sent with a stand-in for its thought signature"
            notices.append(Notice("contents", what, "the model refuses a call of this turn without one"))
    return notices


def _current_turn(contents: list[Any]) -> int:
    """Return the place of the last turn in which the user says something, and answers no call."""
    for place in range(len(contents) - 1, -1, -1):
        answers = any("functionResponse" in part for part in _parts(contents[place]))
        if contents[place].get("role") == "user" and not answers:
            return place
    return 0


def _parts(turn: Any) -> list[Any]:
    # A turn that was kept as it came may hold anything.
    parts = turn.get("parts")
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
