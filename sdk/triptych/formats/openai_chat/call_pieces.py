"""Tool calls that arrive in pieces, several at once: which piece belongs to which call, and the calls put together.

Hosts leave the index out, use one for two calls, leave gaps, repeat the id as an empty text or send it only once, and
send the name and the arguments whole or in pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from triptych import jsontext
from triptych.content import read_arguments
from triptych.events import ToolCallDelta
from triptych.formats.pieces import merge, number, words

_SAID = frozenset({"index", "id", "type", "function", "custom"})


@define(eq=False)
class CallPieces:
    """One call as it grows.

    Args:
        position: Which of the answer's calls it is, in order of arrival.
        index: The host's number of it, where it sends one.
        id: The host's id of it.
        type: The host's word for its kind.
        form: The field that says it, "function" or "custom"; None while neither has come.
        name: The tool's name, as far as it has come.
        texts: The pieces of its arguments' text.
        arguments: The arguments of a host that sends an object.
        rest: Its other fields.
    """

    position: int
    index: int | None
    id: str | None = None
    type: str = "function"
    form: str | None = None
    name: str = ""
    texts: list[str] = field(factory=list)
    arguments: dict[str, Any] | None = None
    rest: dict[str, Any] = field(factory=dict)

    @property
    def begun(self) -> bool:
        """Whether some of its arguments have come."""
        return bool(self.texts) or self.arguments is not None

    @property
    def whole(self) -> bool:
        """Whether nothing can be missing: its arguments are an object that is closed. Free text never shows its end."""
        if self.form == "custom":
            return False
        text = "".join(self.texts)
        return self.arguments is not None or (not text.isspace() and text != "" and read_arguments(text) is not None)

    def add(self, delta: Mapping[str, Any]) -> str:
        """Take the next piece of the call; return the piece of its arguments' text."""
        self.id = self.id or words(delta, "id") or None
        self.type = delta.get("type") or self.type
        said = self._said(delta)
        name = words(said, "name")
        if name != self.name:  # some hosts repeat the whole name in each piece
            self.name += name
        merge(self.rest, {key: value for key, value in delta.items() if key not in _SAID and value is not None})
        piece = said.get("arguments") or said.get("input") or ""
        if isinstance(piece, dict):
            self.arguments = {**(self.arguments or {}), **piece}
            return jsontext.encode_text(piece)
        text = piece if isinstance(piece, str) else jsontext.encode_text(piece)
        if text:
            self.texts.append(text)
        return text

    def _said(self, delta: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what a piece says in the call's form; some hosts send the fields of both and leave one empty."""
        function, custom = delta.get("function") or {}, delta.get("custom") or {}
        if custom.get("name"):
            self.form = "custom"
        elif self.form is None and "function" in delta:
            self.form = "function"
        return custom if self.form == "custom" else function

    def wire(self) -> dict[str, Any]:
        """Return the call as it would stand in a whole answer."""
        text = "".join(self.texts)
        if self.form == "custom":
            said: dict[str, Any] = {"custom": {"name": self.name, "input": text}}
        elif self.form is None and self.type != "function":
            said = {}  # a kind that is not known here: its own fields are in the rest
        else:
            arguments = text if self.arguments is None else self.arguments
            said = {"function": {"name": self.name, "arguments": arguments}}
        return {"id": self.id, "type": self.type, **said, **self.rest}


@define
class CallAssembly:
    """The calls of one choice as they grow.

    Args:
        choice: The choice's number.
    """

    choice: int
    calls: list[CallPieces] = field(factory=list)
    latest: CallPieces | None = None

    def feed(self, deltas: list[Any]) -> list[ToolCallDelta]:
        """Take the pieces of one chunk; return an event for each."""
        events = []
        for place, delta in enumerate(deltas):
            call = self.latest = self._call(delta, place)
            piece = call.add(delta)
            events.append(ToolCallDelta(call.id, call.name, piece, call.position, self.choice))
        return events

    def _call(self, delta: Mapping[str, Any], place: int) -> CallPieces:
        """Return the call that a piece belongs to: by its index, by its id, else by its place."""
        index = None if delta.get("index") is None else number(delta, "index")
        given = words(delta, "id") or None
        if index is not None:
            found = next((call for call in reversed(self.calls) if call.index == index), None)
        elif given is not None:
            found = next((call for call in self.calls if call.id == given), None)
        else:
            found = self._placed(delta, place)
        if found is None or (given is not None and found.id is not None and given != found.id):
            found = CallPieces(len(self.calls), index)
            self.calls.append(found)
        return found

    def _placed(self, delta: Mapping[str, Any], place: int) -> CallPieces | None:
        """Return the call of a piece without index and id; a name begins another where the last one has begun."""
        last = self.calls[-1] if self.calls else None
        names = bool((delta.get("function") or {}).get("name"))
        if last is None or (names and (place >= len(self.calls) or last.begun)):
            return None
        return self.calls[place] if 0 < place < len(self.calls) else last

    def ordered(self) -> list[CallPieces]:
        """Return the calls in the order of their indexes."""
        return sorted(self.calls, key=lambda call: call.position if call.index is None else call.index)
