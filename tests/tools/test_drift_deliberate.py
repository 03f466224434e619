"""Tests of the differences that are meant: they are subtracted, each has a reason, and none outlives its cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.drift.__main__ import DELIBERATE, SCHEMAS, report
from tools.drift.compare import Finding
from tools.drift.deliberate import Deliberate, read_deliberate, subtract

FINDINGS = [Finding("Request.a", "here"), Finding("Request.b[type=x].a", "there"), Finding("Response.c = 1.5", "here")]


def test_what_is_meant_is_subtracted() -> None:
    entries = [Deliberate(("Request.a",), "here", "Why."), Deliberate(("*[type=x].a",), "there", "Why.")]
    assert subtract(FINDINGS, entries) == ([FINDINGS[2]], [])


def test_an_entry_is_for_one_side_only() -> None:
    assert subtract(FINDINGS, [Deliberate(("*.a",), "here", "Why.")]) == (FINDINGS[1:], [])


def test_a_path_stands_for_itself_but_for_its_stars() -> None:
    assert subtract(FINDINGS, [Deliberate(("Response.c = 1*5",), "here", "Why.")])[0] == FINDINGS[:2]
    assert subtract(FINDINGS, [Deliberate(("Response.c = 1x5", "Request"), "here", "Why.")])[0] == FINDINGS


def test_a_path_that_matches_nothing_is_told() -> None:
    entries = [Deliberate(("Request.a", "Request.gone"), "here", "Why.")]
    assert subtract(FINDINGS, entries) == (FINDINGS[1:], ["Request.gone"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[x]]\npaths = ["a"]\nmissing = "here"\n', "x: an entry has paths, missing and reason"),
        ('[[x]]\npaths = ["a"]\nmissing = "left"\nreason = "Why."\n', 'x: missing is "here" or "there"'),
        ('[[x]]\npaths = ["a"]\nmissing = "here"\nreason = " "\n', "x: .* has no reason"),
    ],
)
def test_an_entry_that_is_not_whole_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "drift.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_deliberate(tmp_path / "drift.toml")


def test_every_entry_of_ours_belongs_to_a_format_that_there_is() -> None:
    assert read_deliberate(DELIBERATE).keys() <= {path.stem for path in SCHEMAS.glob("*.json")}


def test_a_schema_that_no_package_is_held_against_is_told() -> None:
    (line,) = report("a_new_format", [])
    assert line.startswith("a_new_format: has a schema and no package")
