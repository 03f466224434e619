"""Tests of Secret: it gives the key to those who ask for it by name, and to nobody else."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import traceback

import pytest
from attrs import frozen

from triptych import jsontext
from triptych.secret import Secret

KEY = "sk-planted-0123456789"


@frozen
class Holder:
    """Something with a key in it."""

    key: Secret


def test_reveal_gives_the_key() -> None:
    assert Secret(KEY).reveal() == KEY


@pytest.mark.parametrize(
    "shown",
    [
        repr(Secret(KEY)),
        str(Secret(KEY)),
        f"{Secret(KEY)}",
        f"{Secret(KEY)!r:>30}",
        "{}".format(Secret(KEY)),  # noqa: UP032  # each way to write a value is tried
        "%s %r" % (Secret(KEY), Secret(KEY)),  # noqa: UP031
        repr([Secret(KEY)]),
        repr({"key": Secret(KEY)}),
        repr(Holder(Secret(KEY))),
        json.dumps({"key": Secret(KEY)}, default=str),
    ],
)
def test_no_way_to_write_it_shows_the_key(shown: str) -> None:
    assert KEY not in shown
    assert "***" in shown


def test_it_has_no_dict_to_look_into() -> None:
    assert not hasattr(Secret(KEY), "__dict__")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_is_not_pickled_alone_or_in_something(protocol: int) -> None:
    for value in (Secret(KEY), [Secret(KEY)], Holder(Secret(KEY))):
        with pytest.raises(TypeError, match=r"^a Secret is not pickled$"):
            pickle.dumps(value, protocol)


def test_it_has_no_json_form() -> None:
    with pytest.raises(TypeError, match=r"^a value of type Secret has no JSON form$"):
        jsontext.encode({"key": Secret(KEY)})


def test_a_copy_would_be_a_pickle_in_disguise_and_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^a Secret is not pickled$"):
        copy.deepcopy(Secret(KEY))


def test_a_traceback_with_local_variables_does_not_show_it() -> None:
    def fail(secret: Secret) -> None:
        holder = Holder(secret)
        raise RuntimeError(f"failed with {secret} and {holder}")

    with pytest.raises(RuntimeError) as caught:
        fail(Secret(KEY))
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    last = told.stack[-1].locals
    words = "".join(told.format())
    assert last is not None
    assert last["secret"] == "Secret('***')"
    assert KEY not in words


def test_a_log_record_does_not_show_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("triptych").debug("key %s %r", Secret(KEY), Holder(Secret(KEY)))
    assert "***" in caplog.text
    assert KEY not in caplog.text


def test_equal_keys_are_equal_and_hash_alike() -> None:
    assert Secret(KEY) == Secret(KEY)
    assert hash(Secret(KEY)) == hash(Secret(KEY))
    assert Secret(KEY) != Secret("other")
    assert Secret(KEY) != KEY


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (KEY, None),
        ("", "it is empty"),
        (" ", "it has white space in it: a line break at its end, perhaps"),
        (KEY + "\n", "it has white space in it: a line break at its end, perhaps"),
        ("two words", "it has white space in it: a line break at its end, perhaps"),
        ("\u00a0" + KEY, "it has white space in it: a line break at its end, perhaps"),
        (KEY + "\x00", "it has a character that is not printable ASCII"),
        ("sk-\u0435", "it has a character that is not printable ASCII"),
        ("\u201c" + KEY + "\u201d", "it has a character that is not printable ASCII"),
        ("\ufeff" + KEY, "it has a character that is not printable ASCII"),
        ("\ud800", "it has a character that is not printable ASCII"),
    ],
)
def test_a_key_that_no_header_can_hold_is_explained_without_being_quoted(value: str, fault: str | None) -> None:
    assert Secret(value).fault() == fault
