"""Fixtures of the cassette tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.replay.loopback import Loopback, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A server that answers with the body that it got, until a test gives it another script."""
    with serving() as loopback:
        yield loopback


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A cassette file that does not exist yet."""
    return tmp_path / "cassettes" / "scene.yaml"
