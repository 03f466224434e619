"""Converse by `botocore`: its model of the service, its check of parameters and its reading of answers."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from functools import cache
from typing import Any

from botocore.parsers import create_parser  # type: ignore[import-untyped]
from botocore.session import Session  # type: ignore[import-untyped]
from botocore.validate import ParamValidator  # type: ignore[import-untyped]

from tests.conformance.said import Said
from triptych import jsontext


@cache
def _operation(stream: bool) -> Any:
    return Session().get_service_model("bedrock-runtime").operation_model("ConverseStream" if stream else "Converse")


def faults(body: Mapping[str, Any], stream: bool) -> list[str]:
    """Return what botocore has against a body; the model's id is in the URL."""
    shape = _operation(stream).input_shape
    try:
        parameters = _with_bytes({"modelId": "m", **body}, shape)
    except binascii.Error as wrong:
        return [f"bytes that are no base64: {wrong}"]
    report = ParamValidator().validate(parameters, shape).generate_report()
    return report.splitlines() if report else []


def _with_bytes(value: Any, shape: Any) -> Any:
    """Return a value of JSON as botocore takes it: bytes where the shape has bytes, which JSON writes as base64."""
    kind = shape.type_name
    if kind == "blob" and isinstance(value, str):
        return base64.b64decode(value, validate=True)
    if kind == "structure" and isinstance(value, dict) and not shape.is_document_type:
        members = shape.members
        return {name: _with_bytes(one, members[name]) if name in members else one for name, one in value.items()}
    if kind == "list" and isinstance(value, list):
        return [_with_bytes(one, shape.member) for one in value]
    if kind == "map" and isinstance(value, dict):
        return {name: _with_bytes(one, shape.value) for name, one in value.items()}
    return value


def read(answer: Any) -> Said:
    """Return what botocore reads in an answer."""
    operation = _operation(False)
    sent = {"status_code": 200, "headers": {}, "body": jsontext.encode(answer)}
    parsed = create_parser(operation.service_model.protocol).parse(sent, operation.output_shape)
    blocks, counts = parsed["output"]["message"]["content"], parsed["usage"]
    calls = [block["toolUse"] for block in blocks if "toolUse" in block]
    calls = [call for call in calls if call.get("type") != "server_tool_use"]  # what the provider has called itself
    cached = counts.get("cacheReadInputTokens", 0) + counts.get("cacheWriteInputTokens", 0)
    return Said(
        "".join(_words(block) for block in blocks),
        [(call["name"], call["input"]) for call in calls],
        parsed["stopReason"],
        (counts["inputTokens"] + cached, counts["outputTokens"]),
    )


def _words(block: Mapping[str, Any]) -> str:
    cited = block.get("citationsContent", {}).get("content", [])
    return str(block.get("text", "")) + "".join(piece["text"] for piece in cited if "text" in piece)
