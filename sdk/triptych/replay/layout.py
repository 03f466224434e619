"""The exchanges in the text of a cassette: vcrpy's layout of today, those of its past, and those of its relatives."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, TypeVar

from triptych.replay.document import Document, Misfit, Path, read_document
from triptych.replay.exchange import Exchange
from triptych.replay.matching import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["exchanges_from_text", "exchanges_of"]

Value = TypeVar("Value")

# The last line of each file that we or vcrpy write, and how a file says among its first lines that it was us.
_END = "version: 1"
_OURS = "# recorded by: triptych "
_HEADER_LINES = 20

_KIND_NAMES = {dict: "a mapping", list: "a list", str: "text", int: "a whole number"}
# What a header or a reason phrase that somebody wrote by hand may be to YAML.
_PLAIN_WORDS = {None: "", True: "true", False: "false"}


def exchanges_from_text(text: str) -> list[Exchange]:
    """Read the exchanges of a cassette.

    Args:
        text: The YAML of the file, by us or by plain vcrpy.

    Returns:
        The exchanges in recorded order; bodies as they are stored, compressed or not.

    Raises:
        Misfit: The text is not YAML, or not a cassette; it says where and why.
    """
    return exchanges_of(read_document(text))


def exchanges_of(document: Document) -> list[Exchange]:
    """Read the exchanges of a parsed cassette; see `exchanges_from_text`.

    Args:
        document: The text, parsed.
    """
    data = document.data
    if data is None:
        raise document.misfit((), "it is empty; delete it to record it again")
    if isinstance(data, list) and data and isinstance(data[0], dict) and "request" in data[0]:
        raise document.misfit((), "it has the layout from before vcrpy 1.0; convert it with python -m vcr.migration")
    _check_end(document.text)
    interactions = _Part(document, data, ()).take("interactions", list)
    return [_exchange(interactions.item(index, dict)) for index in range(len(interactions.value))]


def _check_end(text: str) -> None:
    """Refuse a file of ours that was cut short: what is left may well be a cassette, of other content."""
    lines = text.rstrip().split("\n")
    if lines[-1].rstrip() != _END and any(line.startswith(_OURS) for line in lines[:_HEADER_LINES]):
        raise Misfit(f"it breaks off: its last line is not {_END!r}", len(lines))


class _Part:
    """A part of the document that knows where it stands."""

    def __init__(self, document: Document, value: Any, path: Path) -> None:
        self.document, self.value, self.path = document, value, path

    def take(self, name: str, kind: type, default: object = None) -> _Part:
        """Return a member of a mapping, which must be of this kind; the default stands for one that is not there."""
        self.expect(dict)
        member = self.value.get(name)
        part = _Part(self.document, default if member is None else member, (*self.path, name))
        part.expect(kind)
        return part

    def item(self, index: int, kind: type) -> _Part:
        """Return an item of a list, which must be of this kind."""
        part = _Part(self.document, self.value[index], (*self.path, index))
        part.expect(kind)
        return part

    def expect(self, kind: type) -> None:
        """Refuse a value of another kind."""
        if not isinstance(self.value, kind) or (kind is int and isinstance(self.value, bool)):
            raise self.misfit(f"expected {_KIND_NAMES[kind]}")

    def misfit(self, expected: str) -> ValueError:
        """Return the fault of this value: what was expected, and what it is."""
        found = "nothing" if self.value is None else type(self.value).__name__
        place = "" if self.path else "the file: "
        return self.document.misfit(self.path, f"{place}{expected}, found {found}")

    def read(self, how: Callable[[], Value]) -> Value:
        """Return what `how` makes of this value; what it cannot make anything of is a fault of this place."""
        try:
            return how()
        except (ValueError, TypeError, RecursionError) as fault:
            raise self.document.misfit(self.path, str(fault)) from fault


def _exchange(interaction: _Part) -> Exchange:
    request, response = interaction.take("request", dict), interaction.take("response", dict)
    method, url = request.take("method", str), request.take("uri", str)
    url.read(lambda: address(url.value))
    status, reason, body = _answer(response)
    return Exchange(
        method=method.value.upper(),
        url=url.value,
        request_headers=tuple(_headers(request)),
        request_body=_request_body(_Part(request.document, request.value.get("body"), (*request.path, "body"))),
        status=status,
        reason=reason,
        response_headers=tuple(_headers(response)),
        response_body=body,
    )


def _answer(response: _Part) -> tuple[int, str, bytes]:
    """Return status, reason and body of a response."""
    if "status_code" in response.value:
        # As vcrpy before 6.0 recorded httpx.
        code, reason, place = response.take("status_code", int), "", "content"
    else:
        status = response.take("status", dict)
        code, place = status.take("code", int), "body"
        message = _Part(status.document, status.value.get("message"), (*status.path, "message"))
        reason = _word(message)
    if not 100 <= code.value <= 599:
        raise code.document.misfit(code.path, f"{code.value} is not the status of an HTTP response")
    return code.value, reason, _body(_Part(response.document, response.value.get(place), (*response.path, place)))


def _headers(message: _Part) -> Iterator[tuple[str, str]]:
    headers = message.take("headers", dict, {})
    for name, values in headers.value.items():
        if not isinstance(name, str):
            raise headers.document.misfit(headers.path, f"expected names that are text, found {name!r}")
        many = isinstance(values, (list, tuple))
        for index, value in enumerate(values if many else [values]):
            path = (*headers.path, name, index) if many else (*headers.path, name)
            yield name, _word(_Part(headers.document, value, path))


def _word(part: _Part) -> str:
    """Read a header's value or a reason phrase."""
    value = part.value
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if value is None or isinstance(value, bool):
        return _PLAIN_WORDS[value]
    if isinstance(value, (str, int, float)):
        return str(value)
    raise part.misfit("expected text")


def _body(part: _Part) -> bytes:
    """Read a body: `{string: …}`, as it is written now; bare, as it was once; or base64, as VCR of Ruby has it."""
    stored = part.value
    if isinstance(stored, dict) and isinstance(stored.get("base64_string"), str):
        letters = "".join(stored["base64_string"].split())
        return part.read(lambda: base64.b64decode(letters, validate=True))
    if isinstance(stored, dict):
        stored = stored.get("string")
    if stored is None:
        return b""
    if isinstance(stored, bytes):
        return stored
    if isinstance(stored, str):
        return part.read(stored.encode)
    found = _Part(part.document, stored, (*part.path, "string") if isinstance(part.value, dict) else part.path)
    raise found.misfit("expected text or binary data")


def _request_body(part: _Part) -> bytes:
    body = part.value
    if isinstance(body, dict) and "encoding" in body and body.keys() <= {"encoding", "string", "base64_string"}:
        return _body(part)
    if isinstance(body, (dict, list)):
        return part.read(lambda: json.dumps(body).encode())
    if body is None or isinstance(body, (str, bytes)):
        return _body(part)
    raise part.misfit("expected text, binary data or a mapping")
