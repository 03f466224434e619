"""What has no typed home is kept as received, and sent back as kept."""

from __future__ import annotations

from typing import Any

import pytest

from triptych.formats.verbatim import keeping, unsaid, with_provider_data
from triptych.parts import Issuer, Text

OWN = Issuer("openai_chat", "here")


@pytest.mark.parametrize(
    ("wire", "built", "rest"),
    [
        ({"a": 1}, {"a": 1}, None),
        ({"a": 1}, {"a": 1, "b": 2}, None),
        ({"a": 1, "c": None}, {"a": 1}, {"c": None}),
        ({"a": 1}, {"a": 2}, {"a": 1}),
        ({}, {}, None),
    ],
)
def test_only_what_is_not_said_again_is_left_over(wire: Any, built: Any, rest: Any) -> None:
    assert unsaid(wire, built) == rest


def test_an_item_that_says_all_keeps_nothing() -> None:
    item = Text("a")
    assert keeping(item, {"type": "text", "text": "a"}, {"type": "text", "text": "a"}, OWN) is item


def test_an_item_keeps_the_rest_and_who_sent_it() -> None:
    kept = keeping(Text("a"), {"text": "a", "cache": 1}, {"text": "a"}, OWN)
    assert kept == Text("a", provider_data={"cache": 1}, issuer=OWN)


def test_what_was_kept_goes_back_to_its_issuer_alone() -> None:
    kept = Text("a", provider_data={"cache": 1}, issuer=OWN)
    wire = {"text": "a"}
    assert with_provider_data(wire, kept, OWN) == {"text": "a", "cache": 1}
    for other in (Issuer("openai_chat", "elsewhere"), Issuer("openai_chat"), Issuer("anthropic_messages", "here")):
        assert with_provider_data(wire, kept, other) == {"text": "a"}
    assert wire == {"text": "a"}
