"""The coverage-guided side, where atheris is: python -m tests.fuzz.guided [--seconds N] [--target NAME] [--seed N].

Each family of targets has a process of its own for its share of the time. An input that brings out what is not
documented, too much memory or too much time is written to build/fuzz and told as a literal for regressions.py.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attrs import frozen

from tests.fuzz.target import Family
from tests.fuzz.targets import FAMILIES, TARGETS

_FOUND = Path("build/fuzz")
_MEGABYTES = 512  # that a target may hold
_SLOWEST = 10  # seconds for one input
# Seconds that a process may take beyond its share before it is ended: to import, and to tell what it found.
_GRACE = 120
# Seconds that a process needs before it begins: to import and instrument, and to try what it begins with.
_START = 3
_SNIPPET = 4000
_RAISED = "=== Uncaught Python exception: ==="


@frozen
class Outcome:
    """What became of one family.

    Args:
        family: The family.
        log: What its process said.
        found: The inputs that brought something out.
        failed: Whether it ended otherwise than by the end of its time.
    """

    family: Family
    log: str
    found: tuple[bytes, ...]
    failed: bool


def _fuzzed(family: Family, seconds: int, seed: int) -> Outcome:
    """Run one family for so many seconds, its chances drawn from a seed."""
    with tempfile.TemporaryDirectory(prefix="triptych-fuzz-") as folder:
        corpus, found = Path(folder, "corpus"), Path(folder, "found")
        corpus.mkdir()
        found.mkdir()
        for number, begin in enumerate(family.seeds()):
            corpus.joinpath(f"seed-{number:04}").write_bytes(begin)
        command = [sys.executable, "-m", "tests.fuzz.child", family.name, str(corpus)]
        limits = [f"-max_total_time={seconds}", f"-rss_limit_mb={_MEGABYTES}", f"-timeout={_SLOWEST}"]
        command += [
            *limits,
            f"-seed={seed}",
            f"-artifact_prefix={found}{os.sep}",
            "-print_final_stats=1",
            "-verbosity=1",
        ]
        try:
            done = subprocess.run(command, capture_output=True, timeout=seconds + _GRACE, check=False)
            failed, log = done.returncode != 0, done.stdout + done.stderr
        except subprocess.TimeoutExpired as late:
            failed, log = True, (late.stdout or b"") + (late.stderr or b"") + b"\nit did not end in time"
        inputs = tuple(path.read_bytes() for path in sorted(found.iterdir()))
    return Outcome(family, log.decode("utf-8", "replace"), inputs, failed)


def _tell(outcome: Outcome) -> None:
    """Print what became of a family; what was found is written to a file, too."""
    stats = dict(line[6:].split(": ", 1) for line in outcome.log.splitlines() if line.startswith("stat::"))
    runs, peak = stats.get("number_of_executed_units", "?").strip(), stats.get("peak_rss_mb", "?").strip()
    print(f"{outcome.family.name}: {runs} inputs, at most {peak} MB{', FAILED' if outcome.failed else ''}", flush=True)
    if outcome.failed:
        said = outcome.log.partition(_RAISED)
        print((said[2] or said[0][-_SNIPPET:])[:_SNIPPET])
    for data in outcome.found:
        target, rest = outcome.family.chosen(data)
        _FOUND.mkdir(parents=True, exist_ok=True)
        path = _FOUND / f"{target.name}-{hashlib.sha256(rest).hexdigest()[:12]}"
        path.write_bytes(rest)
        print(f"{path}: ({target.name!r}, {rest!r})")


def run(families: Sequence[Family], seconds: int, seed: int) -> int:
    """Share the time between the families, as many at once as there are processors; return how many failed."""
    at_once = min(os.cpu_count() or 1, len(families))
    share = max(1, seconds * at_once // len(families) - _START)
    failures = 0
    with ThreadPoolExecutor(at_once) as pool:
        for outcome in pool.map(lambda family: _fuzzed(family, share, seed), families):
            _tell(outcome)
            failures += outcome.failed
    return failures


def main() -> None:
    """Fuzz all targets, or one; exit with status 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for all together")
    parser.add_argument("--target", choices=[*TARGETS, *(family.name for family in FAMILIES)], help="this one alone")
    parser.add_argument("--seed", type=int, default=1, help="the same one tries the same inputs; 0 draws one")
    given = parser.parse_args()
    shutil.rmtree(_FOUND, ignore_errors=True)
    chosen = [family for family in FAMILIES if given.target in (None, family.name)]
    families = chosen or [Family(given.target, (TARGETS[given.target],))]
    sys.exit(1 if run(families, given.seconds, given.seed) else 0)


if __name__ == "__main__":
    main()
