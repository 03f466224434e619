"""One module a wire format: what the provider's own package has against a body, and what it reads in an answer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from tests.conformance.said import Said


class Official(Protocol):
    """The two functions of each module here."""

    def faults(self, body: Mapping[str, Any], stream: bool) -> list[str]:
        """Return what the package has against a body, each with its place; empty when nothing."""
        ...

    def read(self, answer: Any) -> Said:
        """Return what the package reads in an answer that came whole."""
        ...


@cache
def of(name: str) -> Official:
    """Return the package's view of a wire format."""
    module: Any = import_module(f"{__name__}.{name}")
    official: Official = module
    return official
