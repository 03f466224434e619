"""The differences that are meant, of tools/drift.toml: read, and subtracted from what was found."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from tools.drift.compare import Finding


@frozen
class Deliberate:
    """Differences that are meant: the paths (a `*` stands for any text), the side that lacks them, and why."""

    paths: tuple[str, ...]
    missing: str
    reason: str


def read_deliberate(path: Path) -> dict[str, list[Deliberate]]:
    """Return the entries of each format.

    Raises:
        ValueError: an entry has another field, none of these fields, a side that is none, or an empty reason.
    """
    formats: Mapping[str, Sequence[Mapping[str, Any]]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: [_entry(name, one) for one in entries] for name, entries in formats.items()}


def _entry(name: str, entry: Mapping[str, Any]) -> Deliberate:
    if set(entry) != {"paths", "missing", "reason"}:
        raise ValueError(f"{name}: an entry has paths, missing and reason, not {sorted(entry)}")
    if entry["missing"] not in {"here", "there"}:
        raise ValueError(f'{name}: missing is "here" or "there", not {entry["missing"]!r}')
    if not entry["reason"].strip():
        raise ValueError(f"{name}: {entry['paths']} has no reason")
    return Deliberate(tuple(entry["paths"]), entry["missing"], entry["reason"])


def subtract(findings: Iterable[Finding], entries: Iterable[Deliberate]) -> tuple[list[Finding], list[str]]:
    """Return the findings that no entry covers, and the paths of entries that cover none and so can be struck out."""
    left, stale = list(findings), list[str]()
    patterns = [(path, entry.missing, _pattern(path)) for entry in entries for path in entry.paths]
    covered = set[Finding]()
    for path, missing, pattern in patterns:
        matching = {one for one in left if one.missing == missing and pattern.fullmatch(one.path)}
        if not matching:
            stale.append(path)
        covered |= matching
    return [one for one in left if one not in covered], stale


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, path.split("*"))))
