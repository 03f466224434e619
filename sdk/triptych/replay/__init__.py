"""Cassettes: record the traffic of a client once, run it offline ever after.

`LlmClient(..., cassette=path)` gives one client a cassette; `cassette(path)` gives one to all clients of a block. The
files are vcrpy's, so `vcr.use_cassette` reads and writes them too. They hold no credentials; `check(paths)`, and
`python -m triptych.replay.check`, look through those that somebody else has recorded or edited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from triptych.replay.errors import CassetteError, ReplayMiss

if TYPE_CHECKING:
    from triptych.replay.block import CassetteBlock, cassette
    from triptych.replay.exchange import Exchange
    from triptych.replay.library import Library, directory
    from triptych.replay.lint import Finding, check
    from triptych.replay.tape import RecordMode, Tape

__all__ = [
    "CassetteBlock",
    "CassetteError",
    "Exchange",
    "Finding",
    "Library",
    "RecordMode",
    "ReplayMiss",
    "Tape",
    "cassette",
    "check",
    "directory",
]

# Loaded at first use: whoever only names the two errors pays for nothing else.
_HOMES = {
    "CassetteBlock": "block",
    "Exchange": "exchange",
    "Finding": "lint",
    "Library": "library",
    "RecordMode": "tape",
    "Tape": "tape",
    "cassette": "block",
    "check": "lint",
    "directory": "library",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
