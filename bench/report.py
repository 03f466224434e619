"""What is printed: a table of figures, each beside its targets, and whether they were met."""

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from bench.measure import Sample


@frozen
class Target:
    """A limit on a figure of ours.

    Args:
        limit: The number to hold, compared after rounding to two digits, as it is printed.
        against: Whose figure ours is divided by first; None compares ours itself.
        at_least: Whether the limit is the least and not the most allowed.
    """

    limit: float
    against: str | None = None
    at_least: bool = False

    def met_by(self, value: float) -> bool:
        """Return whether this value, a ratio or a figure of ours, holds the limit."""
        return round(value, 2) >= self.limit if self.at_least else round(value, 2) <= self.limit

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self.limit:g}"


@frozen
class Figure:
    """One thing measured of everyone.

    Args:
        name: What was measured.
        unit: The unit of the values.
        samples: By name of the library; ours is ``triptych``.
        targets: What ours has to hold.
    """

    name: str
    unit: str
    samples: Mapping[str, Sample]
    targets: Sequence[Target] = field(default=())

    def value(self, target: Target) -> float | None:
        """Return what the target is about: our median, or its ratio; None when the other one was not measured."""
        ours = self.samples["triptych"].median
        if target.against is None:
            return ours
        if target.against not in self.samples:
            return None
        return ours / self.samples[target.against].median

    @property
    def missed(self) -> list[Target]:
        """The targets that were measured and not met."""
        values = [(target, self.value(target)) for target in self.targets]
        return [target for target, value in values if value is not None and not target.met_by(value)]

    @property
    def open(self) -> list[Target]:
        """The targets that could not be measured, because the other library is not installed."""
        return [target for target in self.targets if self.value(target) is None]


_COLUMNS = ("figure", "unit", "triptych", "requests", "official", "ratio", "target", "")
_OFFICIAL = ("openai", "anthropic")


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as lines of aligned columns; each value is a median, and after it the quartiles' distance."""
    rows = [_COLUMNS, *(row for figure in figures for row in _rows(figure))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def _rows(figure: Figure) -> list[tuple[str, ...]]:
    official = next((name for name in _OFFICIAL if name in figure.samples), None)
    cells = [_shown(figure.samples.get(name)) for name in ("triptych", "requests")]
    cells.append(f"{_shown(figure.samples[official])} ({official})" if official else "")
    first, rest = (figure.name, figure.unit, *cells), ("",) * 5
    verdicts = [_verdict(figure, target) for target in figure.targets] or [("", "", "")]
    return [(*(rest if number else first), *verdict) for number, verdict in enumerate(verdicts)]


def _verdict(figure: Figure, target: Target) -> tuple[str, str, str]:
    value = figure.value(target)
    if value is None:
        return "", f"{target} of {target.against}", "not measured"
    of = f" of {target.against}" if target.against else ""
    return f"{value:.2f}{of}" if of else "", f"{target}", "ok" if target.met_by(value) else "MISS"


def _shown(sample: Sample | None) -> str:
    if sample is None:
        return ""
    digits = 0 if sample.median >= 100 or sample.median == int(sample.median) else 1
    spread = f" ±{sample.spread:.{digits}f}" if len(sample.values) > 1 else ""
    return f"{sample.median:,.{digits}f}{spread}"
