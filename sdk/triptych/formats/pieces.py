"""Fields that arrive in pieces, put together: text is joined once at the end, lists grow, objects are merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from triptych.checks import shown


def number(said: Mapping[str, Any], name: str) -> int:
    """Return the number that an event has under a name, such as that of a choice; 0 where it has none.

    Raises:
        TypeError: it is no whole number, and nothing could be told apart or put in order by it.
    """
    value = said.get(name) or 0
    if isinstance(value, int):
        return value
    raise TypeError(f"{name}: expected a whole number, got {shown(value)}")


def words(said: Mapping[str, Any], name: str) -> str:
    """Return the text that an event has under a name; empty where it has none.

    Raises:
        TypeError: it is no text.
    """
    value = said.get(name) or ""
    if isinstance(value, str):
        return value
    raise TypeError(f"{name}: expected a text, got {shown(value)}")


def merge(target: dict[str, Any], delta: Mapping[str, Any]) -> None:
    """Merge what a delta says of an object into it: objects are merged, lists grow, anything else is replaced.

    Args:
        target: The object so far, changed in place.
        delta: The next piece; null replaces nothing.
    """
    for name, value in delta.items():
        had = target.get(name)
        if value is None:
            target.setdefault(name, None)
        elif isinstance(value, dict) and isinstance(had, dict):
            merge(had, value)
        elif isinstance(value, list) and isinstance(had, list):
            had.extend(value)
        else:
            target[name] = own(value)


def own(value: Any) -> Any:
    """Return a value that may grow without changing the delta that it came in."""
    if isinstance(value, dict):
        return {name: own(item) for name, item in value.items()}
    return list(value) if isinstance(value, list) else value


# Fields of words: pieces of seals and data are told apart only by the number or id of their block.
_WORDS = ("text", "thinking", "summary")


def joined_blocks(blocks: Iterable[Mapping[str, Any]], texts: frozenset[str]) -> list[dict[str, Any]]:
    """Return blocks that came in pieces, with the pieces of one block put together.

    A piece continues the block before it when both have the same type, index and id, and words if they have neither.
    Fields in `texts` are joined, others are merged.

    Args:
        blocks: The pieces in order.
        texts: Names of the fields that hold pieces of text.
    """
    whole: list[dict[str, Any]] = []
    pieces: list[dict[str, list[str]]] = []
    for block in blocks:
        if not whole or not _continues(whole[-1], block):
            whole.append({})
            pieces.append({})
        for name, value in block.items():
            if name in texts and isinstance(value, str):
                whole[-1].setdefault(name, "")  # holds the field's place
                pieces[-1].setdefault(name, []).append(value)
            else:
                merge(whole[-1], {name: value})
    for target, parts in zip(whole, pieces, strict=True):
        target.update({name: "".join(said) for name, said in parts.items()})
        for name in texts & target.keys():
            if isinstance(target[name], list):  # a text in parts of its own
                target[name] = joined_blocks(target[name], texts)
    return whole


def _continues(before: Mapping[str, Any], block: Mapping[str, Any]) -> bool:
    """Return whether a block goes on with the one before: the same by number or id, or both with words of one kind."""
    if _identity(before) != _identity(block):
        return False
    return _identity(block)[1:] != (None, None) or any(name in before and name in block for name in _WORDS)


def _identity(block: Mapping[str, Any]) -> tuple[object, ...]:
    return block.get("type"), block.get("index"), block.get("id") or None
