"""Answers of the Responses API: items, why they ended, what they cost, and those that failed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import body, issuer, parsed
from tests.formats.openai_responses.recorded import RESPONSES
from tests.formats.openai_responses.wire import COUNTS, answer, call, message, text, thought
from triptych.content import ContentItem, Message, Opaque, Reasoning, Refusal, Text, ToolCall
from triptych.usage import Usage

OWN = issuer(RESPONSES)
WHOLE = {**answer(), "created_at": 1, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
REST = {"type": "message", "id": "msg_1", "status": "completed"}


def test_an_answer_is_items_in_their_order() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    items: list[ContentItem] = [
        Reasoning(summary=["so", "and"], encrypted="seal", provider_data={"id": "rs_1"}, issuer=OWN),
        Opaque(search, issuer=OWN),
        Message("assistant", "Hi.", provider_data=REST, issuer=OWN),
        ToolCall("call_1", "f", {"a": 1}, provider_data={"id": "fc_call_1", "status": "completed"}, issuer=OWN),
    ]
    wire = answer(thought("so", "and", encrypted_content="seal"), search, message("Hi."), call('{"a":1}'))
    response = parsed(RESPONSES, wire)
    assert response.content == items
    assert (response.text, response.reasoning) == ("Hi.", "so\nand")
    assert (response.id, response.model, response.provider, response.raw) == ("resp_1", "m", "here", wire)


def test_citations_and_probabilities_stay_with_their_words() -> None:
    cited = {**text("Hi."), "annotations": [{"type": "file_path", "file_id": "f", "index": 0}]}
    [item] = parsed(RESPONSES, answer(message(cited, "Bye."))).content
    rest = {"annotations": cited["annotations"], "logprobs": []}
    plain: dict[str, Any] = {"annotations": [], "logprobs": []}
    parts: Any = [Text("Hi.", provider_data=rest, issuer=OWN), Text("Bye.", provider_data=plain, issuer=OWN)]
    assert item == Message("assistant", parts, provider_data=REST, issuer=OWN)


def test_a_refusal_is_an_item_of_its_own() -> None:
    [said, declined] = parsed(RESPONSES, answer(message("Well,", {"type": "refusal", "refusal": "no"}))).content
    assert isinstance(said, Message)
    assert declined == Refusal("no", provider_data=REST, issuer=OWN)


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ("", {}),
        (" ", {}),
        ("null", {}),
        (None, {}),
        ('{"a":1}', {"a": 1}),
        ('"{\\"a\\":1}"', {"a": 1}),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_arguments_are_read_from_every_form(arguments: Any, read: Any) -> None:
    """B001."""
    [made] = parsed(RESPONSES, answer(call(arguments))).tool_calls
    assert (made.arguments, made.malformed) == (read, False)


@pytest.mark.parametrize("arguments", ["{bad", "[1]", '{"a": 1'])
def test_arguments_that_are_no_object_are_kept_as_text(arguments: str) -> None:
    [made] = parsed(RESPONSES, answer(call(arguments, status="incomplete"))).tool_calls
    assert (made.malformed, made.raw_arguments) == (True, arguments)


def test_a_call_that_was_cut_before_its_arguments_is_no_call() -> None:
    cut = call("", status="incomplete")
    assert parsed(RESPONSES, answer(cut, status="incomplete")).content == [Opaque(cut, issuer=OWN)]


@pytest.mark.parametrize("given", [["", ""], [None, None], ["c", "c"], ["functions.f:0", "", "functions.f:0", None]])
def test_calls_of_one_answer_get_distinct_ids(given: list[Any]) -> None:
    """B010, B012."""
    response = parsed(RESPONSES, answer(*(call("{}", tool_call_id) for tool_call_id in given)))
    ids = [made.tool_call_id for made in response.tool_calls]
    assert len(ids) == len(set(ids)) == len(given)
    assert {tool_call_id for tool_call_id in given if tool_call_id} <= set(ids)
    assert [item["call_id"] for item in body(RESPONSES, response.content)["input"]] == ids


@pytest.mark.parametrize(
    ("status", "reason", "finish", "raw"),
    [
        ("completed", None, "stop", "completed"),
        ("incomplete", "max_output_tokens", "length", "max_output_tokens"),
        ("incomplete", "content_filter", "content_filter", "content_filter"),
        ("incomplete", "novel", "other", "novel"),
        ("incomplete", None, "other", "incomplete"),
        ("queued", None, "unknown", "queued"),
        ("in_progress", None, "unknown", "in_progress"),
        (None, None, "unknown", None),
        ("", None, "unknown", None),
        ("novel", None, "other", "novel"),
    ],
)
def test_why_an_answer_ended(status: Any, reason: str | None, finish: str, raw: str | None) -> None:
    """B084, B085, B124."""
    details = None if reason is None else {"reason": reason}
    response = parsed(RESPONSES, answer(message("Hi."), status=status, incomplete_details=details))
    assert (response.finish_reason, response.raw_finish_reason, response.error) == (finish, raw, None)
    assert response.text == "Hi."


def test_an_answer_with_calls_ended_for_them() -> None:
    assert parsed(RESPONSES, answer(message("Hi."), call())).finish_reason == "tool_calls"


def test_the_cost_counts_what_was_cached_and_thought() -> None:
    assert parsed(RESPONSES, answer()).usage == Usage(12, 7, 4, 2, 3)
    assert parsed(RESPONSES, answer(usage=None)).usage is None
    odd = {"input_tokens": 1, "output_tokens": None, "input_tokens_details": None}
    assert parsed(RESPONSES, answer(usage=odd)).usage == Usage(1, 0)


@pytest.mark.parametrize(
    ("code", "kind", "retryable"),
    [
        ("server_error", "server", True),
        ("rate_limit_exceeded", "rate_limit", True),
        ("vector_store_timeout", "timeout", True),
        ("invalid_prompt", "invalid_request", False),
        ("image_too_large", "invalid_request", False),
        ("image_content_policy_violation", "content_filter", False),
        ("bio_policy", "content_filter", False),
        ("novel", "server", True),
    ],
)
def test_a_failed_answer_is_an_error_that_keeps_what_was_said(code: str, kind: str, retryable: bool) -> None:
    """B124."""
    response = parsed(
        RESPONSES, answer(message("Hi."), status="failed", error={"code": code, "message": "It broke."}, usage=None)
    )
    assert response.error is not None
    assert (response.error.kind, response.error.code, response.error.retryable) == (kind, code, retryable)
    assert (response.error_message, response.text, response.finish_reason) == ("It broke.", "Hi.", "error")


@pytest.mark.parametrize("output", [None, []])
def test_a_failed_answer_without_items_is_an_error(output: Any) -> None:
    failed = {**answer(status="failed", error={"code": "server_error", "message": "It broke."}), "output": output}
    response = parsed(RESPONSES, failed)
    assert (response.content, response.error_message, response.id) == ([], "It broke.", "resp_1")


def test_an_answer_that_failed_without_words_or_was_cancelled_is_an_error() -> None:
    failed = parsed(RESPONSES, answer(status="failed"))
    cancelled = parsed(RESPONSES, answer(message("Hi."), status="cancelled"))
    assert failed.error is not None
    assert failed.error.kind == "server"
    assert cancelled.error is not None
    assert (cancelled.error.kind, cancelled.error.code, cancelled.text) == ("cancelled", "cancelled", "Hi.")


def test_an_error_with_a_status_that_says_all_is_well_is_an_error() -> None:
    response = parsed(RESPONSES, {"error": {"message": "no", "type": "rate_limit_error", "code": None}})
    assert response.error is not None
    assert (response.error.kind, response.error_message) == ("rate_limit", "no")


@pytest.mark.parametrize(
    "odd", [{"id": None, "model": None}, {"id": 5, "model": ["m"], "object": 1, "created_at": "x"}]
)
def test_odd_labels_spoil_no_answer(odd: dict[str, Any]) -> None:
    """B082."""
    response = parsed(RESPONSES, answer(message("Hi."), **odd))
    assert (response.text, response.error, response.model) == ("Hi.", None, None)


@pytest.mark.parametrize(
    ("wire", "words"),
    [
        ({**WHOLE, "output": None}, "at output: expected array, got None"),
        ({"id": "x"}, "expected the fields created_at, model, object, output"),
        ({**WHOLE, "output": [{"role": "assistant"}]}, "at output[0]"),
        ([1], "the top"),
    ],
)
def test_an_answer_of_another_form_is_malformed_and_says_where(wire: Any, words: str) -> None:
    """B083."""
    error = parsed(RESPONSES, wire).error
    assert error is not None
    assert error.kind == "malformed_response"
    assert words in error.message


def test_the_answer_is_not_changed() -> None:
    wire = answer(message("Hi.", {"type": "refusal", "refusal": "no"}), call(), thought("so"))
    before = repr(wire)
    response = parsed(RESPONSES, wire)
    body(RESPONSES, response.content)
    assert repr(wire) == before
    assert COUNTS["total_tokens"] == 19
