"""Tests of the licences: what a package's metadata says, what may be in which part of an installation, what is idle.

The packages are folders of metadata, as pip leaves them behind.
"""

from __future__ import annotations

from importlib.metadata import Distribution, PathDistribution
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tools.licences import TABLE, Excepted, Read, Table, faults, installed, permits, read_table, shipped

ALLOWED = frozenset({"Apache-2.0", "BSD-3-Clause", "MIT"})
EMPTY = Table(ALLOWED, {"MIT License": "MIT", "BSD": "BSD-3-Clause"}, {}, {}, {})


def package(folder: Path, name: str, *metadata: str) -> Distribution:
    """Return an installed package with this metadata."""
    place = folder / f"{name}-1.0.dist-info"
    place.mkdir(parents=True)
    text = "\n".join(["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *metadata])
    (place / "METADATA").write_text(f"{text}\n", encoding="utf-8")
    return PathDistribution(place)


def table(**changes: Any) -> Table:
    """Return a table with these sections and no others."""
    return evolve(EMPTY, **changes)


def found(packages: list[Distribution], held_against: Table = EMPTY, locked: tuple[str, ...] = ()) -> list[str]:
    """Return the faults of some packages."""
    return list(faults(packages, set(locked), held_against))


@pytest.mark.parametrize(
    "metadata",
    [
        ["License-Expression: MIT"],
        ["License-Expression: GPL-3.0-only OR MIT"],
        ["License-Expression: MIT AND BSD-3-Clause"],
        ["License-Expression: mit", "License: GPL"],
        ["License: MIT"],
        ["License: MIT License"],
        ["License: MIT License", "Classifier: License :: OSI Approved :: GNU General Public License (GPL)"],
        ["License: MIT License", " ", " Permission is hereby granted", "Classifier: License :: OSI Approved :: BSD"],
        ["Classifier: License :: OSI Approved :: MIT License", "Classifier: Typing :: Typed"],
    ],
)
def test_a_licence_is_read_where_the_metadata_states_it(metadata: list[str], tmp_path: Path) -> None:
    assert found([package(tmp_path, "one", *metadata)]) == []


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ([], "nothing"),
        (["License: "], "nothing"),
        (["License: Dual License"], "Dual License"),
        (["License: UNKNOWN"], "UNKNOWN"),
        (["License-Expression: MIT/X11"], "MIT/X11"),
        (["Classifier: License :: OSI Approved"], "OSI Approved"),
    ],
)
def test_a_licence_that_nobody_can_tell_names_the_package(metadata: list[str], said: str, tmp_path: Path) -> None:
    expected = f"one 1.0: its metadata says {said}: read its licence file, and enter it under [read]"
    assert found([package(tmp_path, "one", *metadata)]) == [expected]


@pytest.mark.parametrize("licence", ["GPL-3.0-only", "MIT AND GPL-3.0-only", "Apache-2.0 WITH LLVM-exception"])
def test_a_licence_that_is_not_allowed_names_the_package(licence: str, tmp_path: Path) -> None:
    expected = f"one 1.0: its licence is {licence}, which is not allowed"
    assert found([package(tmp_path, "one", f"License-Expression: {licence}")]) == [expected]


def test_of_several_classifiers_each_licence_has_to_be_allowed(tmp_path: Path) -> None:
    lines = [f"Classifier: License :: OSI Approved :: {name}" for name in ("MIT License", "BSD")]
    assert found([package(tmp_path, "one", *lines)]) == []
    two = package(tmp_path, "two", *lines, "Classifier: License :: OSI Approved :: GPL-2.0-only")
    assert found([two]) == ["two 1.0: its licence is MIT AND BSD-3-Clause AND GPL-2.0-only, which is not allowed"]


def test_what_was_read_in_a_licence_file_counts_while_the_metadata_stays_as_it_was(tmp_path: Path) -> None:
    entries = table(read={"a-b": Read("Dual License", "MIT AND BSD-3-Clause"), "c": Read("", "MIT")})
    assert found([package(tmp_path, "A_b", "License: Dual License"), package(tmp_path, "c")], entries) == []
    changed = [package(tmp_path / "new", "A_b", "License: Proprietary"), package(tmp_path / "new", "c")]
    assert found(changed, entries) == [
        "A_b 1.0: its metadata says Proprietary: read its licence file, and enter it under [read]"
    ]


def test_an_exception_is_for_one_licence_of_one_package(tmp_path: Path) -> None:
    entries = table(exceptions={"one": Excepted("MPL-2.0", shipped=False, reason="Why.")})
    assert found([package(tmp_path, "one", "License: MPL-2.0")], entries) == []
    changed = package(tmp_path / "new", "one", "License: AGPL-3.0-only")
    assert found([changed], entries) == ["one 1.0: its licence is AGPL-3.0-only, which is not allowed"]
    freed = package(tmp_path / "free", "one", "License: MIT")
    assert found([freed], entries) == ["one 1.0: its licence, MIT, is allowed to all: strike it out of [exceptions]"]


def test_what_is_excepted_for_development_does_not_come_to_a_user_through_another_package(tmp_path: Path) -> None:
    entries = table(exceptions={"deep": Excepted("MPL-2.0", shipped=False, reason="Why.")})
    packages = [
        package(tmp_path, "requests", "License: Apache-2.0", "Requires-Dist: between>=1"),
        package(tmp_path, "between", "License: MIT", "Requires-Dist: deep"),
        package(tmp_path, "deep", "License: MPL-2.0"),
    ]
    expected = "deep 1.0: its licence is MPL-2.0, which is allowed to development alone, and users get it"
    assert found(packages, entries) == [expected]
    to_all = table(exceptions={"deep": Excepted("MPL-2.0", shipped=True, reason="Why.")})
    assert found(packages, to_all) == []


def test_a_user_gets_the_extras_of_ours_and_not_those_of_others(tmp_path: Path) -> None:
    packages = [
        package(tmp_path, "vcrpy", "Requires-Dist: PyYAML", "Requires-Dist: pytest; extra == 'tests'"),
        package(tmp_path, "pyyaml"),
        package(tmp_path, "pytest"),
    ]
    assert {"vcrpy", "pyyaml", "botocore", "attrs"} <= shipped(packages)
    assert "pytest" not in shipped(packages)


def test_a_package_of_a_lock_that_nobody_saw_is_named(tmp_path: Path) -> None:
    one = package(tmp_path, "one", "License: MIT")
    assert found([one], locked=("one", "two")) == [
        "two: in a lock and installed in none of these environments: enter it under [elsewhere]"
    ]
    assert found([one], table(elsewhere={"two": "MIT"}), locked=("one", "two")) == []
    assert found([one], table(elsewhere={"two": "GPL-3.0-only"}), locked=("one", "two")) == [
        "two: its licence is GPL-3.0-only, which is not allowed"
    ]


def test_an_entry_of_which_nothing_is_left_is_struck_out() -> None:
    idle = table(
        read={"one": Read("", "MIT")},
        elsewhere={"two": "MIT"},
        exceptions={"three": Excepted("MPL-2.0", False, "Why.")},
    )
    assert found([], idle) == [
        f"{name}: in licences.toml and in no environment or lock: strike it out" for name in ("one", "three", "two")
    ]


@pytest.mark.parametrize("licence", ["(MIT OR GPL-3.0-only) AND BSD-3-Clause", ""])
def test_an_expression_that_is_more_than_a_list_is_left_to_a_reader(licence: str) -> None:
    assert not permits(licence, ALLOWED)


def test_every_exception_of_ours_has_a_reason() -> None:
    assert [name for name, one in read_table(TABLE).exceptions.items() if not one.reason.strip()] == []


def test_a_folder_without_an_environment_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is no virtual environment"):
        installed(str(tmp_path))
