"""Efforts by name, on the APIs that know a closed list of them."""

from __future__ import annotations

from collections.abc import Collection

from triptych.errors import Notice


def is_known(effort: str, known: Collection[str], notices: list[Notice]) -> bool:
    """Return whether an API knows an effort; where it does not, add a notice that names those that it knows.

    Args:
        effort: The value of `Settings.reasoning`.
        known: The efforts of the API, in the order of their strength.
        notices: Filled with what cannot be said.
    """
    if effort in known:
        return True
    why = f"this API knows {', '.join(known)}"
    notices.append(Notice("settings.reasoning", f"{effort!r} left out", why))
    return False
