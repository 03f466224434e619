"""An answer of a wrong form is explained by the schema."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from triptych.formats.malformed import malformed, schema, validator
from triptych.formats.wrong_form import WrongForm

SOUND = {"id": "r", "choices": [], "created": 1, "model": "m", "object": "chat.completion"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"id": "x", "choices": None}, "at choices: expected array, got None (NoneType); its keys: ['choices', 'id']"),
        ({"id": "x"}, "at the top: expected the fields choices, got {'id': 'x'} (dict); its keys: ['id']"),
        ([1], "at the top: expected object, got [1] (list); its keys: list"),
        (
            {"choices": [{"index": 0, "finish_reason": "stop", "message": 7}]},
            "at choices[0].message: expected object, got 7 (int); its keys: ['choices']",
        ),
    ],
    ids=["null", "missing", "a list", "deep inside"],
)
def test_the_error_says_where_the_answer_differs_and_how(body: Any, reason: str) -> None:
    error = malformed("openai_chat", "Response", body, KeyError("choices"))
    assert error.kind == "malformed_response"
    assert error.message == f"the answer does not have the form of openai_chat: {reason}"
    assert error.cause == "KeyError('choices')"


def test_a_form_that_no_schema_can_refuse_is_no_fault_of_ours() -> None:
    error = malformed("openai_chat", "Response", SOUND, WrongForm("it says nothing"))
    assert (error.kind, error.message.partition(";")[0]) == (
        "malformed_response",
        "the answer does not have the form of openai_chat: it says nothing",
    )


def test_an_answer_that_is_too_deep_to_be_compared_is_told_as_that() -> None:
    deep: Any = []
    for _ in range(20_000):
        deep = [deep]
    error = malformed("bedrock_converse", "Response", {"output": {"message": {"content": deep}}}, TypeError("no"))
    assert (error.kind, error.body, error.message.partition(";")[0]) == (
        "malformed_response",
        None,
        "the answer does not have the form of bedrock_converse: it is nested too deeply to be compared",
    )


def test_the_start_of_a_long_answer_is_shown() -> None:
    error = malformed("openai_chat", "Response", {"choices": "x" * 9999}, TypeError("no"))
    assert error.body is not None
    assert (len(error.body), error.body[:13], error.body[-1]) == (500, '{"choices":"x', "…")


def test_a_sound_answer_that_could_not_be_mapped_is_our_fault_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "triptych"):
        error = malformed("openai_chat", "Response", SOUND, ZeroDivisionError("ours"))
    assert (error.kind, "ZeroDivisionError('ours')" in error.message) == ("internal", True)
    [record] = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ZeroDivisionError)


@pytest.mark.parametrize("name", ["openai_chat", "anthropic_messages"])
def test_every_schema_is_sound_and_has_the_definitions_that_a_format_needs(name: str) -> None:
    for definition in ("Request", "Response", "Error"):
        assert definition in schema(name)["$defs"]
        checker = validator(name, definition)
        checker.check_schema(checker.schema)
