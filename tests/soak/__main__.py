"""Run the soak: `python -m tests.soak`; the exit status is 1 where a promise was broken."""

import argparse
import os
import sys

from tests.soak.crowd import FORMS
from tests.soak.fates import Plan
from tests.soak.report import table
from tests.soak.run import Size, soak

# What would lead the calls elsewhere than to the server.
_ELSEWHERE = ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "TRIPTYCH_CASSETTES")


def main(arguments: list[str]) -> int:
    """Soak the client in each of the wanted forms, print what was found, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--calls", type=int, default=60_000, help="answers that come whole")
    parser.add_argument("--streams", type=int, default=6_000, help="answers that come piece by piece")
    parser.add_argument("--threads", type=int, default=32, help="how many ask at once")
    parser.add_argument("--faults", type=float, default=0.05, help="the share of requests that meet a fault")
    parser.add_argument("--seed", type=int, default=7, help="another seed, other faults")
    parser.add_argument("--form", choices=list(FORMS), action="append", help="by default all")
    given = parser.parse_args(arguments)
    for name in _ELSEWHERE:
        os.environ.pop(name, None)
    size, plan = Size(given.calls, given.streams, given.threads), Plan(given.seed, given.faults)
    soaked = {form: soak(form, size, plan) for form in given.form or FORMS}
    print(table(soaked))
    return 1 if any(run.breaches for run in soaked.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
