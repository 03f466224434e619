"""Every recorded request that is read and built back passes the provider's own package."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from tests.conformance import official, recorded
from tests.conformance.beyond import unexplained
from tests.conformance.conftest import Listed
from tests.formats.corpus import Exchange, each
from triptych import formats, jsontext
from triptych.errors import LlmError

# Its only message is empty: the API answered 400, and it is refused here before it is sent.
EMPTY = "anthropic_98b78500"


def built_back(exchange: Exchange) -> dict[str, Any]:
    """Return the body of a recorded request, read and built again, as it is on the wire."""
    wire = formats.load(exchange.format)
    body = wire.build_request(wire.read_request(copy.deepcopy(exchange.request))).body
    decoded: dict[str, Any] = jsontext.decode(jsontext.encode(body))
    return decoded


def anywhere(fault: str) -> str:
    """Return a fault without the numbers in its place: a message that joins another moves those behind it."""
    return re.sub(r"\.\d+", ".N", fault)


@each(exchange for exchange in recorded.exchanges() if exchange.id != EMPTY)
def test_a_body_that_is_built_back_is_accepted_but_for_what_was_recorded_so(exchange: Exchange, listed: Listed) -> None:
    package, stream = official.of(exchange.format), recorded.streamed(exchange)
    before = {anywhere(fault) for fault in package.faults(exchange.request, stream)}
    after = unexplained(exchange.format, package.faults(built_back(exchange), stream))
    assert [fault for fault in after if anywhere(fault) not in before] == []
    for fault in after:
        listed(f"recorded body itself refused by the package of {exchange.format}", f"{exchange.id}: {fault}")


@each(exchange for exchange in recorded.exchanges() if exchange.id == EMPTY)
def test_a_body_without_words_is_refused_before_it_is_sent(exchange: Exchange) -> None:
    with pytest.raises(LlmError) as caught:
        built_back(exchange)
    assert (caught.value.kind, exchange.status) == ("invalid_request", 400)
