"""The text of a cassette, in vcrpy's file layout: the only module that imports vcrpy."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import yaml

from triptych.replay.exchange import Exchange, Headers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

try:
    # vcrpy is not typed and publishes no stubs; each name is used once below, where its result gets a type.
    from vcr.request import Request  # type: ignore[import-untyped]
    from vcr.serialize import deserialize, serialize  # type: ignore[import-untyped]
    from vcr.serializers import yamlserializer  # type: ignore[import-untyped]
    from vcr.util import read_body  # type: ignore[import-untyped]
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "cassettes are read and written with vcrpy, which is not installed: pip install triptych[replay]",
        name=missing.name,
    ) from missing

__all__ = ["exchange_text", "exchanges_from_text"]

# Characters that YAML takes for line ends besides the line feed; a literal block would lose which one it was.
_OTHER_LINE_ENDS = "\r\x85\u2028\u2029"
# A longer line with such characters is written as a block of its own, where they need no escape.
_LONGEST_PLAIN = 60
_QUOTED = frozenset("\"'\\")
# Wider than any line: nothing is folded, so that a changed word changes one line of a diff.
_UNFOLDED = 2**31 - 1


def exchanges_from_text(text: str) -> list[Exchange]:
    """Read the exchanges of a cassette.

    Args:
        text: The YAML of the file, by us or by plain vcrpy.

    Returns:
        The exchanges in recorded order; bodies as they are stored, compressed or not.

    Raises:
        ValueError: The text is not a cassette; the message says where and why.
        yaml.YAMLError: The text is not YAML, or has tags that could run code.
    """
    # Checked before vcrpy sees it, which would report an unknown tag as a cassette of an older version.
    data = _checked(text)
    requests, responses, *_ = deserialize(text, SimpleNamespace(deserialize=lambda _: data))
    pairs = zip(requests, responses, strict=True)
    return [_exchange(request, response, index) for index, (request, response) in enumerate(pairs)]


def exchange_text(exchange: Exchange) -> str:
    """Write one exchange as an item of the list of interactions.

    Args:
        exchange: The exchange, secrets already replaced.

    Returns:
        YAML lines from `- request:` on. The same exchange gives the same text.
    """
    request = Request(exchange.method, exchange.url, exchange.request_body or None, dict(exchange.request_headers))
    response = {
        "status": {"code": exchange.status, "message": exchange.reason},
        "headers": dict(sorted(_grouped(exchange.response_headers).items())),
        "body": {"string": exchange.response_body},
    }
    written: str = serialize({"requests": [request], "responses": [response]}, SimpleNamespace(serialize=_item))
    return written


def _grouped(headers: Headers) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in headers:
        grouped.setdefault(name, []).append(value)
    return grouped


# --- reading ---------------------------------------------------------------------------------------------------------


def _checked(text: str) -> dict[str, Any]:
    """Parse the YAML, and bring what may vary between versions of vcrpy into the shape that this one reads."""
    data = yamlserializer.deserialize(text)
    if data is None:
        raise ValueError("it is empty; delete it to record it again")
    if isinstance(data, list) and data and isinstance(data[0], dict) and "request" in data[0]:
        raise ValueError("it has the layout from before vcrpy 1.0; convert it with python -m vcr.migration")
    interactions = _expect(_expect(data, dict, "the file").get("interactions"), list, "interactions")
    return {"interactions": [_interaction(item, f"interactions[{i}]") for i, item in enumerate(interactions)]}


def _interaction(item: object, path: str) -> dict[str, Any]:
    interaction = _expect(item, dict, path)
    request = _expect(interaction.get("request"), dict, f"{path}.request")
    response = _expect(interaction.get("response"), dict, f"{path}.response")
    status = _expect(response.get("status"), dict, f"{path}.response.status")
    _expect(status.get("code"), int, f"{path}.response.status.code")
    return {
        "request": {
            "method": _expect(request.get("method"), str, f"{path}.request.method"),
            "uri": _expect(request.get("uri"), str, f"{path}.request.uri"),
            "body": request.get("body"),
            "headers": _expect(request.get("headers") or {}, dict, f"{path}.request.headers"),
        },
        "response": {
            "status": status,
            "headers": _expect(response.get("headers") or {}, dict, f"{path}.response.headers"),
            "body": {"string": _stored_body(response.get("body"), f"{path}.response.body")},
        },
    }


def _stored_body(body: object, path: str) -> str | bytes:
    """Take the body out of `{string: …}`, as it is written now, or bare, as it was once."""
    stored = body.get("string") if isinstance(body, dict) else body
    if stored is None:
        return b""
    if isinstance(stored, (str, bytes)):
        return stored
    raise ValueError(f"{path}: expected text or binary data, found {type(stored).__name__}")


def _expect(value: object, kind: type, path: str) -> Any:
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    found = "nothing" if value is None else type(value).__name__
    raise ValueError(f"{path}: expected a {_KIND_NAMES[kind]}, found {found}")


_KIND_NAMES = {dict: "mapping", list: "list", str: "text", int: "whole number"}


def _exchange(request: Any, response: Mapping[str, Any], index: int) -> Exchange:
    return Exchange(
        method=request.method.upper(),
        url=request.uri,
        request_headers=tuple(_pairs(request.headers)),
        request_body=_request_body(request, f"interactions[{index}].request.body"),
        status=response["status"]["code"],
        reason=str(response["status"].get("message") or ""),
        response_headers=tuple(_pairs(response["headers"])),
        response_body=response["body"]["string"],
    )


def _pairs(headers: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, values in headers.items():
        for value in values if isinstance(values, (list, tuple)) else [values]:
            yield str(name), value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _request_body(request: Any, path: str) -> bytes:
    body: object = read_body(request)
    if body is None:
        return b""
    if isinstance(body, bytes):
        return body
    if isinstance(body, (dict, list)):
        return json.dumps(body).encode()
    raise ValueError(f"{path}: expected text, binary data or a mapping, found {type(body).__name__}")


# --- writing ---------------------------------------------------------------------------------------------------------


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
