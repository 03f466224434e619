"""Tests of the wheel: what is in it, and that it works where nothing else of this repository is.

They build with the setuptools of the environment, and install beside what requirements/wheel.txt locks: the run-time
dependencies from the package index. They are skipped where none answers.
"""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
import venv
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from triptych import formats

ROOT = Path(__file__).parent.parent
SOURCES = ("sdk", "generated", "schemas", "setup.cfg", "pyproject.toml", "README.md", "LICENSE")
LOCK = ROOT / "requirements" / "wheel.txt"
CASSETTE = ROOT / "cassettes" / "openai_chat" / "chat.yaml"
# Stops a program that looks up a host or connects to one.
OFFLINE = """
import sys
def refuse(event, arguments):
    if event in ("socket.getaddrinfo", "socket.connect"):
        raise RuntimeError(f"offline, but {event} was called with {arguments}")
sys.addaudithook(refuse)
"""


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip; a failure is in the result."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the sources: a build leaves files behind that would get into the next wheel."""
    tree, target = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree / name)
    built = pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(target), str(tree))
    assert built.returncode == 0, built.stderr
    return next(target.glob("*.whl"))


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Download what the lock of a user's environment names; skip where no package index answers."""
    folder = tmp_path_factory.mktemp("locked")
    asked = pip("download", "--require-hashes", "--dest", str(folder), "--requirement", str(LOCK))
    if asked.returncode and "from versions: none" in asked.stderr:
        pytest.skip(f"no package index answers: {asked.stderr.strip().splitlines()[-1]}")
    assert asked.returncode == 0, asked.stderr
    return folder


@pytest.fixture(scope="module")
def installed(wheel: Path, locked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel with what it says it needs for replay into an empty environment; return its interpreter."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    done = pip("--python", str(python), "install", "--no-index", "--find-links", str(locked), f"{wheel}[replay]")
    assert done.returncode == 0, done.stderr
    return python


def run(python: Path, code: str, folder: Path, **environment: str) -> str:
    """Run code in a folder with this interpreter, apart from the user's environment; return what it prints."""
    environment["PATH"] = os.environ["PATH"]
    ran = subprocess.run(
        [str(python), "-I", "-W", "error", "-c", code],
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def expected_files() -> set[str]:
    """Return what the sources put into a wheel, its dist-info left out."""
    library, wire, schemas = ROOT / "sdk" / "triptych", ROOT / "generated" / "triptych_wire", ROOT / "schemas"
    files = {f"triptych/{path.relative_to(library)}" for path in library.rglob("*.py")}
    files |= {f"triptych_wire/{path.relative_to(wire)}" for path in wire.rglob("*.py")}
    files |= {f"triptych/schemas/{path.name}" for path in (*schemas.glob("*.json"), schemas / "__init__.py")}
    return files | {"triptych/providers.toml", "triptych/py.typed", "triptych_wire/py.typed"}


def test_every_package_directory_is_listed_in_setup_cfg() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    listed = config["options"]["packages"].split()
    found = {
        ".".join(module.parent.relative_to(root).parts)
        for root in (ROOT / "sdk", ROOT / "generated")
        for module in root.rglob("*.py")
    }
    assert sorted(listed) == sorted(found | {"triptych.schemas"})


def test_every_package_that_is_needed_has_a_lowest_version() -> None:
    """B197: replay works with the urllib3 and the vcrpy that it was written for, and says which those are."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    extras = config["options.extras_require"]
    needed = [config["options"]["install_requires"], *(extras[name] for name in extras if name != "dev")]
    lines = [line for text in needed for line in text.split()]
    assert [line for line in lines if not re.fullmatch(r"[\w-]+>=[\d.]+", line)] == []
    assert {"urllib3", "requests", "vcrpy"} <= {line.partition(">=")[0] for line in lines}


def test_the_wheel_holds_exactly_what_the_sources_hold(wheel: Path) -> None:
    names = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == expected_files()


def test_the_wheel_has_the_licence_and_says_what_it_needs(wheel: Path) -> None:
    archive = ZipFile(wheel)
    folder = next(name.partition("/")[0] for name in archive.namelist() if ".dist-info/" in name)
    metadata = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
    needed = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert archive.read(f"{folder}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    assert (metadata["Name"], metadata["Requires-Python"], metadata["License"]) == ("triptych", ">=3.11", "MIT")
    assert sorted(re.split(r"[<>=~!]", line)[0] for line in needed) == [
        "attrs",
        "cattrs",
        "docstring_parser",
        "jsonschema",
        "msgspec",
        "requests",
        "tenacity",
        "urllib3",
    ]
    assert {"replay", "dev"} <= set(metadata.get_all("Provides-Extra", []))


def test_the_readme_example_runs_away_from_the_repository(installed: Path, tmp_path: Path) -> None:
    example = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)[0]
    shutil.copy(CASSETTE, tmp_path)
    where = "\nimport triptych; print(triptych.__file__)"
    output = run(installed, OFFLINE + example + where, tmp_path, TRIPTYCH_CASSETTES=str(tmp_path)).splitlines()
    assert "4" in output[0]
    assert re.fullmatch(r"\{'input_tokens': \d+, 'output_tokens': \d+\}", output[-2])
    assert Path(output[-1]).is_relative_to(installed.parent.parent)


def test_an_installed_format_explains_a_malformed_answer_from_its_schema(installed: Path, tmp_path: Path) -> None:
    code = """
from triptych import formats
for name in formats.names():
    error = formats.load(name).parse_response({"id": 5}).error
    print(name, error.kind)
"""
    expected = [f"{name} malformed_response" for name in formats.names()]
    assert run(installed, code, tmp_path).splitlines() == expected


def test_the_installed_wire_types_can_be_imported(installed: Path, tmp_path: Path) -> None:
    code = "from triptych_wire import openai_chat, anthropic_messages; print(openai_chat.Request.__name__)"
    assert run(installed, code, tmp_path) == "Request\n"
