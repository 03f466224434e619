"""Whatever conversation a wire format is given, its own provider's package takes the body."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance import drawn, official
from tests.conformance.beyond import unexplained
from tests.formats import strategies
from triptych import formats, jsontext
from triptych.provider import Quirks

# What only other hosts take is no setting of the provider's own API.
DIALECT = Quirks(unsupported_settings=("top_k",))


@pytest.mark.parametrize("name", [name for name in formats.names() if name in strategies.PRIVATE])
def test_a_body_of_any_conversation_is_accepted(name: str) -> None:
    wire, faults = formats.load(name, strategies.PROVIDER, DIALECT), []
    for index, call in enumerate(drawn.conversations(name)):
        body: dict[str, Any] = jsontext.decode(jsontext.encode(wire.build_request(call).body))
        faults += [
            f"drawn {index}: {fault}" for fault in unexplained(name, official.of(name).faults(body, call.stream))
        ]
    assert faults == []
