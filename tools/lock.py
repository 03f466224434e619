"""The locks of requirements/: every version and every hash that an environment of the Makefile installs.

Usage: python -m tools.lock [OPTION OF uv pip compile ...]   (in the environment of `make lock`)
       python -m tools.lock --check                          (offline: the locks fit what is asked for)

A lock keeps the versions that it has: --upgrade takes the newest of all, --upgrade-package NAME of one.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from configparser import ConfigParser
from pathlib import Path

from attrs import frozen
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "requirements"
PROJECT = ConfigParser()
PROJECT.read(ROOT / "setup.cfg", encoding="utf-8")
OFFERED = tuple(name for name in PROJECT["options.extras_require"] if name != "dev")  # the extras that are for users
# Every Python from this one on, and every system: pip takes of a lock what fits where it runs.
OPTIONS = ("--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-emit-index-url")


@frozen
class Lock:
    """What one environment is made of.

    Args:
        extras: The extras of setup.cfg that it has, or None for an environment without the project.
        builds: Whether the project is built in it, with what pyproject.toml asks for.
        files: Lists of further requirements, paths in the repository.
        named: Further requirements.
        shared: Further packages, each in the version that another lock has: package to lock.
        lowest: Whether what setup.cfg asks for is there in the lowest version that it allows, not in the newest.
    """

    extras: tuple[str, ...] | None = ()
    builds: bool = True
    files: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    shared: tuple[tuple[str, str], ...] = ()
    lowest: bool = False


# One file of requirements/ each, in the order in which they are made: what is shared stands before what shares it.
ENVIRONMENTS = {
    "lock": Lock(extras=None, builds=False, named=("attrs", "packaging", "uv")),
    "dev": Lock(extras=(*OFFERED, "dev")),
    "conformance": Lock(
        extras=("replay",),
        files=("tests/conformance/packages.txt",),
        shared=(("hypothesis", "dev"), ("pytest", "dev"), ("pytest-xdist", "dev")),
    ),
    "wheel": Lock(extras=("replay",), builds=False),
    "bench": Lock(shared=(("openai", "conformance"),)),
    "fuzz": Lock(
        extras=OFFERED,
        files=("tests/fuzz/packages.txt",),
        shared=(("hypothesis", "dev"), ("pytest", "dev")),
    ),
    "lowest": Lock(
        extras=OFFERED,
        shared=tuple((name, "dev") for name in ("cryptography", "hypothesis", "pydantic", "pytest", "pytest-xdist")),
        lowest=True,
    ),
}


@frozen
class Pin:
    """One version in a lock: where it holds (a marker), its hashes, and whether another package brings it."""

    requirement: Requirement
    hashes: tuple[str, ...]
    brought: bool

    @property
    def name(self) -> str:
        """The package's name, as names are compared."""
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> Version:
        """The version that is installed."""
        return Version(str(self.requirement.specifier).removeprefix("=="))


def read_pins(name: str) -> list[Pin]:
    """Return what the lock of an environment names; nothing where there is no such file yet."""
    path = LOCKS / f"{name}.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [pin(block) for block in re.split(r"^(?=[\w-])", text, flags=re.M) if re.match(r"[\w-]", block)]


def pin(block: str) -> Pin:
    """Return what the lines of one package in a lock say."""
    head, _, rest = block.partition("\n")
    hashes = tuple(re.findall(r"--hash=(sha256:[0-9a-f]{64})", rest))
    return Pin(Requirement(head.removesuffix("\\").strip()), hashes, "# via" in rest)


def project_requirements(extras: Iterable[str]) -> list[Requirement]:
    """Return what setup.cfg asks for, with these extras."""
    listed = [PROJECT["options"]["install_requires"], *(PROJECT["options.extras_require"][name] for name in extras)]
    return [Requirement(line) for text in listed for line in text.strip().splitlines()]


def build_requirements() -> list[Requirement]:
    """Return what pyproject.toml asks for to build the project."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [Requirement(line) for line in project["build-system"]["requires"]]


def requirements(lock: Lock) -> list[Requirement]:
    """Return everything that an environment asks for by name."""
    asked = [] if lock.extras is None else project_requirements(lock.extras)
    asked += build_requirements() if lock.builds else []
    for file in lock.files:
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        asked += [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    asked += [Requirement(line) for line in lock.named]
    for package, other in lock.shared:
        asked += [Requirement(f"{package}=={one.version}") for one in read_pins(other) if one.name == package]
    return asked


def make(name: str, options: Sequence[str]) -> None:
    """Write the lock of one environment, and keep of the present one what still fits.

    Raises:
        CalledProcessError: The requirements contradict one another, or no package index answers.
    """
    lock, target = ENVIRONMENTS[name], LOCKS / f"{name}.txt"
    asked = requirements(lock)
    if lock.lowest:  # a floor that was lowered counts at once
        lowered = [part for one in asked for part in ("--upgrade-package", one.name)]
        options = [*options, "--resolution", "lowest-direct", *lowered]
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", *OPTIONS, *options, "-o", str(target), "-"]
    subprocess.run(
        command, cwd=ROOT, input="\n".join(map(str, asked)), text=True, check=True, stdout=subprocess.DEVNULL
    )


def faults(name: str) -> Iterator[str]:
    """Yield what is wrong with the lock of one environment, a line each."""
    lock, pins = ENVIRONMENTS[name], read_pins(name)
    asked = requirements(lock)
    for one in asked:
        found = [pin.version for pin in pins if pin.name == canonicalize_name(one.name)]
        if not found:
            yield f"{one} is not in it"
        yield from (f"{one.name} {version} does not fit {one}" for version in found if version not in one.specifier)
        if lock.lowest:
            yield from (
                f"{one.name} {version} is not the lowest of {one}" for version in found if version != floor(one)
            )
    names = {canonicalize_name(one.name) for one in asked}
    yield from (f"{pin.name} is no longer asked for" for pin in pins if not pin.brought and pin.name not in names)
    yield from (f"{pin.name} has no hash" for pin in pins if not pin.hashes)


def floor(one: Requirement) -> Version | None:
    """Return the lowest version that a requirement allows, or None where it has no lower bound."""
    bounds = [Version(part.version) for part in one.specifier if part.operator in (">=", "==", "~=")]
    return max(bounds, default=None)


def check() -> int:
    """Return 0 where every lock fits what its environment asks for, else 1, and print what does not."""
    lines = [f"requirements/{name}.txt: {fault}: run `make lock`" for name in ENVIRONMENTS for fault in faults(name)]
    print("".join(f"{line}\n" for line in lines), end="")
    return 1 if lines else 0


def main(arguments: Sequence[str]) -> int:
    """Make all locks, or check them when asked to."""
    if "--check" in arguments:
        return check()
    LOCKS.mkdir(exist_ok=True)
    for name in ENVIRONMENTS:
        make(name, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
