"""Make generated/triptych_wire from schemas/, or check that it is what the schemas give.

Usage: python -m tools.generate [--check]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "schemas"
GENERATED = ROOT / "generated" / "triptych_wire"
PACKAGE = '"""Wire types: the JSON of each provider\'s API as TypedDicts, made from schemas/ by `make gen`."""\n'


def generate(target: Path) -> None:
    """Write one module a schema into `target`; the generator's options stand in pyproject.toml."""
    target.mkdir(parents=True, exist_ok=True)
    (target / "__init__.py").write_text(PACKAGE)
    (target / "py.typed").touch()
    for schema in sorted(SCHEMAS.glob("*.json")):
        module = target / f"{schema.stem}.py"
        command = [sys.executable, "-m", "datamodel_code_generator", "--input", str(schema), "--output", str(module)]
        subprocess.run(command, cwd=ROOT, check=True)


def modules(folder: Path) -> dict[str, str]:
    """Return the text of every module in a folder, by name."""
    return {path.name: path.read_text() for path in sorted(folder.glob("*.py"))}


def check() -> int:
    """Return 0 when generated/ is what the schemas give, else 1, and print which modules differ."""
    with tempfile.TemporaryDirectory() as scratch:
        generate(Path(scratch))
        wanted, found = modules(Path(scratch)), modules(GENERATED)
    differing = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    for name in differing:
        print(f"generated/triptych_wire/{name} is not what schemas/ gives: run `make gen`")
    return 1 if differing else 0


def main() -> int:
    """Generate, or check when asked to."""
    if "--check" in sys.argv[1:]:
        return check()
    for stale in modules(GENERATED).keys() - {"__init__.py"} - {f"{path.stem}.py" for path in SCHEMAS.glob("*.json")}:
        (GENERATED / stale).unlink()
    generate(GENERATED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
