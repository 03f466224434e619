"""A plugin of pytest: while the bug cases run, the official packages are asked about every body that they build."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import official
from tests.conformance.beyond import unexplained
from tests.formats import bodies, closed

_HERE = Path(__file__).parent
# What the closed schemas find is the subject of the one; the other is the matrix, which is here too.
_OTHERS = ("test_closed.py", "test_translation.py")
# A module that builds bodies has a function of one of these.
_BUILDERS = (bodies.__name__, closed.__name__)


def pytest_configure() -> None:
    """Let the packages bear witness from now on."""
    closed.WITNESSES.append(_refusals)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests whose bodies are asked about here in another way, or that build none."""
    chosen = [item for item in items if _HERE in item.path.parents or _is_case(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def _is_case(item: pytest.Item) -> bool:
    drawn_or_recorded = "exchange" in getattr(item, "fixturenames", ()) or hasattr(_of(item, "function"), "hypothesis")
    return not drawn_or_recorded and item.path.name not in _OTHERS and _builds_bodies(_of(item, "module"))


def _of(item: pytest.Item, name: str) -> object:
    return getattr(item, name, None)


def _builds_bodies(module: object) -> bool:
    return any(getattr(value, "__module__", None) in _BUILDERS for value in vars(module).values())


def _refusals(name: str, body: Mapping[str, Any]) -> list[str]:
    faults = official.of(name).faults(body, bool(body.get("stream")))
    return [f"the provider's package: {fault}" for fault in unexplained(name, faults)]
