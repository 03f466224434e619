"""Tests of the locks: that the present ones fit what is asked for, and that one which does not is named.

The faults are made in a copy of the few files that the check reads, and the check runs there as `make check` runs it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from tools.lock import ENVIRONMENTS, ROOT, read_pins

FILES = [file for lock in ENVIRONMENTS.values() for file in lock.files]
READ = ("setup.cfg", "pyproject.toml", "tools/__init__.py", "tools/lock.py", *FILES)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copy what the check reads."""
    for name in READ:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    return tmp_path


def check(tree: Path) -> list[str]:
    """Run the check in a folder; return what it prints, and hold the exit status to it."""
    ran = subprocess.run(
        [sys.executable, "-m", "tools.lock", "--check"],
        cwd=tree,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = ran.stdout.splitlines()
    assert (ran.returncode, ran.stderr) == (1 if lines else 0, "")
    assert [line for line in lines if not line.endswith(": run `make lock`")] == []
    return [line.removesuffix(": run `make lock`") for line in lines]


def edit(file: Path, pattern: str, new: str) -> None:
    """Put something in the place of the first match of a pattern."""
    text, count = re.subn(pattern, new, file.read_text(encoding="utf-8"), count=1, flags=re.M)
    assert count == 1
    file.write_text(text, encoding="utf-8")


def test_the_locks_fit_what_is_asked_for(tree: Path) -> None:
    assert check(tree) == []


def test_each_environment_has_its_lock_and_no_lock_is_left_over() -> None:
    assert sorted(path.stem for path in (ROOT / "requirements").glob("*.txt")) == sorted(ENVIRONMENTS)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_line_of_a_lock_is_one_version_with_its_hashes_a_marker_or_a_comment(name: str) -> None:
    """An address or an option in a lock would bind everybody to one package index."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    line = r"[\w-]+==[\w.]+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?|    # +.*"
    assert [one for one in text.splitlines() if not re.fullmatch(line, one)] == []
    assert "://" not in text
    assert all(pin.hashes for pin in read_pins(name))


def test_a_pin_is_read_with_its_marker_and_hashes() -> None:
    pins = {pin.name: pin for pin in read_pins("dev")}
    assert pins["urllib3"].version >= Version("2")
    assert (str(pins["colorama"].requirement.marker), pins["colorama"].brought) == (
        'os_name == "nt" or sys_platform == "win32"',
        True,
    )
    assert (pins["msgspec"].brought, len(pins["msgspec"].hashes) > 10) == (False, True)


def test_a_new_dependency_that_no_lock_has_is_named(tree: Path) -> None:
    edit(tree / "setup.cfg", r"^    attrs>=.*$", r"\g<0>\n    hishel>=1.0")
    assert check(tree) == [
        f"requirements/{name}.txt: hishel>=1.0 is not in it" for name in ENVIRONMENTS if name != "lock"
    ]


def test_a_new_extra_is_missed_where_all_extras_are(tree: Path) -> None:
    edit(tree / "setup.cfg", r"^\[options.extras_require\]$", r"\g<0>\ncache =\n    hishel>=1.0")
    assert check(tree) == [f"requirements/{name}.txt: hishel>=1.0 is not in it" for name in ("dev", "fuzz", "lowest")]


def test_a_new_package_beside_the_providers_is_missed(tree: Path) -> None:
    edit(tree / "tests" / "conformance" / "packages.txt", r"\Z", "hishel==1.0\n")
    assert check(tree) == ["requirements/conformance.txt: hishel==1.0 is not in it"]


def test_a_floor_above_what_is_locked_is_named_with_both_versions(tree: Path) -> None:
    edit(tree / "setup.cfg", r"tenacity>=.*", "tenacity>=99.0")
    locked = {
        name: next(pin for pin in read_pins(name) if pin.name == "tenacity") for name in ENVIRONMENTS if name != "lock"
    }
    faults = [
        f"requirements/{name}.txt: tenacity {pin.version} does not fit tenacity>=99.0" for name, pin in locked.items()
    ]
    lowest = f"requirements/lowest.txt: tenacity {locked['lowest'].version} is not the lowest of tenacity>=99.0"
    assert check(tree) == [*faults, lowest]


def test_the_lowest_versions_are_the_floors_themselves(tree: Path) -> None:
    """A floor that nobody tested is a guess."""
    edit(tree / "setup.cfg", r"requests>=.*", "requests>=2.31")
    locked = next(pin.version for pin in read_pins("lowest") if pin.name == "requests")
    assert check(tree) == [f"requirements/lowest.txt: requests {locked} is not the lowest of requests>=2.31"]


def test_a_dependency_that_is_gone_is_not_installed_any_longer(tree: Path) -> None:
    edit(tree / "setup.cfg", r"^    docstring_parser>=.*\n", "")
    without = [name for name in ENVIRONMENTS if name not in ("lock", "conformance")]  # anthropic brings it to the last
    assert check(tree) == [f"requirements/{name}.txt: docstring-parser is no longer asked for" for name in without]


def test_a_version_without_a_hash_is_named(tree: Path) -> None:
    edit(tree / "requirements" / "lock.txt", r"^attrs==(\S+) \\\n(    --hash=.*\n)+", r"attrs==\1\n")
    assert check(tree) == ["requirements/lock.txt: attrs has no hash"]


def test_a_lock_that_is_not_there_lacks_everything(tree: Path) -> None:
    (tree / "requirements" / "lock.txt").unlink()
    assert check(tree) == [f"requirements/lock.txt: {name} is not in it" for name in ENVIRONMENTS["lock"].named]
