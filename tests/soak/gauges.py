"""What the process holds while it works: sockets, threads, memory and objects, and whether they stay as they are."""

import contextlib
import gc
import statistics
import threading
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from tests.faults.sockets import open_sockets
from tests.soak.ledger import FLAT, Breach

_SAMPLES = 60
_WARM_UP = 0.1
_QUARTER = 0.25


@contextlib.contextmanager
def newcomers() -> Iterator[None]:
    """Let the garbage collector look only at what is made in a `with` block, so that a sample is cheap."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@frozen
class Sample:
    """What the process holds at one moment.

    Args:
        done: How much of the work is done, from 0 to 1.
        sockets: Open sockets.
        threads: Threads alive.
        memory: Resident memory in MB.
        objects: Objects that the garbage collector looks at and cannot collect.
    """

    done: float
    sockets: int
    threads: int
    memory: float
    objects: int

    @classmethod
    def now(cls, done: float) -> "Sample":
        """Return what the process holds now; sockets are counted before anything is collected."""
        sockets, threads, memory = open_sockets(), threading.active_count(), _resident()
        gc.collect()
        return cls(done, sockets, threads, memory, len(gc.get_objects()))


@frozen
class Trend:
    """What became of one figure.

    Args:
        name: The figure.
        warm: Its median just after the warm-up.
        last: Its median in the last quarter.
        room: How much more it may be then.
    """

    name: str
    warm: float
    last: float
    room: float

    @property
    def flat(self) -> bool:
        """Whether it has not grown."""
        return self.last <= self.warm + self.room


class Gauges:
    """Takes samples while the work goes on, in the thread that has just done a piece of it.

    Args:
        total: How many pieces there are.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._every = max(1, total // _SAMPLES)
        self._lock = threading.Lock()
        self.samples: list[Sample] = []

    def step(self) -> None:
        """Note that one more piece is done."""
        with self._lock:
            self._done += 1
            done = self._done
        if done % self._every == 0:
            self.samples.append(Sample.now(done / self._total))

    def trends(self) -> list[Trend]:
        """Return what became of each figure."""
        warm = [sample for sample in self.samples if _WARM_UP < sample.done <= _WARM_UP + _QUARTER]
        last = [sample for sample in self.samples if sample.done > 1 - _QUARTER]
        trends = []
        for name, room in _ROOMS:
            before, after = (statistics.median(getattr(sample, name) for sample in part) for part in (warm, last))
            trends.append(Trend(name, before, after, room))
        return trends


# By figure, how much it may grow, whatever it was: the process of the test suite is large before it begins. A pool of
# threads grows to the most that ever worked at once, and the thread of a cancelled call works on for a moment.
_ROOMS = (("sockets", 4.0), ("threads", 8.0), ("memory", 12.0), ("objects", 1500.0))


def grown(trends: list[Trend]) -> Iterator[Breach]:
    """Yield the figures that have grown."""
    for trend in trends:
        if not trend.flat:
            yield Breach(FLAT, f"{trend.name}: {trend.warm:g} after the warm-up, {trend.last:g} at the end")


def _resident() -> float:
    fields = Path("/proc/self/status").read_text(encoding="ascii").split()
    return int(fields[fields.index("VmRSS:") + 1]) / 1024
