"""One soak: a server that fails as planned, one client, many who ask, and what was found."""

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from tests.faults.sockets import open_sockets
from tests.soak.crowd import FORMS, Errand, note_try
from tests.soak.fates import Plan
from tests.soak.gauges import Gauges, Trend, grown, newcomers
from tests.soak.ledger import EACH_ONCE, NOTHING_LEFT, Breach, Ledger
from tests.soak.process import running_server
from tests.soak.questions import questions
from tests.soak.verdict import miscounted
from triptych import Timeout
from triptych.settings import Retries

_LIMIT = 2.0  # seconds that a client waits for an answer: what stalls is given up, what is only slow is not
_FIRST_WAIT = 0.002
_END = 10.0  # seconds that a thread may take to end


@frozen
class Size:
    """How much is asked.

    Args:
        calls: How many answers are to come whole.
        streams: How many are to come piece by piece.
        workers: How many ask at once.
    """

    calls: int
    streams: int
    workers: int

    @property
    def total(self) -> int:
        """How many questions there are."""
        return self.calls + self.streams


@frozen
class Soaked:
    """What a soak came to.

    Args:
        seconds: How long it took.
        requests: How many requests the server got.
        ledger: What was found.
        trends: What became of the process's figures.
    """

    seconds: float
    requests: int
    ledger: Ledger
    trends: list[Trend]

    @property
    def breaches(self) -> Mapping[str, int]:
        """How often each promise was broken; empty where all were kept."""
        return self.ledger.breaches


def soak(form: str, size: Size, plan: Plan, played: Plan | None = None) -> Soaked:
    """Ask everything of a server through one client, and return what was found.

    Args:
        form: "sync" or "async".
        size: How much is asked.
        plan: What is to come of each request.
        played: What the server does in truth, where it is another plan.
    """
    ledger, gauges = Ledger(), Gauges(size.total)
    errand = Errand(plan, size.workers, ledger, gauges)
    sockets, threads = open_sockets(), set(threading.enumerate())
    with running_server(played or plan) as server, newcomers():
        client = FORMS[form].make("openai/gpt-4.1-mini", base_url=server.base_url, api_key="sk-soak", **_options(plan))
        start = time.monotonic()
        FORMS[form].ask(client, errand, questions(form, size.calls, size.streams))
        seconds = time.monotonic() - start
        client.close()
        ledger.note(left_behind(sockets, threads))
        asked = server.asked()
    if (ended := ledger.endings.total()) != size.total:
        ledger.note([Breach(EACH_ONCE, f"{size.total} were asked, {ended} came to an end")])
    ledger.note(miscounted(asked, questions(form, size.calls, size.streams), errand.cancelled, plan))
    trends = gauges.trends()
    ledger.note(grown(trends))
    return Soaked(seconds, sum(asked.values()), ledger, trends)


def _options(plan: Plan) -> dict[str, Any]:
    """Return the arguments of a client that say how often it tries, how long it waits, and who is told."""
    return {
        "retries": Retries(plan.retries, first_wait=_FIRST_WAIT),
        "timeout": Timeout(first_event=_LIMIT, idle=_LIMIT),
        "on_attempt": note_try,
    }


def left_behind(sockets: int, threads: set[threading.Thread]) -> Iterator[Breach]:
    """Yield what there is more of than before, once the threads of a closed pool have had the time to end."""
    for thread in set(threading.enumerate()) - threads:
        thread.join(_END)
    if lasting := sorted(thread.name for thread in set(threading.enumerate()) - threads):
        yield Breach(NOTHING_LEFT, f"{len(lasting)} threads, such as {lasting[0]!r}")
    if open_sockets() > sockets:
        yield Breach(NOTHING_LEFT, f"{open_sockets() - sockets} sockets")
