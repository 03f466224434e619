"""Tests of the wire types: they are what the schemas give, whole, and `--check` finds when they are not."""

from __future__ import annotations

import builtins
import importlib
import json
import keyword
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from triptych import formats

ROOT = Path(__file__).parent.parent
SCHEMAS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob("schemas/*.json"))}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what the generator reads and writes to a place where it may be spoiled."""
    tree = tmp_path_factory.mktemp("original")
    for name in ("tools", "schemas", "generated"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tree)
    return tree


@pytest.fixture
def tree(original: Path, tmp_path: Path) -> Path:
    """Return a copy of the generator's tree with one small schema of its own."""
    shutil.copytree(original, tmp_path / "tree")
    copy = tmp_path / "tree"
    for path in (*copy.glob("schemas/*.json"), *copy.glob("generated/triptych_wire/*_*.py")):
        if path.name != "__init__.py":
            path.unlink()
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {
            "Block": {
                "description": "One of two.",
                "oneOf": [{"$ref": "#/$defs/Words"}, {"$ref": "#/$defs/Picture"}],
                "discriminator": {"propertyName": "type"},
            },
            "Words": {
                "type": "object",
                "description": "Text.",
                "required": ["type"],
                "properties": {"type": {"const": "text"}, "mood": {"enum": ["a", "b"], "type": "string"}},
            },
            "Picture": {
                "type": "object",
                "description": "A name that is a keyword, one that is no name, one that is its own enum.",
                "required": ["type", "from"],
                "properties": {
                    "type": {"const": "image"},
                    "from": {"type": "string"},
                    "x-size": {"type": "integer"},
                    "Mood": {"enum": ["a", "b"], "type": "string"},
                },
            },
        },
    }
    (copy / "schemas" / "small.json").write_text(json.dumps(schema))
    assert generate(copy).returncode == 0
    return copy


def generate(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the generator of a tree."""
    command = [sys.executable, "-m", "tools.generate", *arguments]
    return subprocess.run(command, cwd=tree, check=False, capture_output=True, text=True, timeout=120)


def test_the_wire_types_are_what_the_schemas_give(original: Path) -> None:
    checked = generate(original, "--check")
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_a_changed_module_is_found(tree: Path) -> None:
    module = tree / "generated/triptych_wire/small.py"
    module.write_text(module.read_text().replace("'image'", "'picture'"))
    checked = generate(tree, "--check")
    assert checked.stdout == "generated/triptych_wire/small.py is not what schemas/ gives: run `make gen`\n"
    assert checked.returncode == 1


def test_a_missing_module_is_found(tree: Path) -> None:
    (tree / "generated/triptych_wire/small.py").unlink()
    checked = generate(tree, "--check")
    assert checked.stdout == "generated/triptych_wire/small.py is not what schemas/ gives: run `make gen`\n"
    assert checked.returncode == 1


def test_a_module_whose_schema_is_gone_is_found_and_removed(tree: Path) -> None:
    (tree / "schemas/small.json").rename(tree / "schemas/other.json")
    checked = generate(tree, "--check")
    assert checked.stdout.splitlines() == [
        "generated/triptych_wire/other.py is not what schemas/ gives: run `make gen`",
        "generated/triptych_wire/small.py is not what schemas/ gives: run `make gen`",
    ]
    assert generate(tree).returncode == 0
    assert sorted(path.name for path in (tree / "generated/triptych_wire").glob("*.py")) == ["__init__.py", "other.py"]
    assert generate(tree, "--check").returncode == 0


def test_a_changed_schema_is_found_until_the_types_are_made_again(tree: Path) -> None:
    schema = tree / "schemas/small.json"
    schema.write_text(schema.read_text().replace('"x-size"', '"y-size"'))
    assert generate(tree, "--check").returncode == 1
    assert generate(tree).returncode == 0
    assert generate(tree, "--check").returncode == 0


def test_awkward_names_keep_their_spelling_on_the_wire_and_literals_are_the_consts(tree: Path) -> None:
    """B208, B209."""
    code = "from triptych_wire import small as s; print(s.Picture.__annotations__.keys(), s.Words.__annotations__)"
    path = str(tree / "generated")
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.stdout == (
        "dict_keys(['type', 'from', 'x-size', 'Mood']) "
        "{'type': ForwardRef(\"Literal['text']\", module='triptych_wire.small'), "
        "'mood': ForwardRef(\"NotRequired[Literal['a', 'b']]\", module='triptych_wire.small')}\n"
    )


def wire(stem: str) -> ModuleType:
    """Return the generated module of a schema."""
    return importlib.import_module(f"triptych_wire.{stem}")


def made_here(module: ModuleType) -> set[str]:
    """Return the names of the types that a generated module makes."""
    return {name for name in vars(module) if not name.startswith("_")} - {
        *("annotations", "Any", "Literal", "NotRequired", "Required", "TypeAlias", "TypedDict", "Union", "Optional")
    }


@pytest.mark.parametrize("stem", SCHEMAS)
def test_a_module_makes_a_type_of_every_definition_and_no_other(stem: str) -> None:
    assert made_here(wire(stem)) == set(SCHEMAS[stem]["$defs"])


@pytest.mark.parametrize("stem", SCHEMAS)
def test_type_names_are_those_of_the_schema_and_collide_with_nothing(stem: str) -> None:
    """B209."""
    names = made_here(wire(stem))
    assert names & ({*dir(builtins), *keyword.kwlist, *keyword.softkwlist}) == set()
    # A generator's way out of a collision: Message1, ResponseModel. A version such as 20250305 in a name is the API's.
    assert [name for name in names if re.search(r"(?<!\d)\d{1,2}$|Model$", name)] == []


def objects(stem: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield the name and the schema of every object definition, with the type hints of its generated type."""
    for name, schema in SCHEMAS[stem]["$defs"].items():
        if "properties" in schema:
            kind = getattr(wire(stem), name)
            assert is_typeddict(kind), name
            yield name, schema, get_type_hints(kind, include_extras=True)


@pytest.mark.parametrize("stem", SCHEMAS)
def test_a_type_has_the_keys_of_its_schema_and_requires_what_it_requires(stem: str) -> None:
    """B207: nothing that a schema requires becomes optional."""
    wanted = {name: (set(schema["properties"]), set(schema.get("required", []))) for name, schema, _ in objects(stem)}
    made = {
        name: (set(hints), {key for key, hint in hints.items() if get_origin(hint) is not NotRequired})
        for name, _, hints in objects(stem)
    }
    assert made == wanted
    assert len(made) > 10


def closed_values(schema: dict[str, Any]) -> list[Any] | None:
    """Return the values that a property's schema names one by one, or None where it is open."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return None if values is None else list(values)


def literals(hint: Any) -> set[Any]:
    """Return the values of the Literal in a hint, and None where the hint takes it."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    if hint is type(None):
        return {None}
    return set().union(*(literals(part) for part in get_args(hint)))


@pytest.mark.parametrize("stem", SCHEMAS)
def test_literals_are_the_consts_and_enums_of_the_schema(stem: str) -> None:
    """B208."""
    wanted, made = {}, {}
    for name, schema, hints in objects(stem):
        for key, field in schema["properties"].items():
            values = closed_values(field)
            if values is not None:
                wanted[name, key] = set(values)
                made[name, key] = literals(hints[key])
    assert made == wanted
    assert made


# What a schema may say: what its types hold, what is said to readers alone, and what no type holds, which the host
# checks. A keyword of neither list, such as propertyNames, is a loss that nobody decided on.
TYPED = {
    *("$defs", "$ref", "additionalProperties", "anyOf", "const", "enum", "items", "oneOf"),
    *("properties", "required", "type"),
}
WORDS = {"$comment", "$id", "$schema", "deprecated", "description", "examples", "format", "title"}
LOST = {
    *("maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum"),
    *("if", "not", "pattern", "then"),
}
NAMED = ("$defs", "properties")  # hold schemas by name
VALUES = ("const", "enum", "examples", "required", "type")


def keywords(schema: Any) -> set[str]:
    """Return the keywords of a schema and of all schemas in it."""
    if isinstance(schema, list):
        return set().union(*map(keywords, schema))
    if not isinstance(schema, dict):
        return set()
    inner = (list(part.values()) if name in NAMED else part for name, part in schema.items() if name not in VALUES)
    return set(schema).union(*map(keywords, inner))


@pytest.mark.parametrize("stem", SCHEMAS)
def test_a_schema_says_nothing_that_its_types_lose_unnoticed(stem: str) -> None:
    """B211."""
    assert keywords(SCHEMAS[stem]) - TYPED - WORDS - LOST == set()


@pytest.mark.parametrize("stem", [stem for stem in SCHEMAS if stem in formats.names()])
def test_a_schema_has_the_four_roots_of_a_format(stem: str) -> None:
    names = set(SCHEMAS[stem]["$defs"])
    assert {"Request", "Response", "Error"} <= names
    assert names & {"StreamEvent", "StreamChunk"}


@pytest.mark.parametrize("stem", SCHEMAS)
def test_every_definition_says_what_it_is(stem: str) -> None:
    silent = [name for name, schema in SCHEMAS[stem]["$defs"].items() if not schema.get("description", "").strip()]
    assert silent == []


@pytest.mark.parametrize("stem", SCHEMAS)
def test_a_generated_module_says_so_at_its_head(stem: str) -> None:
    text = (ROOT / f"generated/triptych_wire/{stem}.py").read_text(encoding="utf-8")
    assert text.splitlines()[:2] == ["# generated by datamodel-codegen:", f"#   filename:  {stem}.json"]
