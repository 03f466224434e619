"""Arguments of a call that come in pieces: values by their path, texts in several.

Vertex AI sends them so where a request asks for it: a call with a name alone, calls with pieces, and one with nothing.
Reference: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling (streamed arguments)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from triptych.formats.pieces import words

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[(['\"])(.*?)\3\]")
# How many places of a list may be left out: they are filled with null, so it is no more than this at a time.
_MOST_LEFT_OUT = 16
_VALUES = ("stringValue", "numberValue", "boolValue")


class CallPieces:
    """One call as it grows.

    Args:
        part: The part that its first piece came in.
    """

    def __init__(self, part: Mapping[str, Any]) -> None:
        self._part = dict(part)
        self._call: dict[str, Any] = {}
        self._args: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self.closed = False
        self.add(part)

    def add(self, part: Mapping[str, Any]) -> None:
        """Take the next piece."""
        piece = part["functionCall"]
        self._part |= {name: value for name, value in part.items() if name != "functionCall"}
        for argument in piece.get("partialArgs") or []:
            self._take(argument)
        self._args |= piece.get("args") or {}
        rest = {name: value for name, value in piece.items() if name not in ("partialArgs", "willContinue", "args")}
        self._call |= rest
        self.closed = not piece.get("willContinue")

    def _take(self, argument: Mapping[str, Any]) -> None:
        path = argument["jsonPath"]
        if "stringValue" in argument:
            if path not in self._texts:
                _put(self._args, path, "")  # a path that leads nowhere shows at once
            self._texts.setdefault(path, []).append(words(argument, "stringValue"))
            return
        value = next((argument[name] for name in _VALUES if name in argument), None)
        if value is not None or "nullValue" in argument:
            _put(self._args, path, value)

    def wire(self) -> dict[str, Any]:
        """Return the part as it would stand in a whole answer."""
        for path, pieces in self._texts.items():
            _put(self._args, path, "".join(pieces))
        return {**self._part, "functionCall": {**self._call, "args": self._args}}


def _put(target: dict[str, Any], path: str, value: Any) -> None:
    """Put a value where its path says, and make what is on the way there."""
    steps: list[Any] = [int(index) if index else name or quoted for name, index, _, quoted in _STEP.findall(path)]
    place: Any = target
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        inner: Any = value if following is None else [] if isinstance(following, int) else {}
        if isinstance(step, int):
            if step > len(place) + _MOST_LEFT_OUT:
                raise ValueError(f"{path}: expected the next place of a list of {len(place)} values")
            place.extend([None] * (step + 1 - len(place)))
            if following is None or place[step] is None:
                place[step] = inner
        elif following is None or step not in place:
            place[step] = inner
        place = place[step]


def is_piece(part: Mapping[str, Any]) -> bool:
    """Return whether a part is the first piece of a call that comes in several."""
    call = part.get("functionCall")
    return isinstance(call, dict) and bool(call.get("willContinue") or call.get("partialArgs"))
