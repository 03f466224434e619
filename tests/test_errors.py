"""Tests of LlmError and Notice: values that can be compared, copied, pickled, raised, and shown without a secret."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any, get_args

import pytest
from attrs import fields
from attrs.exceptions import FrozenInstanceError
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych import LlmError, Notice
from triptych.errors import Kind

KINDS = get_args(Kind)
RETRYABLE = {"rate_limit", "overloaded", "server", "timeout", "connection"}
KEY = "sk-planted-0123456789"


def full(kind: Kind = "server") -> LlmError:
    """Return an error with every field set."""
    return LlmError(
        "it broke",
        kind,
        status=503,
        code="overloaded_error",
        request_id="req_1",
        retry_after=1.5,
        retryable=False,
        attempts=3,
        cause="TimeoutError('x')",
        body="<html>",
        hint="try later",
    )


def by_pickle(protocol: int) -> Callable[[Any], Any]:
    """Return a function that takes a value through a pickle of this protocol."""
    return lambda value: pickle.loads(pickle.dumps(value, protocol))


COPIES = [copy.copy, copy.deepcopy, *map(by_pickle, range(pickle.HIGHEST_PROTOCOL + 1))]


def values(error: LlmError) -> dict[str, Any]:
    """Return every field of an error by name."""
    return {field.name: getattr(error, field.name) for field in fields(LlmError)}


def test_the_kinds_are_exactly_these() -> None:
    assert KINDS == (
        "authentication",
        "permission",
        "billing",
        "not_found",
        "invalid_request",
        "context_length",
        "content_filter",
        "rate_limit",
        "overloaded",
        "server",
        "timeout",
        "connection",
        "malformed_response",
        "stream_interrupted",
        "refusal",
        "truncated",
        "invalid_output",
        "unsupported",
        "cancelled",
        "replay_miss",
        "internal",
    )


@pytest.mark.parametrize("kind", KINDS)
def test_whether_a_call_may_be_tried_again_is_what_the_kind_says(kind: Kind) -> None:
    assert LlmError("it broke", kind).retryable is (kind in RETRYABLE)
    assert LlmError("it broke", kind, retryable=True).retryable is True
    assert LlmError("it broke", kind, retryable=False).retryable is False


@pytest.mark.parametrize("duplicate", COPIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_is_equal_field_by_field(kind: Kind, duplicate: Callable[[Any], Any]) -> None:
    """B192."""
    for error in (full(kind), LlmError("it broke", kind)):
        again = duplicate(error)
        assert type(again) is LlmError
        assert values(again) == values(error)
        assert again == error
        assert hash(again) == hash(error)
        assert str(again) == str(error)


@pytest.mark.parametrize("duplicate", COPIES)
def test_an_error_that_was_raised_with_a_cause_is_copied_without_its_frames(duplicate: Callable[[Any], Any]) -> None:
    def fail() -> None:
        try:
            raise OSError("the wire")
        except OSError as fault:
            raise full() from fault

    with pytest.raises(LlmError) as caught:
        fail()
    again = duplicate(caught.value)
    assert again == caught.value
    assert again.__traceback__ is None


def test_an_error_crosses_to_another_process() -> None:
    code = "import pickle, sys; error = pickle.load(sys.stdin.buffer); print(error.kind, error.status, error)"
    ran = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(full()), capture_output=True, check=True, timeout=60
    )
    assert ran.stdout == b"server 503 server (503): it broke (hint: try later)\n"


@settings(deadline=None)
@given(
    st.builds(
        LlmError,
        st.text(),
        st.sampled_from(KINDS),
        status=st.none() | st.integers(100, 599),
        code=st.none() | st.text(),
        retry_after=st.none() | st.floats(0, 1e6),
        retryable=st.none() | st.booleans(),
        body=st.none() | st.text(),
        hint=st.none() | st.text(),
    )
)
def test_any_error_comes_back_from_its_pickle(error: LlmError) -> None:
    assert values(pickle.loads(pickle.dumps(error))) == values(error)


def test_equal_errors_are_equal_and_hash_alike() -> None:
    assert full() == full()
    assert len({full(), full(), LlmError("it broke")}) == 2
    assert full() != full("timeout")
    assert full() != str(full())


def test_a_new_kind_brings_its_own_retryable_unless_that_is_given_too() -> None:
    assert LlmError("x", "server").evolve(kind="invalid_request").retryable is False
    assert LlmError("x", "server", retryable=False).evolve(message="y").retryable is False
    assert LlmError("x", "server").evolve(kind="invalid_request", retryable=True).retryable is True


def test_a_hint_is_no_part_of_what_is_compared_and_a_new_kind_leaves_it_behind() -> None:
    """What is advised may be said better in the next version: an error that was kept stays equal."""
    assert LlmError("x", "billing", hint="add credit") == LlmError("x", "billing")
    assert hash(LlmError("x", "billing", hint="add credit")) == hash(LlmError("x", "billing"))
    assert full().evolve(message="y").hint == "try later"
    assert full().evolve(kind="billing").hint is None
    assert full().evolve(kind="billing", hint="add credit").hint == "add credit"


def test_a_changed_copy_leaves_the_original_alone() -> None:
    error = full()
    changed = error.evolve(attempts=4, code="other")
    assert values(changed) == {**values(full()), "attempts": 4, "code": "other"}
    assert error == full()


def test_the_fields_cannot_be_set() -> None:
    error = full()
    with pytest.raises(FrozenInstanceError):
        error.message = "other"  # type: ignore[misc]  # the mistake is the point
    assert error == full()


def test_it_is_raised_caught_annotated_and_raised_again() -> None:
    with pytest.raises(LlmError, match=r"^server \(503\): it broke \(hint: try later\)$") as caught:
        raise full()
    caught.value.add_note("while asking")
    with pytest.raises(LlmError) as again:
        raise caught.value from OSError("the wire")
    assert again.value is caught.value
    assert again.value.__notes__ == ["while asking"]
    assert "OSError: the wire" in "".join(traceback.format_exception(again.value))


def test_it_is_an_exception_but_no_error_of_the_system() -> None:
    assert isinstance(full(), Exception)
    assert not isinstance(full(), OSError)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (LlmError("it broke"), "internal: it broke"),
        (LlmError("slow down", "rate_limit", status=429), "rate_limit (429): slow down"),
        (LlmError("", "server", status=500), "server (500): "),
        (LlmError("no credit", "billing", hint="add some"), "billing: no credit (hint: add some)"),
    ],
)
def test_it_is_written_as_its_kind_its_status_its_message_and_what_to_do(error: LlmError, words: str) -> None:
    assert str(error) == words
    assert traceback.format_exception_only(error) == [f"triptych.errors.LlmError: {words}\n"]


def test_its_repr_has_all_fields_but_the_body_of_the_answer() -> None:
    assert repr(full()) == (
        "LlmError(message='it broke', kind='server', status=503, code='overloaded_error', request_id='req_1', "
        "retry_after=1.5, retryable=False, attempts=3, cause=\"TimeoutError('x')\", "
        "hint='try later')"
    )


@pytest.mark.parametrize("name", ["message", "code", "request_id", "cause", "body", "hint"])
def test_without_a_secret_no_text_holds_it(name: str) -> None:
    error = full().evolve(**{name: f"Incorrect API key: {KEY}, {KEY}."})
    cleaned = error.without(KEY)
    assert values(cleaned) == {**values(error), name: "Incorrect API key: ***, ***."}
    assert KEY not in repr(cleaned) + str(cleaned) + repr(cleaned.args) + pickle.dumps(cleaned).decode("latin-1")


def test_without_a_secret_that_is_nowhere_it_is_itself() -> None:
    error = full()
    assert error.without(KEY) is error
    assert error.without("") is error


def test_without_does_not_bring_the_secret_back_through_what_caused_it() -> None:
    with pytest.raises(LlmError) as caught:
        raise LlmError(f"key {KEY}") from OSError(f"refused {KEY}")
    cleaned = caught.value.without(KEY)
    assert cleaned.__cause__ is None
    assert KEY not in "".join(traceback.format_exception(cleaned))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"message": None}, TypeError, "LlmError.message: expected str, got None (NoneType)"),
        ({"message": b"x"}, TypeError, "LlmError.message: expected str, got b'x' (bytes)"),
        (
            {"kind": "ratelimit"},
            ValueError,
            f"LlmError.kind: expected one of {', '.join(map(repr, KINDS))}, got 'ratelimit' (str) "
            "(did you mean 'rate_limit'?)",
        ),
        ({"status": "429"}, TypeError, "LlmError.status: expected int or None, got '429' (str)"),
        ({"code": 5}, TypeError, "LlmError.code: expected str or None, got 5 (int)"),
        ({"request_id": 5}, TypeError, "LlmError.request_id: expected str or None, got 5 (int)"),
        ({"retry_after": "1"}, TypeError, "LlmError.retry_after: expected int or float or None, got '1' (str)"),
        ({"retryable": 1}, TypeError, "LlmError.retryable: expected bool or None, got 1 (int)"),
        ({"attempts": None}, TypeError, "LlmError.attempts: expected int, got None (NoneType)"),
        ({"cause": OSError()}, TypeError, "LlmError.cause: expected str or None, got OSError() (OSError)"),
        ({"body": b""}, TypeError, "LlmError.body: expected str or None, got b'' (bytes)"),
        ({"hint": 5}, TypeError, "LlmError.hint: expected str or None, got 5 (int)"),
    ],
    ids=repr,
)
def test_a_wrong_field_is_named(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        LlmError(**{"message": "it broke", **arguments})
    assert str(caught.value) == words


def test_a_notice_says_where_what_and_why() -> None:
    notice = Notice("contents[3].content[0]", "Image left out", "no images on this API")
    assert str(notice) == "contents[3].content[0]: Image left out: no images on this API"
    assert notice == Notice("contents[3].content[0]", "Image left out", "no images on this API")
    assert len({notice, copy.deepcopy(notice), pickle.loads(pickle.dumps(notice))}) == 1
    with pytest.raises(FrozenInstanceError):
        notice.what = "other"  # type: ignore[misc]  # the mistake is the point
