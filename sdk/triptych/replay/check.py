"""The command `python -m triptych.replay.check [paths…]`: looks through cassettes for what must not be published."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from triptych.replay import lint
from triptych.replay.errors import CassetteError
from triptych.replay.lint import Finding, cassettes_below, check

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Finding", "check", "main"]


def main(paths: Sequence[str]) -> int:
    """Look through cassettes, and print a line for each finding.

    Args:
        paths: Files and directories; `cassettes` where there are none.

    Returns:
        The exit status: 0 when nothing was found, 1 when something was, 2 when a file cannot be read.
    """
    status = 0
    for path in paths or ["cassettes"]:
        try:
            files = cassettes_below(path)
        except CassetteError as error:
            print(error, file=sys.stderr)
            status = 2
            continue
        for file in files:
            try:
                findings = check(file)
            except CassetteError as error:
                print(error, file=sys.stderr)
                status = 2
                continue
            status = max(status, 1 if findings else 0)
            for finding in findings:
                print(finding)
    return status


class _Check(ModuleType):
    """Makes `triptych.replay.check` the function also for those who have imported the module of that name."""

    def __call__(self, paths: str | Iterable[str], *, secrets: Sequence[str] = ()) -> list[Finding]:
        return lint.check(paths, secrets=secrets)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
sys.modules[__name__].__class__ = _Check
