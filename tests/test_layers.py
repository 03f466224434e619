"""Tests of the direction of imports: from the client down to the leaves, one way, without a circle."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import triptych

PACKAGE = Path(triptych.__file__).parent

# The rooms from the top of the house to its leaves. A room may import from those below it and from its own kind only.
STOREYS: tuple[frozenset[str], ...] = (
    frozenset({"aio"}),
    frozenset({"client"}),
    frozenset({"structured"}),
    frozenset({"stream", "output_answer"}),
    frozenset({"event_reader", "conversion", "output_plan", "agent_records", "store"}),
    frozenset({"answer_reader", "persist", "threads"}),
    frozenset({"formats", "tool_loop", "agent", "fetching"}),
    frozenset({"sending", "request", "running"}),
    frozenset({"transport", "retry", "replay", "function_tool", "output_modes"}),
    frozenset({"abort", "incoming", "output", "tool_arguments", "tool_schema"}),
    frozenset({"line", "failures", "headers", "recorder", "access", "output_types", "tool_results"}),
    frozenset({"attempt", "response", "providers", "framing", "network", "type_values", "reset_times", "hints"}),
    frozenset({"tools", "provider_tables", "events", "extras", "dialects", "type_schemas"}),
    frozenset({"content", "provider", "settings", "errors", "usage", "type_parts", "json_answers"}),
    frozenset({"parts"}),
    frozenset({"media_type", "signature", "mismatch"}),
    frozenset({"checks", "foreign", "jsontext", "request_ids", "secret"}),
)
IMPURE = {"asyncio", "http", "os", "random", "requests", "socket", "ssl", "threading", "time", "urllib", "urllib3"}


def module_name(path: Path) -> str:
    """Return the dotted name of a module of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported(path: Path) -> set[str]:
    """Return the dotted names of all that a file imports at run time, inside functions too, but not for types alone."""
    names: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        waiting += ast.iter_child_nodes(node)
    return names


def own_imports(path: Path) -> set[str]:
    """Return the modules of the package that a file imports."""
    names = {name for name in imported(path) if name.startswith("triptych.")}
    return {name if name in MODULES else name.rpartition(".")[0] for name in names} - {module_name(path)}


def storey(room: str) -> int:
    """Return how far below the top a room is."""
    return next(level for level, rooms in enumerate(STOREYS) if room in rooms)


def room(module: str) -> str:
    """Return the room that a module is in: the name below the package."""
    return module.split(".")[1]


def test_every_module_has_its_storey() -> None:
    rooms = {room(module) for module in MODULES if module != "triptych"}
    assert rooms == frozenset().union(*STOREYS)


@pytest.mark.parametrize("module", [name for name in MODULES if name != "triptych"])
def test_a_module_imports_only_from_below(module: str) -> None:
    for other in own_imports(MODULES[module]) - {"triptych"}:
        here, there = room(module), room(other)
        assert here == there or storey(here) < storey(there), f"{module} → {other}"


def test_no_two_modules_import_each_other_round_a_circle() -> None:
    graph = {module: own_imports(path) - {"triptych"} for module, path in MODULES.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("triptych.formats")])
def test_a_format_has_no_clock_no_chance_no_network_and_no_environment(module: str) -> None:
    assert {name.split(".")[0] for name in imported(MODULES[module])} & IMPURE == set()


@pytest.mark.parametrize("module", [name for name in MODULES if name != "triptych"])
def test_wire_types_are_for_the_type_checker_alone(module: str) -> None:
    assert [name for name in imported(MODULES[module]) if name.startswith("triptych_wire")] == []


def test_the_domain_knows_neither_formats_nor_http() -> None:
    domain = ["content", "parts", "request", "response", "tools", "settings", "errors", "usage", "media_type"]
    for name in domain:
        known = imported(MODULES[f"triptych.{name}"])
        assert {other.split(".")[0] for other in known} & {"requests", "urllib3", "http"} == set()
        assert [other for other in known if other.startswith("triptych.formats")] == []
