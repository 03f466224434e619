"""One family, or one target, under the coverage-guided fuzzer, until its time ends: it never returns."""

from __future__ import annotations

import contextlib
import logging
import resource
import sys

import atheris  # type: ignore[import-untyped]  # in an environment of its own, without types

# Address space: whoever asks for more at once gets a MemoryError, before the machine feels it.
_MOST = 4 << 30


def main() -> None:
    """Fuzz what the first argument names; the others are the fuzzer's own."""
    program, name, *others = sys.argv
    resource.setrlimit(resource.RLIMIT_AS, (_MOST, _MOST))
    logging.disable(logging.CRITICAL)  # what is wrong in an answer is logged, each time
    with atheris.instrument_imports(include=["triptych"], enable_loader_override=False):
        from tests.fuzz.target import Family
        from tests.fuzz.targets import FAMILIES, TARGETS

        families = {family.name: family for family in FAMILIES}
        family = families[name] if name in families else Family(name, (TARGETS[name],))
        for seed in family.seeds():  # so that all that is imported late is instrumented, too
            with contextlib.suppress(Exception):  # the fuzzer begins with the same, and tells what comes out
                family(seed)
        atheris.Setup([program, *others], family)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
