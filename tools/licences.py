"""The licence of every package that the locks name, held against tools/licences.toml.

Usage: python -m tools.licences ENVIRONMENT [...]   (folders of virtual environments made from the locks)
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path

from attrs import frozen
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.lock import ENVIRONMENTS, OFFERED, project_requirements, read_pins

TABLE = Path(__file__).with_suffix(".toml")
CLASSIFIER = "License :: "


@frozen
class Read:
    """What somebody read in a package's licence file: what its metadata says instead, and the licence."""

    says: str
    licence: str


@frozen
class Excepted:
    """A licence that is not allowed to all: which one, whether a user gets the package, and why it may be."""

    licence: str
    shipped: bool
    reason: str


@frozen
class Table:
    """What tools/licences.toml says; packages by their normalised names."""

    allowed: frozenset[str]
    names: Mapping[str, str]
    read: Mapping[str, Read]
    elsewhere: Mapping[str, str]
    exceptions: Mapping[str, Excepted]


def read_table(path: Path) -> Table:
    """Return the table of a file.

    Raises:
        TypeError: A section or an entry has a key too many or too few.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    data["allowed"] = frozenset(data["allowed"])
    data["read"] = {name: Read(**entry) for name, entry in data["read"].items()}
    data["exceptions"] = {name: Excepted(**entry) for name, entry in data["exceptions"].items()}
    return Table(**data)


def stated(package: Distribution) -> list[str]:
    """Return the licence that a package's metadata states: of its three places the first that says anything.

    The oldest of them, License, counts where it is one line: some packages put the text of their licence there.
    """
    metadata = package.metadata
    classifiers = [value for value in metadata.get_all("Classifier", []) if value.startswith(CLASSIFIER)]
    expressions = metadata.get_all("License-Expression", [])
    one_line = [value for value in metadata.get_all("License", []) if "\n" not in value.strip()]
    for lines in (expressions, one_line, classifiers):
        said = [line.rpartition("::")[2].strip() for line in lines]
        if any(said):
            return said
    return [""]


def expression(package: Distribution, table: Table) -> str | None:
    """Return the licence of a package as an SPDX expression, or None where nobody can tell it from the metadata."""
    said = stated(package)
    read = table.read.get(canonicalize_name(package.name))
    if read is not None and [read.says] == said:
        return read.licence
    try:
        return " AND ".join(canonicalize_license_expression(table.names.get(line, line)) for line in said)
    except InvalidLicenseExpression:
        return None


def permits(licence: str, allowed: frozenset[str]) -> bool:
    """Return whether one of an expression's alternatives is made of allowed licences alone.

    An expression with parentheses or with exceptions to a licence is nobody's to judge but a reader's: it is not.
    """
    return any(all(part in allowed for part in way.split(" AND ")) for way in licence.split(" OR "))


def shipped(packages: Iterable[Distribution]) -> set[str]:
    """Return the names of what a user gets who installs Triptych with every extra, as far as it is among these."""
    needs = {canonicalize_name(one.name): [Requirement(line) for line in one.requires or ()] for one in packages}
    found: set[str] = set()
    reached = [one.name for one in project_requirements(OFFERED)]
    while reached:
        name = canonicalize_name(reached.pop())
        if name not in found:
            found.add(name)
            reached += [one.name for one in needs.get(name, ()) if not one.marker or one.marker.evaluate({"extra": ""})]
    return found


def judge(package: Distribution, table: Table, shipped: set[str]) -> str | None:
    """Return what is wrong with the licence of a package, or None where nothing is."""
    name, licence = canonicalize_name(package.name), expression(package, table)
    if licence is None:
        said = ", ".join(stated(package)) or "nothing"
        return f"its metadata says {said}: read its licence file, and enter it under [read]"
    excepted = table.exceptions.get(name)
    if permits(licence, table.allowed):
        return f"its licence, {licence}, is allowed to all: strike it out of [exceptions]" if excepted else None
    if excepted is None or excepted.licence != licence:
        return f"its licence is {licence}, which is not allowed"
    if name in shipped and not excepted.shipped:
        return f"its licence is {licence}, which is allowed to development alone, and users get it"
    return None


def faults(packages: Sequence[Distribution], locked: set[str], table: Table) -> Iterator[str]:
    """Yield a line for each package whose licence will not do, each that was not seen, and each idle entry."""
    users = shipped(packages)
    seen = {canonicalize_name(one.name) for one in packages}
    for package in packages:
        fault = judge(package, table, users)
        if fault:
            yield f"{package.name} {package.version}: {fault}"
    for name in sorted(locked - seen - {*table.elsewhere}):
        yield f"{name}: in a lock and installed in none of these environments: enter it under [elsewhere]"
    for name, licence in table.elsewhere.items():
        if not permits(licence, table.allowed):
            yield f"{name}: its licence is {licence}, which is not allowed"
    for name in sorted({*table.read, *table.exceptions} - seen | {*table.elsewhere} - locked):
        yield f"{name}: in {TABLE.name} and in no environment or lock: strike it out"


def installed(environment: str) -> list[Distribution]:
    """Return the packages of a virtual environment.

    Raises:
        FileNotFoundError: There is none in that folder.
    """
    folders = [str(folder) for folder in Path(environment).glob("lib/python*/site-packages")]
    if not folders:
        raise FileNotFoundError(f"{environment} is no virtual environment")
    return list(distributions(path=folders))


def main(environments: Sequence[str]) -> int:
    """Print what is wrong with the licences of these environments; return 1 where anything is."""
    packages = [package for environment in environments for package in installed(environment)]
    locked = {pin.name for name in ENVIRONMENTS for pin in read_pins(name)}
    lines = dict.fromkeys(faults(packages, locked, read_table(TABLE)))
    print("".join(f"{line}\n" for line in lines), end="")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
