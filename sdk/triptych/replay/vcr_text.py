"""The text of an exchange in vcrpy's file layout, written by vcrpy: the only module that imports it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from triptych.replay.errors import missing_vcrpy
from triptych.replay.readable import readable_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from triptych.replay.exchange import Exchange, Headers

try:
    import yaml

    # vcrpy is not typed and publishes no stubs; each name is used once below, where its result gets a type.
    from vcr.request import Request  # type: ignore[import-untyped]
    from vcr.serialize import serialize  # type: ignore[import-untyped]
except ModuleNotFoundError as missing:
    raise missing_vcrpy(missing) from missing

__all__ = ["exchange_text"]

# Characters that YAML takes for line ends besides the line feed; a literal block would lose which one it was.
_OTHER_LINE_ENDS = "\r\x85\u2028\u2029"
# How an item begins whose request body is base64, and the answer whose body is.
_REQUEST_BODY = "- request:\n    body: !!binary |\n"
_RESPONSE_BODY = "\n  response:\n    body:\n      string: !!binary |\n"
# A longer line with such characters is written as a block of its own, where they need no escape.
_LONGEST_PLAIN = 60
_QUOTED = frozenset("\"'\\")
# Wider than any line: nothing is folded, so that a changed word changes one line of a diff.
_UNFOLDED = 2**31 - 1


def exchange_text(exchange: Exchange) -> str:
    """Write one exchange as an item of the list of interactions.

    Args:
        exchange: The exchange, secrets already replaced.

    Returns:
        YAML lines from `- request:` on. The same exchange gives the same text. Above a body that is written as base64
        stands in comments what it holds, as far as that is text: who reads the file and greps it needs them, programs
        pass them over.
    """
    request = Request(exchange.method, exchange.url, exchange.request_body or None, dict(exchange.request_headers))
    response = {
        "status": {"code": exchange.status, "message": exchange.reason},
        "headers": dict(sorted(_grouped(exchange.response_headers).items())),
        "body": {"string": exchange.response_body},
    }
    written: str = serialize({"requests": [request], "responses": [response]}, SimpleNamespace(serialize=_item))
    written = _noted(written, _REQUEST_BODY, exchange.request_body)
    return _noted(written, _RESPONSE_BODY, exchange.response_body)


def _noted(text: str, opening: str, body: bytes) -> str:
    """Put comments above a body where it is written as base64."""
    # Found where the body begins and nowhere else: the lines of a body are indented further.
    before, found, after = text.partition(opening)
    if not found:
        return text
    *above, key = opening.splitlines(keepends=True)
    indent = " " * (len(key) - len(key.lstrip()))
    notes = [f"{indent}# {line}\n" for line in readable_lines(body)]
    return "".join([before, *above, *notes, key, after])


def _grouped(headers: Headers) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in headers:
        grouped.setdefault(name, []).append(value)
    return grouped


def _item(data: Mapping[str, Sequence[Any]]) -> str:
    """Dump the one interaction of the data as a list item."""
    interactions = list(data["interactions"])
    # libyaml is some 60 times faster but writes characters beyond the basic plane (emoji) as escapes.
    dumper = _Readable if _has_astral(interactions) else _Fast
    written: str = yaml.dump(interactions, Dumper=dumper, allow_unicode=True, width=_UNFOLDED, sort_keys=True)
    # After a block that ends in empty lines PyYAML closes the document; here more items follow.
    return written.removesuffix("...\n")


def _has_astral(value: object) -> bool:
    if isinstance(value, str):
        return max(value, default="") > "\uffff"
    if isinstance(value, dict):
        return any(_has_astral(item) for item in value.values())
    return isinstance(value, list) and any(_has_astral(item) for item in value)


class _Readable(yaml.SafeDumper):
    """Writes long text as literal blocks, all characters as they are."""


class _Fast(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # the base depends on the build
    """Writes long text as literal blocks, with libyaml where PyYAML was built with it."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if any(end in text for end in _OTHER_LINE_ENDS):
        style = '"'
    elif "\n" in text or (len(text) > _LONGEST_PLAIN and not _QUOTED.isdisjoint(text)):
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


for _dumper in (_Readable, _Fast):
    _dumper.add_representer(str, _represent_text)
