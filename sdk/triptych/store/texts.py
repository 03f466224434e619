"""The JSON text of what a store holds: checked when it is added, and read with the place of what is damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from triptych import persist
from triptych.checks import shown
from triptych.content import ITEM_TYPES, ContentItem
from triptych.store.errors import StoreError
from triptych.usage import Usage

__all__ = [
    "check_name",
    "checked_items",
    "checked_usage",
    "items_text",
    "read_items",
    "read_usage",
    "reading",
    "usage_text",
]

Read = TypeVar("Read")
NO_VARIANT = "null"


def check_name(what: str, name: object) -> None:
    """Refuse what cannot name a thread, a tier or a response.

    Args:
        what: What it should name, for the message.
        name: The name.

    Raises:
        TypeError: It is no str.
        ValueError: It is empty, or has characters that would not come back as they were.
    """
    if not isinstance(name, str):
        raise TypeError(f"{what}: expected a str, got {shown(name)}")
    if not name or not name.isprintable():
        raise ValueError(f"{what}: expected at least one character, all of them printable, got {shown(name)}")


def items_text(items: Iterable[ContentItem]) -> str:
    """Return the JSON text of a list of items."""
    return persist.dumps(list(items))


def read_items(text: str) -> tuple[ContentItem, ...]:
    """Return the items that the JSON text of a list says.

    Raises:
        TypeError: It says no list of items; the message names the index of what is none.
        ValueError: It is not JSON.
    """
    return checked_items(persist.loads(text))


def checked_items(value: object) -> tuple[ContentItem, ...]:
    """Return what was read as a list of items.

    Raises:
        TypeError: It is none, or something in it is no item; the message names its index.
    """
    if not isinstance(value, list):
        raise TypeError(f"expected a list of items, got {shown(value)}")
    for index, item in enumerate(value):
        if not isinstance(item, ITEM_TYPES):
            raise TypeError(f"[{index}]: expected an item of a conversation, got {shown(item)}")
    return tuple(value)


def usage_text(usage: Usage) -> str:
    """Return the JSON text of a usage.

    Raises:
        TypeError: It is none.
    """
    return persist.dumps(checked_usage(usage))


def checked_usage(value: object) -> Usage:
    """Return what was read as a usage.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(value, Usage):
        raise TypeError(f"usage: expected a Usage, got {shown(value)}")
    return value


def read_usage(text: str) -> Usage:
    """Return the usage that a JSON text says.

    Raises:
        TypeError: It says none.
        ValueError: It is not JSON.
    """
    return checked_usage(persist.loads(text))


def reading(path: str, where: str, read: Callable[[], Read]) -> Read:
    """Return what a row says.

    Args:
        path: The store's file.
        where: The row, for the message.
        read: Makes what is wanted of its text; what it raises says what is wrong with the row.

    Raises:
        StoreError: The text is not JSON, or says something else.
    """
    try:
        return read()
    except (TypeError, ValueError) as fault:
        raise StoreError(path, f"{where}: {fault}") from fault
