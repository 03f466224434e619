"""Cuts for answers that are played as streams: hypothesis says where a text is cut and in which order pieces come."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeVar

from attrs import frozen
from hypothesis import strategies as st

Thing = TypeVar("Thing")


@frozen
class Knife:
    """Decides how one answer is cut.

    Args:
        draw: What hypothesis gives to a composite strategy.
    """

    draw: st.DrawFn

    def one_of(self, *options: Thing) -> Thing:
        """Return one of the options."""
        return self.draw(st.sampled_from(options))

    def pieces(self, text: str) -> list[str]:
        """Return a text in one to four pieces, some of which may be empty."""
        places = self.draw(st.lists(st.integers(0, len(text)), max_size=3).map(sorted))
        return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]

    def json_pieces(self, value: object) -> list[str]:
        """Return a JSON value as text in pieces, spelled in one of the usual ways."""
        separators = self.one_of((", ", ": "), (",", ":"))
        return self.pieces(json.dumps(value, ensure_ascii=self.one_of(True, False), separators=separators))

    def name_pieces(self, name: str) -> list[str]:
        """Return a name in pieces, none of them empty.

        None is the same as what came before it either: hosts also repeat the whole name, and the two look the same.
        """
        at = self.draw(st.integers(0, max(len(name) - 1, 0)))
        halves = [name[:at], name[at:]]
        return [name] if not at or halves[0] == halves[1] else halves

    def woven(self, queues: Sequence[Sequence[Thing]]) -> list[Thing]:
        """Return the elements of all queues as one, each queue in its own order."""
        left = [list(queue) for queue in queues if queue]
        woven = []
        while left:
            queue = left[self.draw(st.integers(0, len(left) - 1))] if len(left) > 1 else left[0]
            woven.append(queue.pop(0))
            left = [queue for queue in left if queue]
        return woven
