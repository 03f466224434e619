"""SECURITY.md: every promise in it names tests, and these are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISES = re.findall(r"^- (.*)$", TEXT, re.M)
_REFERENCE = re.compile(r"`(tests/[a-z0-9_/]+(?:\.py)?)(?:::(\w+))?`")


def functions(path: Path) -> set[str]:
    """Return the names of the functions of a module."""
    return {node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if hasattr(node, "name")}


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise[:50])
def test_a_promise_names_tests_that_are_there(promise: str) -> None:
    named = _REFERENCE.findall(promise)
    assert named
    for place, function in named:
        assert (ROOT / place).exists(), place
        if function:
            assert function in functions(ROOT / place), f"{place}::{function}"
        elif not place.endswith(".py"):
            assert list((ROOT / place).glob("test_*.py")), place


def test_every_section_has_promises() -> None:
    sections = re.split(r"^## ", TEXT, flags=re.M)[1:]
    assert [section.split("\n")[0] for section in sections if "\n- " not in section] == []
