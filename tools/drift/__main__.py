"""List what a provider's package knows of its API and our schema does not, and the reverse; print nothing when none.

Usage: python -m tools.drift [FORMAT ...]   (in the environment of `make drift`)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.drift.compare import Finding, compare_all
from tools.drift.deliberate import Deliberate, read_deliberate, subtract
from tools.drift.roots import PACKAGES
from tools.drift.schema import SchemaReader

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEMAS = ROOT / "schemas"
OURS = frozenset({"content_items"})  # the form in which items are saved is no provider's
DELIBERATE = ROOT / "tools" / "drift.toml"


def find(name: str) -> list[Finding]:
    """Return how the schema of one format and the types of its provider's package differ."""
    schema = SchemaReader(json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8")))
    roots = PACKAGES[name]()
    return compare_all([(root, schema.definition(root), theirs) for root, theirs in roots.items()])


def report(name: str, entries: Sequence[Deliberate]) -> list[str]:
    """Return the lines to print for one format: what is not meant, then entries that no longer match anything."""
    if name not in PACKAGES:
        return [f"{name}: has a schema and no package in tools/drift/roots.py to hold it against"]
    left, stale = subtract(find(name), entries)
    lines = [f"{name}: {one.path}: missing {one.missing}" for one in left]
    return lines + [f"{name}: {path}: matches nothing, strike it out of {DELIBERATE.name}" for path in stale]


def main(arguments: Sequence[str]) -> int:
    """Print the drift of the formats that are named, or of all that have a schema; return 1 when there is any."""
    deliberate = read_deliberate(DELIBERATE)
    schemas = sorted(path.stem for path in SCHEMAS.glob("*.json") if path.stem not in OURS)
    lines = [line for name in arguments or schemas for line in report(name, deliberate.get(name, []))]
    gone = sorted({*deliberate} - {*schemas})
    lines += [f"{name}: has no schema, strike it out of {DELIBERATE.name}" for name in gone]
    print("".join(f"{line}\n" for line in lines), end="")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
