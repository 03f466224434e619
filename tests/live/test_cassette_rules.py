"""Every cassette of the project says where it comes from and holds nothing that belongs to an account."""

from pathlib import Path

import pytest

from tests.live.cassette_rules import faults
from tests.live.targets import CASSETTES

TOP = "# server: s 1\n# model: m\n# date: 2026-11-30\n"
GOOD = f"""{TOP}interactions:
- request:
    body: '{{}}'
    headers: {{}}
    method: POST
    uri: http://localhost/
  response:
    body:
      string: '4'
    headers: {{}}
    status: {{code: 200, message: OK}}
version: 1
"""


@pytest.mark.parametrize("path", sorted(CASSETTES.rglob("*.yaml")), ids=lambda path: str(path.relative_to(CASSETTES)))
def test_cassette_names_its_source_and_holds_no_secret(path: Path) -> None:
    """B202."""
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("'4'", "key sk-proj-abcdefghijklmnop1234", "holds a key of OpenAI in interactions[0].response.body, line 12"),
        (
            "'4'",
            "planted-key",
            "holds a secret that was in use while it was recorded in interactions[0].response.body, line 12",
        ),
        ("headers: {}", "headers: {Cookie: [a=b]}", "holds a cookie in interactions[0].request.headers.cookie, line 7"),
        ("code: 200", "code: fine", "interactions[0].response.status.code: expected a whole number, found str"),
        ("# model: m\n", "", "its first lines do not say: model"),
    ],
)
def test_what_must_not_be_kept_is_told(old: str, new: str, fault: str) -> None:
    assert faults(GOOD.replace(old, new, 1), ("planted-key",)) == [fault]


def test_good_cassette_has_no_faults() -> None:
    assert faults(GOOD, ("planted-key",)) == []


def test_missing_first_lines_are_named() -> None:
    assert faults(GOOD.replace(TOP, "# server: s 1\n")) == [
        "its first lines do not say: model",
        "its first lines do not say: date",
    ]
