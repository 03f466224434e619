"""Every cassette of the project says where it comes from and holds nothing that belongs to an account."""

from pathlib import Path

import pytest
import yaml

from tests.live.cassette_rules import faults
from tests.live.targets import CASSETTES

GOOD = "# server: s 1\n# model: m\n# date: 2026-11-30\ninteractions: []\n"


@pytest.mark.parametrize("path", sorted(CASSETTES.rglob("*.yaml")), ids=lambda path: str(path.relative_to(CASSETTES)))
def test_cassette_names_its_source_and_holds_no_secret(path: Path) -> None:
    """B202."""
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("      Authorization:\n", "holds a key header"),
        ("  x-api-key: abc\n", "holds a key header"),
        ("body: 'Bearer abcdef'\n", "holds a bearer token"),
        ("body: key sk-proj-abcdefghijklmnop1234\n", "holds a provider's key"),
        ("      Set-Cookie:\n", "holds a cookie"),
        ("      openai-organization:\n", "holds an organisation"),
        ("body: org-AbCdEfGh12\n", "holds an organisation"),
        ("body: proj_AbCdEfGh12\n", "holds a project"),
        ("  uri: https://host/model/arn:aws:bedrock:us-east-1:123456789012:x\n", "holds an AWS account"),
        ("body: AKIAABCDEFGHIJKLMNOP\n", "holds an AWS key"),
        ("      X-Amz-Security-Token:\n", "holds an AWS key"),
        ("body: AIzaSyA0123456789012345678901234567890\n", "holds a Google key"),
        ("body: peer 203.0.113.7 refused\n", "holds an address of the Internet Protocol"),
        ("      CF-RAY:\n", "holds a network trace id"),
        ("body: planted\n", "holds a key that it was recorded with"),
    ],
)
def test_line_that_must_not_be_kept_is_found(line: str, fault: str) -> None:
    assert faults(GOOD + line, ("planted",)) == [fault]


def test_bodies_that_are_no_text_are_looked_through() -> None:
    frames = b"\0\0\0v{Bearer abcdef, planted" + b"\xff" * 80
    text = yaml.safe_dump({"string": frames}, indent=8)

    assert "!!binary" in text
    assert faults(GOOD + text, ("planted",)) == ["holds a bearer token", "holds a key that it was recorded with"]


def test_good_cassette_has_no_faults() -> None:
    assert faults(GOOD, ("planted",)) == []


def test_missing_first_lines_are_named() -> None:
    assert faults("# server: s 1\ninteractions: []\n") == [
        "its first lines do not say: model",
        "its first lines do not say: date",
    ]
