"""What is printed: a table of figures, the promises, and how each broken one was broken."""

from collections.abc import Iterator, Mapping

from tests.soak.ledger import PROMISES
from tests.soak.run import Soaked


def table(soaked: Mapping[str, Soaked]) -> str:
    """Return the figures as lines of aligned columns, one column a form, and the promises below them.

    Args:
        soaked: What the soaks came to, by their form.
    """
    rows = [("", *soaked), *_figures(soaked), *_endings(soaked), *_promises(soaked)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, *_examples(soaked)])


def _figures(soaked: Mapping[str, Soaked]) -> Iterator[tuple[str, ...]]:
    runs = soaked.values()
    yield ("questions", *(str(run.ledger.endings.total()) for run in runs))
    yield ("requests", *(str(run.requests) for run in runs))
    yield ("seconds", *(f"{run.seconds:.1f}" for run in runs))
    yield ("questions a second", *(f"{run.ledger.endings.total() / run.seconds:.0f}" for run in runs))
    for trends in zip(*(run.trends for run in runs), strict=True):
        yield (f"{trends[0].name}, warm -> last", *(f"{trend.warm:g} -> {trend.last:g}" for trend in trends))


def _endings(soaked: Mapping[str, Soaked]) -> Iterator[tuple[str, ...]]:
    for how in sorted(set().union(*(run.ledger.endings for run in soaked.values()))):
        yield (f"ended: {how}", *(str(run.ledger.endings[how]) for run in soaked.values()))


def _promises(soaked: Mapping[str, Soaked]) -> Iterator[tuple[str, ...]]:
    for promise in PROMISES:
        broken = (run.breaches.get(promise, 0) for run in soaked.values())
        yield (promise, *(f"BROKEN {count} times" if count else "kept" for count in broken))


def _examples(soaked: Mapping[str, Soaked]) -> Iterator[str]:
    for form, run in soaked.items():
        for breach in run.ledger.examples:
            yield f"\n{form}: broken: {breach.promise}\n    {breach.words}"
