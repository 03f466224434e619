"""What the soak has found: which promises were broken, by what, and how the calls ended."""

import threading
from collections import Counter
from collections.abc import Iterable

from attrs import frozen

_EXAMPLES = 5


@frozen
class Breach:
    """A promise that was not kept.

    Args:
        promise: The promise, one of those below.
        words: What happened.
    """

    promise: str
    words: str


OWN_ANSWERS = "every answer belongs to its question"
TRUE_ERRORS = "every failure is told as what it was"
STREAM_EVENTS = "the events of a stream are what its response holds"
NOTHING_RAISED = "no failure is raised"
EACH_ONCE = "no call is lost or doubled, and every try is told"
FLAT = "sockets, threads, memory and objects are flat after the warm-up"
NOTHING_LEFT = "a closed client leaves no socket and no thread"
PROMISES = (OWN_ANSWERS, TRUE_ERRORS, STREAM_EVENTS, NOTHING_RAISED, EACH_ONCE, FLAT, NOTHING_LEFT)


class Ledger:
    """Collects breaches and endings from any number of threads; it grows with the breaches and not with the calls.

    Attributes:
        endings: How many questions ended how.
        breaches: How often each promise was broken.
        examples: The first breaches of each promise.
    """

    def __init__(self) -> None:
        self.endings: Counter[str] = Counter()
        self.breaches: Counter[str] = Counter()
        self.examples: list[Breach] = []
        self._lock = threading.Lock()

    def ended(self, how: str, breaches: Iterable[Breach] = ()) -> None:
        """Note how a question ended, and what was wrong with it."""
        with self._lock:
            self.endings[how] += 1
        self.note(breaches)

    def note(self, breaches: Iterable[Breach]) -> None:
        """Note breaches."""
        for breach in breaches:
            with self._lock:
                self.breaches[breach.promise] += 1
                if self.breaches[breach.promise] <= _EXAMPLES:
                    self.examples.append(breach)
