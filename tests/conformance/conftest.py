"""The report of a run: what was refused by design, by name, so that nothing is left out in silence."""

from __future__ import annotations

from collections import defaultdict

import pytest

_LINES = pytest.StashKey[dict[str, list[str]]]()


class Listed:
    """Takes what a test lets pass.

    Args:
        config: Of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        empty: dict[str, list[str]] = defaultdict(list)
        self._lines = config.stash.setdefault(_LINES, empty)

    def __call__(self, heading: str, line: str) -> None:
        """Put a line under a heading of the report."""
        self._lines[heading].append(line)


@pytest.fixture
def listed(pytestconfig: pytest.Config) -> Listed:
    """What a test gives the things to that it lets pass."""
    return Listed(pytestconfig)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the report."""
    for heading, lines in config.stash.get(_LINES, {}).items():
        terminalreporter.write_sep("-", f"{heading}: {len(lines)}")
        for line in lines:
            terminalreporter.write_line(line)
