"""Run the benchmarks and print their table; the exit status is 1 when a target is missed."""

import argparse
import os
import platform
import sys
import time
from itertools import chain

from bench.figures import FULL, QUICK, figures
from bench.launch import running_server
from bench.peers import installed
from bench.persist_figures import persist_figures
from bench.report import table
from bench.store_figures import store_figures
from bench.stream_figures import stream_figures
from bench.tool_figures import tool_figures

PARTS = {
    "calls": figures,
    "streams": stream_figures,
    "tools": tool_figures,
    "persist": persist_figures,
    "store": store_figures,
}


def main() -> int:
    """Parse the command line, measure, print; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure triptych beside its peers.")
    parser.add_argument("--quick", action="store_true", help="measure less: a look, not a verdict")
    parser.add_argument("--only", choices=PARTS, help="measure one part of the figures")
    parser.add_argument("--no-fail", action="store_true", help="exit with 0 even when a target is missed")
    options = parser.parse_args()
    _keep_to_loopback()
    begin = time.monotonic()
    measured = []
    with running_server() as server:
        size = QUICK if options.quick else FULL
        parts = [measure for name, measure in PARTS.items() if options.only in (None, name)]
        for figure in chain.from_iterable(measure(server, size) for measure in parts):
            measured.append(figure)
            print(f"  measured: {figure.name}", file=sys.stderr, flush=True)
    print(table(measured))
    print(f"\nPython {platform.python_version()}, {os.cpu_count()} cores, {time.monotonic() - begin:.0f} s.", end=" ")
    print("Values are medians; ± is the distance between the quartiles.")
    for package in ("openai", "anthropic"):
        if not installed(package):
            print(f"{package} is not installed: its column is left out.")
    missed = sum(len(figure.missed) for figure in measured)
    unmeasured = sum(len(figure.open) for figure in measured)
    print(f"Targets missed: {missed}; not measured: {unmeasured}.")
    return 1 if missed and not options.no_fail else 0


def _keep_to_loopback() -> None:
    """Take out of the environment what would lead calls elsewhere: proxies, and cassettes of ours."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy") or name == "TRIPTYCH_CASSETTES"]:
        del os.environ[name]


if __name__ == "__main__":
    sys.exit(main())
