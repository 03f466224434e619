"""What is asked and what is answered: both follow from a question's name, so that an answer tells whose it is."""

import hashlib
from collections.abc import Iterator

from attrs import frozen

MODEL = "gpt-4.1-mini-2025-04-14"
_LONG = 400  # words of a long answer: more than one piece of a body


def dice(*parts: object) -> float:
    """Return a number from 0 up to 1 that is as good as random and always the same for the same parts."""
    digest = hashlib.blake2b("/".join(map(str, parts)).encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big") / 2**48


@frozen
class Question:
    """One thing to ask.

    Args:
        name: Its name, which is nobody else's.
        streamed: Whether its answer is to come as a stream.
    """

    name: str
    streamed: bool

    @property
    def prompt(self) -> str:
        """The words to send."""
        return f"This is {self.name}"


def name_in(prompt: str) -> str:
    """Return the name of the question that these words ask."""
    return prompt.rpartition(" ")[2]


def questions(form: str, calls: int, streams: int) -> Iterator[Question]:
    """Yield as many questions as there are to be calls and streams, evenly mixed.

    Args:
        form: The first part of their names.
        calls: How many are to be answered whole.
        streams: How many are to be answered piece by piece.
    """
    total = calls + streams
    for number in range(total):
        streamed = (number + 1) * streams // total > number * streams // total
        yield Question(f"{form}-{number:06}", streamed)


@frozen
class Answer:
    """The true answer to a question: all of it bears the question's name.

    Args:
        id: The provider's id.
        words: The text, in the pieces in which it is streamed.
        input_tokens: What the question is said to cost.
        output_tokens: What the answer is said to cost.
    """

    id: str
    words: tuple[str, ...]
    input_tokens: int
    output_tokens: int

    @classmethod
    def to(cls, name: str) -> "Answer":
        """Return the answer to the question with this name."""
        size = dice("size", name)
        count = _LONG if size < 0.01 else 2 + int(size * 8)
        words = tuple(f"{name}:{place} " for place in range(count))
        return cls(f"chatcmpl-{name}", words, 10 + int(dice("in", name) * 9000), 1 + int(dice("out", name) * 9000))

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.words)

    @property
    def spoken(self) -> int:
        """How many of the words go out before a stream that breaks off does so: one at least, never all."""
        return len(self.words) // 2
