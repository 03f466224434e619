"""Tests of every rule set with types as programs declare them: what is sent, and that the answer comes back."""

from __future__ import annotations

import copy
import json
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.dialects.references import KEYWORDS, NO_RECURSION, complaints, valid, written
from tests.dialects.types import Drawn, drawn_types, schema_of
from triptych.dialects import (
    ANTHROPIC_STRICT,
    BEDROCK,
    COHERE,
    GEMINI,
    MISTRAL,
    OLLAMA,
    OPENAI_STRICT,
    Rules,
    adapt,
)
from triptych.errors import LlmError

RULES: dict[str, Rules] = {
    "openai": OPENAI_STRICT,
    "anthropic": ANTHROPIC_STRICT,
    "bedrock": BEDROCK,
    "gemini": GEMINI,
    "mistral": MISTRAL,
    "cohere": COHERE,
    "ollama": OLLAMA,
}


def test_every_rule_set_is_checked() -> None:
    assert RULES.keys() == KEYWORDS.keys()


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.data())
def test_a_drawn_type_is_sent_as_each_api_takes_it_and_its_instances_come_back(data: st.DataObject) -> None:
    drawn = data.draw(drawn_types())
    instance = data.draw(drawn.values)
    for api, rules in RULES.items():
        note(api)
        _check(api, rules, drawn, instance)


def _check(api: str, rules: Rules, drawn: Drawn, instance: Any) -> None:
    schema = schema_of(drawn.type)
    before = copy.deepcopy(schema)
    error: LlmError | None = None
    try:
        adapted = adapt(schema, rules)
    except LlmError as fault:
        error = fault
    if error is not None:
        assert (error.kind, drawn.recursive, api in NO_RECURSION, " → " in error.message) == (
            "unsupported",
            *[True] * 3,
        )
        return
    assert schema == before
    assert complaints(api, adapted.schema) == []
    Draft202012Validator.check_schema(adapted.schema)
    assert adapt(adapted.schema, rules).schema == adapted.schema
    said: Any = json.loads(msgspec.json.encode(instance))
    answer = written(said, adapted.schema)
    assert valid(answer, adapted.schema, adapted.schema.get("$defs", {}))
    restored = adapted.restore(answer)
    assert restored == said
    assert valid(restored, schema, schema.get("$defs", {}))
    assert msgspec.json.decode(json.dumps(restored), type=drawn.type) == instance
