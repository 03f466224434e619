"""How Claude is told to think, whichever API it is asked through: a budget of tokens, or an effort beside a switch."""

from __future__ import annotations

import re
from typing import Any

from triptych.errors import Notice

# Models that know no effort, only a budget: https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
_BUDGET_ONLY = re.compile(r"claude-(3|(opus|sonnet|haiku)-4-([015]\b|20))")
# Efforts, and the tokens that they are to models without them.
_EFFORTS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 24576, "max": 32000}
_LEAST_BUDGET = 1024


def build_thinking(
    value: str | int | None, model: str | None, limit: int | None, notices: list[Notice]
) -> tuple[dict[str, Any] | None, str | None]:
    """Return the `thinking` object and the effort that say a setting; None where one is not to be said.

    Args:
        value: `Settings.reasoning`.
        model: The model, which tells whether it knows an effort.
        limit: `Settings.max_tokens`; a budget is a part of it.
        notices: Filled with what cannot be said.
    """
    if isinstance(value, int):
        return {"type": "enabled", "budget_tokens": value}, None
    if value is None or value == "none":
        return None if value is None else {"type": "disabled"}, None
    if value not in _EFFORTS:
        why = f"this API knows {', '.join(_EFFORTS)}, and none"
        notices.append(Notice("settings.reasoning", f"{value!r} left out", why))
        return None, None
    if _BUDGET_ONLY.search(model or ""):
        return _budget(value, limit, notices), None
    return {"type": "adaptive"}, "low" if value == "minimal" else value


def _budget(effort: str, limit: int | None, notices: list[Notice]) -> dict[str, Any] | None:
    """Return an effort as a number of tokens: a part of the token limit, where one is set."""
    budget = _EFFORTS[effort] if limit is None else min(_EFFORTS[effort], limit - 1)
    if budget >= _LEAST_BUDGET:
        return {"type": "enabled", "budget_tokens": budget}
    why = f"max_tokens leaves less than the {_LEAST_BUDGET} that this model thinks with at least"
    notices.append(Notice("settings.reasoning", f"{effort!r} left out", why))
    return None


def read_thinking(thinking: Any, effort: Any) -> str | int | None:
    """Return the setting that a `thinking` object and an effort say, or None where they say another thing."""
    if not isinstance(thinking, dict):
        return None
    if thinking.get("type") == "enabled":
        return thinking.get("budget_tokens")
    if thinking == {"type": "disabled"}:
        return "none"
    return effort if thinking == {"type": "adaptive"} and isinstance(effort, str) and effort in _EFFORTS else None


def forbids_forcing(thinking: Any) -> bool:
    """Return whether a model that thinks like that cannot be made to call a tool: so within a budget."""
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"
