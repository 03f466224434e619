"""What the servers run in: environments with pinned packages under `.engine/`, each made once, at its first use."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".engine"  # git ignores it

INSTALL_SECONDS = 900.0
_DONE = "installed"  # written last: an environment that was cut short is made again


class NotReady(Exception):
    """A server could not be made ready; the message says which step failed, and why."""


class ProgramMissing(NotReady):
    """A server needs a program that is not on this machine and that no package index gives; the message names it."""


def is_installed(package: str) -> bool:
    """Return whether the environment of a package is there, whole.

    Args:
        package: The package with its version, as pip or npm takes it.
    """
    return (HOME / _folder(package) / _DONE).exists()


def python_environment(package: str) -> Path:
    """Return the Python of an environment that holds one package, which is installed first when it is not there yet.

    Args:
        package: The requirement with its version, as pip takes it: `xllamacpp==2026.10.11549`.

    Raises:
        NotReady: the package could not be installed.
    """
    home = HOME / _folder(package)
    python = home / "bin" / "python"
    done = home / _DONE
    if not done.exists():
        print(f"making the environment {home.relative_to(ROOT)}", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True)
        pip(python, "install", "--only-binary", ":all:", package)
        done.touch()
    return python


def node_package(package: str) -> Path:
    """Return the folder of a package of Node's, which is installed first, without its scripts, when it is not there.

    Args:
        package: The package with its version, as npm takes it: `@copilotkit/aimock@1.43.0`.

    Raises:
        ProgramMissing: there is no node or no npm.
        NotReady: the package could not be installed.
    """
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise ProgramMissing(f"{package} runs on Node.js, and {program} is not on this machine")
    home = HOME / _folder(package)
    done = home / _DONE
    if not done.exists():
        print(f"making the environment {home.relative_to(ROOT)}", file=sys.stderr)
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error")
        _run(["npm", "install", "--prefix", str(home), *options, package])
        done.touch()
    return home / "node_modules" / package.rpartition("@")[0]


def pip(python: Path, *arguments: str) -> None:
    """Run the pip of an environment, bounded in time; its output is shown only when it fails.

    Raises:
        NotReady: it failed, or took too long.
    """
    _run([str(python), "-m", "pip", "--disable-pip-version-check", "-q", *arguments])


def _folder(package: str) -> str:
    """Return the name of a package's folder: `@copilotkit/aimock@1.43.0` gives `aimock-1.43.0`."""
    name, _, version = package.replace("==", "@").rpartition("@")
    return f"{name.rpartition('/')[2].partition('[')[0]}-{version}"


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise NotReady(f"{' '.join(command)} took longer than {INSTALL_SECONDS:.0f} s") from None
    if done.returncode != 0:
        raise NotReady(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
