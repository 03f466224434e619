"""What becomes of each request: a matter of its question's name and of how often it was asked, so foreseen by all."""

from attrs import frozen

from tests.soak.questions import Question, dice
from triptych.errors import Kind


@frozen
class Told:
    """What a caller is told of one fault.

    Args:
        kind: The kind of the error.
        status: Its HTTP status.
        code: Its code.
        retryable: Whether the same call may succeed later.
        retry_after: Seconds that it asks to wait.
    """

    kind: Kind
    status: int | None = None
    code: str | None = None
    retryable: bool = True
    retry_after: float | None = None


@frozen
class Fate:
    """What the server does with one request.

    Args:
        name: What the server knows it by.
        share: How often it is chosen, beside the other faults.
        whole: The error of a call that meets it; None where it is answered none the less.
        streamed: The same of a stream.
        spoken: Whether a stream has given some of its words by then, so that it is not begun again.
    """

    name: str
    share: int
    whole: Told | None
    streamed: Told | None
    spoken: bool = False

    def told(self, question: Question) -> Told | None:
        """Return the error that this means to a question, or None where it is answered."""
        return self.streamed if question.streamed else self.whole

    def final(self, question: Question) -> bool:
        """Return whether nothing is sent after it, however many tries are left."""
        told = self.told(question)
        return told is None or not told.retryable or self.speaks(question)

    def speaks(self, question: Question) -> bool:
        """Return whether a stream has begun by then, as far as whoever asked can see."""
        return question.streamed and self.spoken

    def comes_to(self, question: Question) -> Kind | None:
        """Return the kind of the error that a try fails with, or None where it does not."""
        told = self.told(question)
        return None if told is None or self.speaks(question) else told.kind


_BROKEN = Told("connection", code="incomplete_response")
_LATE = Told("timeout", code="read_timeout")
_CUT_SHORT = Told("stream_interrupted", code="incomplete_response")
_UNREADABLE = Told("malformed_response", 200, retryable=False)
_BUSY = Told("rate_limit", 429, "rate_limit_exceeded", retry_after=0.001)
_FAILED = Told("server", 500, "server_error")
_OVERLOADED = Told("overloaded", 503, "overloaded_error")
ANSWERED = Fate("answered", 0, None, None)
FATES = (
    Fate("reset", 4, _BROKEN, _BROKEN),
    Fate("cut", 4, _BROKEN, _CUT_SHORT, spoken=True),
    Fate("cut_early", 2, _BROKEN, _CUT_SHORT),
    Fate("short", 2, _UNREADABLE, Told("stream_interrupted"), spoken=True),
    Fate("busy", 4, _BUSY, _BUSY),
    Fate("failed", 4, _FAILED, _FAILED),
    Fate("unavailable", 4, _OVERLOADED, _OVERLOADED),
    Fate("silent", 1, _LATE, _LATE),
    Fate("stalled", 1, _LATE, Told("timeout", code="idle_timeout"), spoken=True),
    Fate("slow", 2, None, None),
    Fate("malformed", 4, _UNREADABLE, Told("malformed_response", code="bad_event", retryable=False), spoken=True),
    Fate("error_inside", 4, Told("server", 200, "server_error"), Told("server", code="server_error")),
    Fate("garbage", 4, _BROKEN, _BROKEN),
    Fate("closed", 6, None, None),
)
_ROW = tuple(fate for fate in FATES for _ in range(fate.share))


@frozen
class Ending:
    """How a question ends.

    Args:
        tries: What each try comes to: the kind of its error, or None for an answer or the first of a stream.
        told: The error that is told at last, or None.
        spoken: Whether some of the words of a stream come before the error.
    """

    tries: tuple[Kind | None, ...]
    told: Told | None
    spoken: bool

    @property
    def requests(self) -> int:
        """How many requests reach the server."""
        return len(self.tries)


@frozen
class Plan:
    """Who meets which fate.

    Args:
        seed: Another seed, other fates.
        faults: The share of the requests that meet a fault, from 0 to 1.
        retries: How often a client tries again.
        cancelled: The share of the awaited calls that are cancelled, from 0 to 1.
        left: The share of the streams that are left after their first words.
    """

    seed: int
    faults: float = 0.05
    retries: int = 2
    cancelled: float = 0.01
    left: float = 0.02

    def fate(self, name: str, attempt: int) -> Fate:
        """Return what becomes of a request.

        Args:
            name: The name of the question that it asks.
            attempt: How often that was asked by now, this time included.
        """
        thrown = dice(self.seed, name, attempt)
        return _ROW[int(thrown / self.faults * len(_ROW))] if thrown < self.faults else ANSWERED

    def ending(self, question: Question) -> Ending:
        """Return how a question ends."""
        fates = [self.fate(question.name, 1)]
        while len(fates) <= self.retries and not fates[-1].final(question):
            fates.append(self.fate(question.name, len(fates) + 1))
        told = fates[-1].told(question)
        spoken = told is not None and fates[-1].speaks(question)
        return Ending(tuple(fate.comes_to(question) for fate in fates), told, spoken)

    def leaves(self, question: Question) -> bool:
        """Return whether whoever asks leaves the stream after its first words."""
        return question.streamed and dice(self.seed, "left", question.name) < self.left

    def patience(self, question: Question) -> float | None:
        """Return the seconds after which whoever awaits the answer cancels the call; None is never."""
        thrown = dice(self.seed, "cancelled", question.name)
        return 0.03 * thrown / self.cancelled if thrown < self.cancelled else None
